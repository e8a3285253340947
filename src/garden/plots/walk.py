"""A picture of one message's trip through a graph."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

from garden.atomic import write_file
from garden.errors import ArgumentError, DataError, expect, short_text
from garden.graphs.graph import Graph
from garden.plots.layout import drawn_nodes, places_of
from garden.plots.trip import draw_trip_alone

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

View = Literal["auto", "graph", "trip"]

PICTURE_FORMATS = ("png", "svg", "pdf")

SHADES = "cividis"  # as good in grey as in colour

_MAX_EDGES_PER_NODE = 6  # beyond it a graph is a grey cloud
_MAX_NAMES = 40
_MAX_TITLE = 70  # letters in a line

_PATH = "#c2410c"
_NODE = "#94a3b8"
_EDGE = "#cbd5e1"


def draw_walk(
    graph: Graph,
    nodes: Sequence[int],
    target: int,
    path: str | Path | None = None,
    axes: Axes | None = None,
    view: View = "auto",
) -> Figure:
    """A trip through its graph, or the trip alone, on these axes or on a figure of its own.

    In the graph's view nodes are grey, the trip is in colour, with the names on its way: a square
    source, a starred target, numbered hops. Nodes stand where their attributes say if those are
    two positions, else by a spring layout; of a large graph only the surroundings of the trip are
    drawn. Where so many edges or names would lie over each other that nothing is seen, ``auto``
    shows the trip alone.
    """
    if path is not None:
        expect("path", path, str, os.PathLike, otherwise="a path")
        picture_format(Path(path))
    if view not in get_args(View):
        raise ArgumentError(f"unknown view {view!r}: choose from {', '.join(get_args(View))}")
    axes = _own_axes() if axes is None else _checked(axes)
    shown = graph.subgraph(drawn_nodes(graph, nodes, target))
    crowded = _is_dense(shown) or len(set(nodes)) > _MAX_NAMES
    if view == "trip" or (view == "auto" and crowded):
        draw_trip_alone(axes, graph, nodes, target)
    else:
        _draw_in_graph(axes, graph, shown, nodes, target)
    axes.set_title(_title(graph, nodes, target), fontsize=10, parse_math=False)
    figure = axes.get_figure(root=True)
    assert figure is not None
    if path is not None:
        save_figure(figure, Path(path))
    return figure


def _own_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(8, 7), layout="constrained").add_subplot()


def _checked(axes: object) -> Axes:
    from matplotlib.axes import Axes

    expect("ax", axes, Axes, otherwise="matplotlib axes")
    return cast(Axes, axes)


def _is_dense(shown: Graph) -> bool:
    """Whether edges cover the picture."""
    return shown.num_edges > _MAX_EDGES_PER_NODE * shown.num_nodes


def _title(graph: Graph, nodes: Sequence[int], target: int) -> str:
    arrived = "delivered" if nodes[-1] == target else "not delivered"
    ends = (short_text(graph.node_names[node]) for node in (nodes[0], target))
    trip = f"{' → '.join(ends)}, {arrived} after {len(nodes) - 1} hops"
    name = repr(graph.name)[1:-1]  # on one line
    name = name if len(name) <= _MAX_TITLE else short_text(graph.name)
    return f"{name}: {trip}" if len(name) + len(trip) <= _MAX_TITLE else f"{name}:\n{trip}"


def _draw_in_graph(
    axes: Axes, graph: Graph, shown: Graph, nodes: Sequence[int], target: int
) -> None:
    """The graph around the trip, and the names of those on its way."""
    places = places_of(shown)
    draw_graph(axes, shown, places)
    position = {node: shown.position(graph.node_names[node]) for node in [*nodes, target]}
    draw_trip(axes, places[[position[node] for node in nodes]], places[position[target]])
    if len(position) <= _MAX_NAMES:
        middle = places[list(position.values())].mean(axis=0)
        for node, row in position.items():
            _draw_name(axes, short_text(graph.node_names[node]), places[row], middle)


def _draw_name(axes: Axes, name: str, place: np.ndarray, middle: np.ndarray) -> None:
    """A name beside its node, on the side that looks away from the rest of the trip."""
    from matplotlib.patheffects import withStroke

    right, above = place[0] >= middle[0], place[1] >= middle[1]
    text = axes.annotate(
        name,
        (place[0], place[1]),
        xytext=(6 if right else -6, 6 if above else -6),
        textcoords="offset points",
        ha="left" if right else "right",
        va="bottom" if above else "top",
        fontsize=8,
        fontweight="bold",
        parse_math=False,  # a dollar sign in a name is a dollar sign
        zorder=6,
    )
    text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def picture_format(path: Path) -> str:
    """The format that the suffix asks for, ``png`` where there is none; others are refused."""
    kind = path.suffix.lstrip(".").lower() or "png"
    if kind not in PICTURE_FORMATS:
        raise DataError(f"{path}: unknown kind of picture: use .{', .'.join(PICTURE_FORMATS)}")
    return kind


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format of its suffix: the same figure, the same bytes."""
    from matplotlib import rc_context

    kind = picture_format(path)
    dated = {"Date": None} if kind == "svg" else None

    def write(temporary: Path) -> None:
        with rc_context({"svg.hashsalt": path.stem}):
            figure.savefig(temporary, format=kind, dpi=150, metadata=dated)

    write_file(path, write)


def draw_graph(
    axes: Axes, graph: Graph, places: np.ndarray, shades: np.ndarray | None = None
) -> None:
    """The graph in grey, or its nodes from dark (0) to light (1) by their shades, (num_nodes,)."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        list(places[graph.edges()]), colors=_EDGE, linewidths=0.5, alpha=0.7, zorder=1
    )
    lines.set_rasterized(shades is not None)  # many panels of many lines make a vast SVG
    axes.add_collection(lines)
    if shades is None:
        axes.scatter(places[:, 0], places[:, 1], s=12, color=_NODE, zorder=2, linewidths=0)
    else:
        _draw_shaded_nodes(axes, places, shades)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.margins(0.05)


def draw_trip(axes: Axes, places: np.ndarray, goal: np.ndarray) -> None:
    """The trip in colour, from its first place on, and the star of its goal."""
    for hop, (start, stop) in enumerate(pairwise(places), 1):
        arrow = {"arrowstyle": "-|>", "color": _PATH, "linewidth": 1.6, "shrinkA": 3, "shrinkB": 3}
        axes.annotate("", xy=stop, xytext=start, arrowprops=arrow, zorder=3)
        if len(places) <= 40:
            _draw_number(axes, hop, (start + stop) / 2)
    axes.scatter(
        places[0, 0], places[0, 1], marker="s", s=90, color="black", zorder=4, label="source"
    )
    draw_target(axes, goal)
    axes.legend(loc="lower right", frameon=False)


def draw_target(axes: Axes, place: np.ndarray) -> None:
    """The star of a target."""
    axes.scatter(
        place[0],
        place[1],
        marker="*",
        s=220,
        color="white",
        edgecolor="black",
        zorder=4,
        label="target",
    )


def _draw_shaded_nodes(axes: Axes, places: np.ndarray, shades: np.ndarray) -> None:
    """Light nodes over dark ones, with a rim that keeps both in sight."""
    order = np.argsort(shades, kind="stable")
    axes.scatter(
        places[order, 0],
        places[order, 1],
        s=16,
        c=shades[order],
        cmap=SHADES,
        vmin=0,
        vmax=1,
        zorder=2,
        edgecolors="0.3",
        linewidths=0.3,
    )


def _draw_number(axes: Axes, hop: int, place: np.ndarray) -> None:
    box = {
        "boxstyle": "circle,pad=0.15",
        "facecolor": "white",
        "edgecolor": _PATH,
        "linewidth": 0.6,
    }
    axes.text(
        place[0], place[1], str(hop), fontsize=7, ha="center", va="center", bbox=box, zorder=5
    )
