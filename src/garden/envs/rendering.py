"""What ``render()`` returns: a picture, or a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, final

import numpy as np

from garden.graphs.graph import Graph

RENDER_MODES = ("rgb_array", "ansi")
RENDER_FPS = 2
_MAX_NAMED = 20


@final
class Renderer:
    """Draws episodes of one graph; nodes have the same coordinates in every picture."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def picture(self, nodes: Sequence[int], target: int) -> np.ndarray:
        """The graph, the path so far and what the holder sees, (height, width, 3) uint8.

        Args:
            nodes: The nodes that have held the message, the source first.
            target: The position of the target.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from garden.plots.episode import draw_episode

        figure = draw_episode(self._graph, nodes, target, self._coordinates)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def text(self, nodes: Sequence[int], target: int) -> str:
        """Hop, target, path so far and the holder's neighbours by slot, as text.

        Args:
            nodes: The nodes that have held the message, the source first.
            target: The position of the target.
        """
        names = self._graph.node_names
        seen = [
            f"{slot}: {names[node]}"
            for slot, node in enumerate(self._graph.neighbours(nodes[-1])[:_MAX_NAMED])
        ]
        hidden = len(self._graph.neighbours(nodes[-1])) - len(seen)
        more = f", and {hidden} more" if hidden else ""
        return (
            f"hop {len(nodes) - 1}, target {names[target]}\n"
            f"{' → '.join(names[node] for node in nodes)}\n"
            f"{names[nodes[-1]]} sees {', '.join(seen)}{more}\n"
        )

    def render(self, mode: str, nodes: Sequence[int], target: int) -> Any:
        """What a render mode gives.

        Args:
            mode: One of :data:`RENDER_MODES`.
            nodes: The nodes that have held the message, the source first.
            target: The position of the target.

        """
        return (self.picture if mode == "rgb_array" else self.text)(nodes, target)

    @cached_property
    def _coordinates(self) -> np.ndarray | None:
        from garden.plots.layout import MAX_DRAWN, node_coordinates

        return node_coordinates(self._graph) if self._graph.num_nodes <= MAX_DRAWN else None
