"""A message's path without its graph: hop by hop, each holder at its distance to the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from garden.errors import short_text
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.plots.style import BLUE, PATH_COLOUR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_NAMES = 60
_MAX_UPRIGHT_LETTERS = 60  # of all names, side by side on a line


def draw_trip_alone(axes: Axes, graph: Graph, nodes: Sequence[int], target: int) -> None:
    """Draw hops from left to right and distances to the target upwards, with holders named.

    A solid blue line is a hop that gets nearer to the target, a dashed vermillion one any other. Of
    a long path only the ends and every few holders between them are named.

    Args:
        axes: Axes to draw on.
        graph: Where distances are measured.
        nodes: Positions of the holders, the source first.
        target: The position of the target.
    """
    heights = distances(graph, np.array([target]))[0][list(nodes)]
    hops = np.arange(len(nodes))
    _draw_hops(axes, hops, heights)
    axes.scatter(hops, heights, s=30, color="black", zorder=3)
    axes.scatter(0, heights[0], marker="s", s=90, color="black", zorder=4, label="source")
    _draw_target(axes, hops[-1], int(heights[-1]))
    names = [short_text(graph.node_names[node]) for node in nodes]
    _name_holders(axes, names, heights)
    if nodes[-1] != target:
        _write(axes, short_text(graph.node_names[target]), (hops[-1] + 1, 0), _rotation(names))
    _draw_scales(axes, len(nodes) - int(nodes[-1] == target))
    _leave_room(axes, int(heights.max()), max(map(len, names)))


def _draw_hops(axes: Axes, hops: np.ndarray, heights: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    points = np.stack([hops, heights], axis=1)
    lines = np.stack([points[:-1], points[1:]], axis=1)  # (num_hops, 2, 2)
    nearer = heights[1:] < heights[:-1]
    for chosen, colour, style, label in (
        (nearer, BLUE, "-", "a hop that gets nearer"),
        (~nearer, PATH_COLOUR, "--", "a hop that does not"),
    ):
        if chosen.any():
            drawn = LineCollection(
                list(lines[chosen]), colors=colour, linestyles=style, linewidths=1.8, label=label
            )
            axes.add_collection(drawn)


def _draw_target(axes: Axes, last: int, height: int) -> None:
    """The target's star: at the end of the path, or beyond it if the message did not arrive."""
    hop = last if height == 0 else last + 1
    axes.scatter(
        hop, 0, marker="*", s=220, color="white", edgecolor="black", zorder=5, label="target"
    )


def _name_holders(axes: Axes, names: Sequence[str], heights: np.ndarray) -> None:
    step = -(-len(names) // _MAX_NAMES)
    rotation = _rotation(names)
    for hop, name in enumerate(names):
        if hop % step == 0 or hop == len(names) - 1:
            _write(axes, name, (hop, heights[hop]), rotation)


def _rotation(names: Sequence[str]) -> float:
    """Upright names where a few short ones fit side by side, slanted ones elsewhere."""
    return 0.0 if len(names) * max(map(len, names)) <= _MAX_UPRIGHT_LETTERS else 60.0


def _write(axes: Axes, name: str, point: tuple[float, float], rotation: float) -> None:
    from matplotlib.patheffects import withStroke

    text = axes.annotate(
        name,
        point,
        xytext=(3, 8),
        textcoords="offset points",
        rotation=rotation,
        fontsize=10,
        parse_math=False,  # a dollar sign in a name is a dollar sign
        zorder=6,
    )
    text.set_path_effects([withStroke(linewidth=2, foreground="white")])


def _leave_room(axes: Axes, farthest: int, letters: int) -> None:
    """Leave room above the highest holder for a slanted name of this many letters."""
    share = min(0.5, 0.02 + 0.01 * letters)  # of the height of the axes
    axes.set_ylim(-0.4, farthest + share / (1 - share) * (farthest + 0.4))


def _draw_scales(axes: Axes, last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("hop")
    axes.set_ylabel("distance to the target")
    axes.set_xlim(-0.5, last + max(0.5, 0.03 * last))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4, frameon=False)
