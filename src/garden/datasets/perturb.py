"""Perturbations of a graph: missing profiles, noise in profiles, and links that have changed.

Each takes a graph, a strength and a seed, and gives another graph on the same nodes. An agent
that trained on the one is tested on the other, or sees the one while messages travel on the other.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

from garden.errors import SpecError
from garden.graphs.graph import Graph
from garden.random_streams import CHANGED_LINKS, MISSING_PROFILES, NOISY_PROFILES


def without_profiles(graph: Graph, share: float, seed: int) -> Graph:
    """The graph with the profiles of some of its nodes missing, which is all zeros.

    Args:
        graph: The graph.
        share: How many of its nodes, from 0 to 1; rounded to whole nodes.
        seed: Which nodes.

    """
    _check_share(share)
    draws = np.random.default_rng([seed, MISSING_PROFILES])
    gone = draws.permutation(graph.num_nodes)[: round(share * graph.num_nodes)]
    table = graph.dense_attributes()
    table[gone] = 0
    return _with_attributes(graph, table)


def with_noisy_profiles(graph: Graph, epsilon: float, seed: int) -> Graph:
    r"""The graph with every 0/1 attribute reported by randomised response.

    Each is flipped once and for all with probability :math:`1 / (1 + e^ε)`, which gives ε-local
    differential privacy to each attribute of a node.

    Args:
        graph: The graph; its attributes must be 0 or 1.
        epsilon: ε, above 0; ``inf`` flips nothing.
        seed: Which attributes are flipped.

    Reference: S. L. Warner, "Randomized response: a survey technique for eliminating evasive
    answer bias", JASA 60 (1965).

    """
    if not epsilon > 0:
        raise SpecError(f"epsilon is {epsilon}: it must be above 0 (inf flips nothing)")
    table = graph.dense_attributes()
    if not np.isin(table, (0, 1)).all():
        raise SpecError(f"{graph.name} has attributes beyond yes and no: nothing to flip in them")
    draws = np.random.default_rng([seed, NOISY_PROFILES])
    flipped = draws.random(table.shape) < 1 / (1 + math.exp(epsilon))
    return _with_attributes(graph, np.where(flipped, 1 - table, table))


def rewired(graph: Graph, share: float, seed: int) -> Graph:
    """The connected graph with some of its links removed and as many others added at random.

    A spanning tree, drawn at random, is kept, so that the graph stays connected.

    Args:
        graph: The graph, connected.
        share: How many of its links, from 0 to 1; rounded to whole links.
        seed: Which links go and come.

    Raises:
        SpecError: If more links would have to go than the spanning tree leaves.

    """
    _check_share(share)
    draws = np.random.default_rng([seed, CHANGED_LINKS])
    edges = graph.edges()
    count = round(share * len(edges))
    loose = np.flatnonzero(~_in_spanning_tree(graph, edges, draws))
    if count > len(loose):
        raise SpecError(
            f"{graph.name}: {count} links cannot be cut, since {len(edges) - len(loose)} of its "
            f"{len(edges)} keep it connected"
        )
    kept = np.delete(edges, draws.choice(loose, count, replace=False), axis=0)
    taken = {(int(u), int(v)) for u, v in edges}
    new: list[tuple[int, int]] = []
    while len(new) < count:
        u, v = sorted(int(end) for end in draws.integers(graph.num_nodes, size=2))
        if u != v and (u, v) not in taken:
            taken.add((u, v))
            new.append((u, v))
    edges = np.concatenate([kept, np.array(new, dtype=kept.dtype).reshape(-1, 2)])
    links = Graph.from_edges(edges, graph.num_nodes)
    return replace(graph, indptr=links.indptr, indices=links.indices)


def _in_spanning_tree(graph: Graph, edges: np.ndarray, draws: np.random.Generator) -> np.ndarray:
    """Which edges belong to a random spanning tree, (num_edges,) bool."""
    weights = draws.permutation(len(edges)) + 1
    table = sp.csr_array((weights, (edges[:, 0], edges[:, 1])), shape=2 * (graph.num_nodes,))
    tree = csgraph.minimum_spanning_tree(table)
    return np.isin(weights, tree.data)


def _with_attributes(graph: Graph, table: np.ndarray) -> Graph:
    sparse = isinstance(graph.attributes, sp.csr_array)
    return replace(graph, attributes=sp.csr_array(table) if sparse else table)


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise SpecError(f"the share is {share}: it must lie between 0 and 1")
