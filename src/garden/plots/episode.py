"""A picture of an episode under way: the path so far, and what the holder sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.plots.figures import finished_figure, new_axes
from garden.plots.layout import drawn_nodes, node_coordinates
from garden.plots.style import SEEN_COLOUR
from garden.plots.walk import draw_graph, draw_trip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_NUMBERED = 40


def draw_episode(
    graph: Graph, nodes: Sequence[int], target: int, coordinates: np.ndarray | None = None
) -> Figure:
    """Draw the graph in grey, the path in vermillion, and in blue the neighbours' ego graphs.

    Args:
        graph: The graph that is searched.
        nodes: Positions of the holders so far, the source first.
        target: The position of the target.
        coordinates: Where all nodes stand, (num_nodes, 2), for a caller with many pictures of one
            graph; of a large graph only the surroundings of the path are drawn.

    Returns:
        The figure; neighbours of the holder are labelled with their slots.
    """
    axes = new_axes()
    kept = drawn_nodes(graph, nodes, target)
    drawn = graph.subgraph(kept)
    where = node_coordinates(drawn) if coordinates is None else coordinates[kept]
    draw_graph(axes, drawn, where)
    point_of = {int(node): where[row] for row, node in enumerate(kept)}
    _draw_seen(axes, graph, nodes[-1], point_of)
    draw_trip(axes, np.array([point_of[node] for node in nodes]), point_of[target])
    axes.set_title(
        f"{graph.name}: hop {len(nodes) - 1}, {graph.node_names[nodes[-1]]} holds the message "
        f"for {graph.node_names[target]}"
    )
    return finished_figure(axes)


def _draw_seen(axes: Axes, graph: Graph, holder: int, point_of: dict[int, np.ndarray]) -> None:
    from matplotlib.collections import LineCollection

    neighbours = graph.neighbours(holder)
    egos = ego_graphs(graph, neighbours)
    ends = egos.members[egos.edges].T  # (num_ego_edges, 2) nodes
    lines = [
        (point_of[int(a)], point_of[int(b)])
        for a, b in np.unique(ends, axis=0)
        if a < b and int(a) in point_of and int(b) in point_of
    ]
    axes.add_collection(
        LineCollection(lines, colors=SEEN_COLOUR, linewidths=0.5, alpha=0.5, zorder=1.5)
    )
    slots = {
        slot: point_of[int(node)] for slot, node in enumerate(neighbours) if int(node) in point_of
    }
    where = np.array(list(slots.values())).reshape(-1, 2)
    words = "its neighbours, by slot"
    x, y = where.T
    axes.scatter(x, y, s=30, color=SEEN_COLOUR, zorder=2.5, linewidths=0, label=words)
    x, y = point_of[holder]
    axes.scatter(x, y, s=260, facecolors="none", edgecolors=SEEN_COLOUR, zorder=4, label="holder")
    for slot, (x, y) in slots.items():
        if len(slots) <= _MAX_NUMBERED:
            axes.annotate(
                str(slot), (x, y), (4, 4), textcoords="offset points", color=SEEN_COLOUR, zorder=6
            )
