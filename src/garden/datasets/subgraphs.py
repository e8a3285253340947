"""Graphs made from a graph: pieces of a large one, and one that shows less than it did."""

from __future__ import annotations

import numpy as np

from garden.datasets.random_attributed import with_attributes
from garden.graphs.graph import Graph
from garden.random_streams import SNOWBALL_SAMPLE, THINNED_GRAPH


def grown_piece(graph: Graph, num_nodes: int, seed: int) -> Graph:
    """The graph on the nodes first met from a random one, the way a snowball grows.

    Every other piece follows only some links of each node, so that it reaches further.
    """
    rng = np.random.default_rng([seed, SNOWBALL_SAMPLE])
    whole = bool(rng.random() < 0.5)
    met = {int(rng.integers(graph.num_nodes))}
    front = list(met)
    while front and len(met) < num_nodes:
        node = front.pop(0 if whole else int(rng.integers(len(front))))
        neighbours = rng.permutation(graph.neighbours(node))
        few = neighbours if whole else neighbours[: int(rng.integers(3, 12))]
        for neighbour in few[: max(0, num_nodes - len(met))].tolist():
            if neighbour not in met:
                met.add(neighbour)
                front.append(neighbour)
    piece = graph.subgraph(np.array(sorted(met))).largest_component()
    table = _dense(piece)
    return with_attributes(piece, table[:, table.any(axis=0)], f"{graph.name}, piece {seed}")


def thinned(graph: Graph, seed: int) -> Graph:
    """The graph with less to go by: nodes that lost links, lost columns, blank profiles, leaves.

    Most of its hard targets are new ones, so that a graph seen in training teaches far more.
    """
    rng = np.random.default_rng([seed, THINNED_GRAPH])
    edges, table, num_nodes = graph.edges(), _dense(graph), graph.num_nodes
    shy = rng.random(num_nodes) < rng.choice([0.1, 0.3])
    kept = np.where(shy, rng.random(num_nodes), 1.0)
    edges = edges[rng.random(len(edges)) < kept[edges].min(axis=1)]
    if rng.random() < 0.5:
        columns = np.asarray(rng.random(table.shape[1]) < rng.uniform(0.4, 1))
        table = table[:, columns] if columns.sum() > 1 else table
    if rng.random() < 0.3:
        table = table.copy()
        table[rng.random(num_nodes) < rng.choice([0.03, 0.1])] = 0
    leaves = int(num_nodes * rng.choice([0, 0.05, 0.1]))
    hosts = rng.integers(0, num_nodes, leaves)
    edges = np.concatenate([edges, np.stack([hosts, num_nodes + np.arange(leaves)], axis=1)])
    table = np.concatenate([table, table[rng.integers(0, num_nodes, leaves)]])
    thin = Graph.from_edges(edges, num_nodes + leaves, table).largest_component()
    return with_attributes(thin, np.asarray(thin.attributes), f"{graph.name}, thinned {seed}")


def _dense(graph: Graph) -> np.ndarray:
    table = graph.attributes
    return table if isinstance(table, np.ndarray) else np.asarray(table.toarray())
