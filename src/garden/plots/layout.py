"""Where nodes stand in a picture, and which nodes of a large graph are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from garden.graphs.graph import Graph

MAX_DRAWN = 800  # nodes; of a larger graph a part is drawn


def drawn_nodes(graph: Graph, nodes: Sequence[int], target: int) -> np.ndarray:
    """Which nodes are drawn, sorted.

    Args:
        graph: The graph.
        nodes: The path of a message, which is drawn whole.
        target: Its target, which is drawn too.

    Returns:
        Positions of all nodes where there are at most :data:`MAX_DRAWN`, else of the path, the
        target and an even sample of their neighbours.
    """
    if graph.num_nodes <= MAX_DRAWN:
        return np.arange(graph.num_nodes)
    chosen = dict.fromkeys([*nodes, target])
    for node in list(chosen):
        share = max(2, MAX_DRAWN // (len(nodes) + 1))
        neighbours = graph.neighbours(node)
        step = max(1, len(neighbours) // share)
        chosen.update(dict.fromkeys(int(other) for other in neighbours[::step][:share]))
    return np.sort(np.array(list(chosen)))


def node_coordinates(graph: Graph) -> np.ndarray:
    """Coordinates of each node, (num_nodes, 2).

    They are the attributes where those are two positions (spatial graphs), else a spring layout
    with a fixed seed.
    """
    if graph.attribute_names == ("position0", "position1"):
        return np.asarray(graph.attributes, dtype=np.float64)
    import networkx as nx

    drawing = nx.Graph()
    drawing.add_nodes_from(range(graph.num_nodes))
    drawing.add_edges_from(graph.edges().tolist())
    method = "energy" if graph.num_nodes > 500 else "force"
    placed = nx.spring_layout(drawing, seed=0, iterations=60, method=method)
    return np.array([placed[node] for node in range(graph.num_nodes)])
