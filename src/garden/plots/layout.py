"""Where nodes stand in a picture, and which nodes are worth drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from garden.graphs.graph import Graph

MAX_DRAWN = 800


def drawn_nodes(graph: Graph, nodes: Sequence[int], target: int) -> np.ndarray:
    """All nodes of a small graph; of a large one, the trip, the target and nodes around them."""
    if graph.num_nodes <= MAX_DRAWN:
        return np.arange(graph.num_nodes)
    chosen = dict.fromkeys([*nodes, target])
    for node in list(chosen):
        share = max(2, MAX_DRAWN // (len(nodes) + 1))
        neighbours = graph.neighbours(node)
        step = max(1, len(neighbours) // share)
        chosen.update(dict.fromkeys(int(other) for other in neighbours[::step][:share]))
    return np.sort(np.array(list(chosen)))


def places_of(graph: Graph) -> np.ndarray:
    """Coordinates of each node, (num_nodes, 2): positions where attributes are such."""
    if graph.attribute_names == ("position0", "position1"):
        return np.asarray(graph.attributes, dtype=np.float64)
    import networkx as nx

    drawing = nx.Graph()
    drawing.add_nodes_from(range(graph.num_nodes))
    drawing.add_edges_from(graph.edges().tolist())
    method = "energy" if graph.num_nodes > 500 else "force"
    placed = nx.spring_layout(drawing, seed=0, iterations=60, method=method)
    return np.array([placed[node] for node in range(graph.num_nodes)])
