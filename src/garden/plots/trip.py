"""A message's path without its graph: hop by hop, each holder at its distance to the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from garden.errors import short_text
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.plots.style import BLUE, PATH_COLOUR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = np.ndarray | tuple[float, float]

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
    draw_source(axes, (0, heights[0]))
    draw_target(axes, (hops[-1] + (heights[-1] > 0), 0))  # beyond the path if it did not arrive
    names = [short_text(graph.node_names[node]) for node in nodes]
    _name_holders(axes, names, heights)
    if nodes[-1] != target:
        _name(axes, short_text(graph.node_names[target]), (hops[-1] + 1, 0), _rotation(names))
    _draw_scales(axes, len(nodes) - int(nodes[-1] == target))
    _leave_room(axes, int(heights.max()), max(map(len, names)))


def draw_source(axes: Axes, point: Point) -> None:
    """Draw a source's square.

    Args:
        axes: Axes to draw on.
        point: Where the source stands, (2,).
    """
    x, y = point
    axes.scatter(x, y, marker="s", s=90, color="black", zorder=4, label="source")


def draw_target(axes: Axes, point: Point) -> None:
    """Draw a target's star.

    Args:
        axes: Axes to draw on.
        point: Where the target stands, (2,).
    """
    x, y = point
    axes.scatter(
        x, y, marker="*", s=220, color="white", edgecolor="black", zorder=4, label="target"
    )


def write_name(axes: Axes, name: str, point: Point, outline: float, **style: Any) -> None:
    """Write a name beside a point, outlined in white, so that it can be read over lines.

    Args:
        axes: Axes to draw on.
        name: As it stands: a dollar sign in it is a dollar sign.
        point: Where it belongs, (2,).
        outline: Width of the outline, in points.
        **style: What ``annotate`` takes beside; ``xytext`` in points from there.
    """
    from matplotlib.patheffects import withStroke

    at = (point[0], point[1])
    text = axes.annotate(name, at, textcoords="offset points", parse_math=False, zorder=6, **style)
    text.set_path_effects([withStroke(linewidth=outline, foreground="white")])


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


def _name_holders(axes: Axes, names: Sequence[str], heights: np.ndarray) -> None:
    step = -(-len(names) // _MAX_NAMES)
    rotation = _rotation(names)
    for hop, name in enumerate(names):
        if hop % step == 0 or hop == len(names) - 1:
            _name(axes, name, (hop, heights[hop]), rotation)


def _rotation(names: Sequence[str]) -> float:
    """Upright names where a few short ones fit side by side, slanted ones elsewhere."""
    return 0.0 if len(names) * max(map(len, names)) <= _MAX_UPRIGHT_LETTERS else 60.0


def _name(axes: Axes, name: str, point: Point, rotation: float) -> None:
    write_name(axes, name, point, 2, xytext=(3, 8), rotation=rotation, fontsize=10)


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
