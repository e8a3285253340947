"""Graphs made from a graph: snowball samples of a large one, and one with less information.

Both multiply the graphs that ``universal`` trains on.
"""

from __future__ import annotations

import numpy as np

from garden.datasets.random_attributed import with_attributes
from garden.graphs.graph import Graph
from garden.random_streams import SNOWBALL_SAMPLE, THINNED_GRAPH


def snowball_sample(graph: Graph, num_nodes: int, seed: int) -> Graph:
    """The graph on the nodes first reached from a random one, without columns that are all zero.

    Half of the seeds follow only 3 to 11 links of each node, in random order, so that the sample
    reaches further.

    Args:
        graph: The graph to sample from.
        num_nodes: How many nodes to reach; the sample may end up smaller, never larger.
        seed: Determines the start and the links.

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
    table = piece.dense_attributes()
    return with_attributes(piece, table[:, table.any(axis=0)], f"{graph.name}, piece {seed}")


def thinned(graph: Graph, seed: int) -> Graph:
    """The graph with links, columns and profiles removed, and leaves added.

    A tenth or a third of the nodes lose some of their links; at times columns are lost and
    profiles are blank; new leaves copy the profile of some node. Most of its hard targets differ
    from those of the graph itself, so that training on both teaches more.

    Args:
        graph: The graph.
        seed: Determines everything.

    """
    rng = np.random.default_rng([seed, THINNED_GRAPH])
    edges, table, num_nodes = graph.edges(), graph.dense_attributes(), graph.num_nodes
    losing = rng.random(num_nodes) < rng.choice([0.1, 0.3])
    kept = np.where(losing, rng.random(num_nodes), 1.0)
    edges = edges[rng.random(len(edges)) < kept[edges].min(axis=1)]
    if rng.random() < 0.5:
        columns = np.asarray(rng.random(table.shape[1]) < rng.uniform(0.4, 1))
        table = table[:, columns] if columns.sum() > 1 else table
    if rng.random() < 0.3:
        table[rng.random(num_nodes) < rng.choice([0.03, 0.1])] = 0
    leaves = int(num_nodes * rng.choice([0, 0.05, 0.1]))
    hosts = rng.integers(0, num_nodes, leaves)
    edges = np.concatenate([edges, np.stack([hosts, num_nodes + np.arange(leaves)], axis=1)])
    table = np.concatenate([table, table[rng.integers(0, num_nodes, leaves)]])
    thin = Graph.from_edges(edges, num_nodes + leaves, table).largest_component()
    return with_attributes(thin, np.asarray(thin.attributes), f"{graph.name}, thinned {seed}")
