"""A picture of an episode under way: the trip so far, and what the holder sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.plots.layout import drawn_nodes, places_of
from garden.plots.walk import draw_graph, draw_trip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SEEN = "#2563eb"
_MAX_NUMBERED = 40


def draw_episode(
    graph: Graph, nodes: Sequence[int], target: int, places: np.ndarray | None = None
) -> Figure:
    """The graph in grey, the trip in orange, and in blue the neighbours' ego graphs by slot.

    ``places`` are coordinates of all nodes, (num_nodes, 2), for a caller that draws many pictures
    of one graph; of a large graph only the surroundings of the trip are drawn.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    axes = figure.add_subplot()
    kept = drawn_nodes(graph, nodes, target)
    shown = graph.subgraph(kept)
    where = places_of(shown) if places is None else places[kept]
    draw_graph(axes, shown, where)
    place_of = {int(node): where[row] for row, node in enumerate(kept)}
    _draw_seen(axes, graph, nodes[-1], place_of)
    draw_trip(axes, np.array([place_of[node] for node in nodes]), place_of[target])
    axes.set_title(
        f"{graph.name}: hop {len(nodes) - 1}, {graph.node_names[nodes[-1]]} holds the message "
        f"for {graph.node_names[target]}"
    )
    return figure


def _draw_seen(axes: Axes, graph: Graph, holder: int, place_of: dict[int, np.ndarray]) -> None:
    from matplotlib.collections import LineCollection

    neighbours = graph.neighbours(holder)
    egos = ego_graphs(graph, neighbours)
    ends = egos.members[egos.edges].T  # (num_ego_edges, 2) nodes
    lines = [
        (place_of[int(a)], place_of[int(b)])
        for a, b in np.unique(ends, axis=0)
        if a < b and int(a) in place_of and int(b) in place_of
    ]
    axes.add_collection(LineCollection(lines, colors=_SEEN, linewidths=0.5, alpha=0.5, zorder=1.5))
    slots = {
        slot: place_of[int(node)] for slot, node in enumerate(neighbours) if int(node) in place_of
    }
    where = np.array(list(slots.values())).reshape(-1, 2)
    axes.scatter(
        where[:, 0], where[:, 1], s=30, color=_SEEN, zorder=2.5, linewidths=0, label="its slots"
    )
    x, y = place_of[holder]
    axes.scatter(x, y, s=260, facecolors="none", edgecolors=_SEEN, zorder=4, label="holder")
    for slot, (x, y) in slots.items():
        if len(slots) <= _MAX_NUMBERED:
            axes.annotate(
                str(slot), (x, y), xytext=(4, 4), textcoords="offset points", color=_SEEN, zorder=6
            )
