"""A picture of one message's path: in its graph, or by hops and distances alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

from garden.errors import ArgumentError, expect, short_text
from garden.graphs.graph import Graph
from garden.plots.figures import finished_figure, new_axes, picture_format
from garden.plots.layout import drawn_nodes, node_coordinates
from garden.plots.style import COLOUR_MAP, EDGE_COLOUR, NODE_COLOUR, PATH_COLOUR
from garden.plots.trip import draw_source, draw_target, draw_trip_alone, write_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

View = Literal["auto", "graph", "trip"]
"""The graph around the path, the path alone, or whichever of the two can be read."""

_MAX_EDGES_PER_NODE = 6  # beyond it edges cover the picture
_MAX_NAMES = 40
_MAX_NUMBERED_HOPS = 40
_MAX_TITLE = 70  # letters in a line


def draw_walk(
    graph: Graph,
    nodes: Sequence[int],
    target: int,
    path: str | Path | None = None,
    axes: Axes | None = None,
    view: View = "auto",
) -> Figure:
    """Draw the path of one message.

    In the view ``graph`` nodes are grey and the path is in colour, with its nodes named: a square
    source, a starred target, numbered hops. Coordinates are the attributes where those are two
    positions, else a spring layout; of a large graph only the surroundings of the path are drawn.
    The view ``trip`` shows the path alone, each hop at its distance to the target.

    Args:
        graph: The graph that the message travelled on.
        nodes: Positions of the holders, the source first.
        target: The position of the target.
        path: A file to save the picture to; its suffix names the format.
        axes: Axes to draw on; a figure of its own is made without them.
        view: ``graph``, ``trip``, or ``auto``: the trip alone where edges or names would cover
            each other.

    Returns:
        The figure that was drawn on.
    """
    if path is not None:
        expect("path", path, str, os.PathLike, otherwise="a path")
        picture_format(Path(path))
    if view not in get_args(View):
        raise ArgumentError(f"unknown view {view!r}: choose from {', '.join(get_args(View))}")
    axes = new_axes() if axes is None else _checked(axes)
    drawn = graph.subgraph(drawn_nodes(graph, nodes, target))
    crowded = _is_dense(drawn) or len(set(nodes)) > _MAX_NAMES
    if view == "trip" or (view == "auto" and crowded):
        draw_trip_alone(axes, graph, nodes, target)
    else:
        _draw_in_graph(axes, graph, drawn, nodes, target)
    axes.set_title(_title(graph, nodes, target), fontsize=10, parse_math=False)
    return finished_figure(axes, path)


def _checked(axes: object) -> Axes:
    from matplotlib.axes import Axes

    expect("ax", axes, Axes, otherwise="matplotlib axes")
    return cast(Axes, axes)


def _is_dense(drawn: Graph) -> bool:
    """Whether edges would cover the picture."""
    return drawn.num_edges > _MAX_EDGES_PER_NODE * drawn.num_nodes


def _title(graph: Graph, nodes: Sequence[int], target: int) -> str:
    arrived = "delivered" if nodes[-1] == target else "not delivered"
    ends = (short_text(graph.node_names[node]) for node in (nodes[0], target))
    trip = f"{' → '.join(ends)}, {arrived} after {len(nodes) - 1} hops"
    name = repr(graph.name)[1:-1]  # on one line
    name = name if len(name) <= _MAX_TITLE else short_text(graph.name)
    return f"{name}: {trip}" if len(name) + len(trip) <= _MAX_TITLE else f"{name}:\n{trip}"


def _draw_in_graph(
    axes: Axes, graph: Graph, drawn: Graph, nodes: Sequence[int], target: int
) -> None:
    """The graph around the path, and the names of the nodes on it."""
    coordinates = node_coordinates(drawn)
    draw_graph(axes, drawn, coordinates)
    position = {node: drawn.position(graph.node_names[node]) for node in [*nodes, target]}
    draw_trip(axes, coordinates[[position[node] for node in nodes]], coordinates[position[target]])
    if len(position) <= _MAX_NAMES:
        centre = coordinates[list(position.values())].mean(axis=0)
        for node, row in position.items():
            _draw_name(axes, short_text(graph.node_names[node]), coordinates[row], centre)


def _draw_name(axes: Axes, name: str, point: np.ndarray, centre: np.ndarray) -> None:
    """A name beside its node, on the side away from the rest of the path."""
    right, above = point[0] >= centre[0], point[1] >= centre[1]
    write_name(
        axes,
        name,
        point,
        2.5,
        xytext=(6 if right else -6, 6 if above else -6),
        ha="left" if right else "right",
        va="bottom" if above else "top",
        fontsize=8,
        fontweight="bold",
    )


def draw_graph(
    axes: Axes, graph: Graph, coordinates: np.ndarray, shades: np.ndarray | None = None
) -> None:
    """Draw a graph in grey, or with nodes coloured from dark (0) to light (1).

    Args:
        axes: Axes to draw on.
        graph: The graph.
        coordinates: Where nodes stand, (num_nodes, 2).
        shades: Each node's colour from 0 to 1, (num_nodes,); None leaves all grey.
    """
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        list(coordinates[graph.edges()]), colors=EDGE_COLOUR, linewidths=0.5, alpha=0.7, zorder=1
    )
    lines.set_rasterized(shades is not None)  # thousands of lines make a vast SVG
    axes.add_collection(lines)
    if shades is None:
        axes.scatter(
            coordinates[:, 0], coordinates[:, 1], s=12, color=NODE_COLOUR, zorder=2, linewidths=0
        )
    else:
        _draw_shaded_nodes(axes, coordinates, shades)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.margins(0.05)


def draw_trip(axes: Axes, coordinates: np.ndarray, target: np.ndarray) -> None:
    """Draw a path in colour with its hops numbered, a square source and a starred target.

    Args:
        axes: Axes to draw on.
        coordinates: Where the holders stand, (num_hops + 1, 2), the source first.
        target: Where the target stands, (2,).
    """
    for hop, (start, stop) in enumerate(pairwise(coordinates), 1):
        ends = {"arrowstyle": "-|>", "shrinkA": 3, "shrinkB": 3}
        arrow = {**ends, "color": PATH_COLOUR, "linewidth": 1.6}
        axes.annotate("", xy=stop, xytext=start, arrowprops=arrow, zorder=3)
        if len(coordinates) <= _MAX_NUMBERED_HOPS:
            _draw_number(axes, hop, (start + stop) / 2)
    draw_source(axes, coordinates[0])
    draw_target(axes, target)
    axes.legend(loc="lower right", frameon=False)


def _draw_shaded_nodes(axes: Axes, coordinates: np.ndarray, shades: np.ndarray) -> None:
    """Light nodes over dark ones, with a rim that separates them."""
    order = np.argsort(shades, kind="stable")
    axes.scatter(
        coordinates[order, 0],
        coordinates[order, 1],
        s=16,
        c=shades[order],
        cmap=COLOUR_MAP,
        vmin=0,
        vmax=1,
        zorder=2,
        edgecolors="0.3",
        linewidths=0.3,
    )


def _draw_number(axes: Axes, hop: int, point: np.ndarray) -> None:
    circle = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": PATH_COLOUR}
    box = {**circle, "linewidth": 0.6}
    x, y = point
    axes.text(x, y, str(hop), fontsize=7, ha="center", va="center", bbox=box, zorder=5)
