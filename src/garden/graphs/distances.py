"""Shortest-path distances in hops: what the oracle knows and no agent does.

They are computed 64 sources at a time, one bit each (``word_of_distances`` in
:mod:`garden.graphs.kernels`), and by SciPy where numba is missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from garden.errors import GraphError, short_text
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads

UNREACHABLE = -1
_SOURCES_AT_ONCE = 64  # as many as one breadth-first search carries, one bit each


def distances(graph: Graph, sources: np.ndarray | None = None) -> np.ndarray:
    """Hops from each source to every node.

    Args:
        graph: The graph.
        sources: Positions of nodes, (num_sources,); all nodes by default.

    Returns:
        (num_sources, num_nodes) int32, :data:`UNREACHABLE` where there is no path.

    """
    sources = np.arange(graph.num_nodes) if sources is None else np.asarray(sources, dtype=np.int64)
    try:
        from garden.graphs.kernels import word_of_distances
    except ImportError:  # no numba on this machine
        return distances_plain(graph, sources)
    result = np.full((len(sources), graph.num_nodes), UNREACHABLE, dtype=np.int32)

    def fill(start: int) -> None:
        block = slice(start, start + _SOURCES_AT_ONCE)
        word_of_distances(graph.indptr, graph.indices, sources[block], result[block])

    map_in_threads(fill, range(0, len(sources), _SOURCES_AT_ONCE))
    return result


def distances_plain(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """What :func:`distances` gives, by SciPy alone: it serves where numba is missing."""
    if len(sources) == 0:
        return np.empty((0, graph.num_nodes), dtype=np.int32)
    import scipy.sparse.csgraph as csgraph  # slow to import

    hops = csgraph.shortest_path(graph.adjacency(), unweighted=True, indices=sources)
    return np.where(np.isinf(hops), UNREACHABLE, hops).astype(np.int32)


class DistanceSums(NamedTuple):
    """The distances from some sources to all nodes, added up."""

    total: int  # hops of all pairs that have a path
    num_paths: int  # pairs that have one; a source has one to itself
    longest: int


def distance_sums(graph: Graph, sources: np.ndarray) -> DistanceSums:
    """The distances from these sources, (num_sources,), added up without a table of them."""
    starts = range(0, len(sources), _SOURCES_AT_ONCE)
    words = [np.asarray(sources[start : start + _SOURCES_AT_ONCE], np.int64) for start in starts]
    parts = map_in_threads(lambda word: _sums_of_word(graph, word), words)
    totals, counts, longest = zip(*parts, strict=True)
    return DistanceSums(sum(totals), sum(counts), max(longest))


def _sums_of_word(graph: Graph, sources: np.ndarray) -> DistanceSums:
    try:
        from garden.graphs.kernels import word_of_distances
    except ImportError:  # no numba on this machine
        hops = distances_plain(graph, sources)
        known = hops[hops != UNREACHABLE]
        return DistanceSums(int(known.sum()), len(known), int(known.max()))
    no_table = np.empty((0, 0), dtype=np.int32)
    return DistanceSums(*word_of_distances(graph.indptr, graph.indices, sources, no_table))


def pair_distances(graph: Graph, pairs: np.ndarray) -> np.ndarray:
    """Hops from source to target of each pair.

    Args:
        graph: The graph.
        pairs: Positions of source and target, (num_pairs, 2).

    Returns:
        (num_pairs,) int32.

    Raises:
        GraphError: If there is no path between the nodes of some pair.

    """
    targets, rows = np.unique(pairs[:, 1], return_inverse=True)
    hops = np.empty(len(pairs), dtype=np.int32)
    block = 1024
    for start in range(0, len(targets), block):
        chosen = (rows >= start) & (rows < start + block)
        table = distances(graph, targets[start : start + block])
        hops[chosen] = table[rows[chosen] - start, pairs[chosen, 0]]
    if (hops == UNREACHABLE).any():
        source, target = pairs[np.flatnonzero(hops == UNREACHABLE)[0]]
        first, second = short_text(graph.node_names[source]), short_text(graph.node_names[target])
        raise GraphError(
            f"no path from {first} to {second} in {graph.name}: search needs a connected graph"
        )
    return hops


def longest_distance(graph: Graph, targets: np.ndarray) -> int:
    """The most hops that any node is away from any of these targets."""
    block = 256
    starts = range(0, len(targets), block)
    tables = (distances(graph, targets[start : start + block]) for start in starts)
    return max((int(table.max(initial=0)) for table in tables), default=0)
