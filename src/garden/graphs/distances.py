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
SOURCES_AT_ONCE = 64  # as many as one breadth-first search carries, one bit each
_NO_TOTALS = np.empty(0, dtype=np.int64)


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
        block = slice(start, start + SOURCES_AT_ONCE)
        word_of_distances(graph.indptr, graph.indices, sources[block], result[block], _NO_TOTALS)

    map_in_threads(fill, range(0, len(sources), SOURCES_AT_ONCE))
    return result


def distances_plain(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """What :func:`distances` gives, by SciPy alone: it serves where numba is missing.

    Args:
        graph: The graph.
        sources: Positions of nodes, (num_sources,).
    """
    if len(sources) == 0:
        return np.empty((0, graph.num_nodes), dtype=np.int32)
    import scipy.sparse.csgraph as csgraph  # slow to import

    hops = csgraph.shortest_path(graph.adjacency(), unweighted=True, indices=sources)
    return np.where(np.isinf(hops), UNREACHABLE, hops).astype(np.int32)


class DistanceSums(NamedTuple):
    """The distances from some sources to all nodes, added up."""

    totals: np.ndarray  # (num_sources,) int64: hops from each source to all nodes with a path
    num_paths: int  # pairs that have one; a source has one to itself
    longest: int


def distance_sums(graph: Graph, sources: np.ndarray) -> DistanceSums:
    """Distances added up, without a table of them.

    Args:
        graph: The graph.
        sources: Positions of nodes, (num_sources,), at least one.
    """
    starts = range(0, len(sources), SOURCES_AT_ONCE)
    words = [np.asarray(sources[start : start + SOURCES_AT_ONCE], np.int64) for start in starts]
    parts = map_in_threads(lambda word: _sums_of_word(graph, word), words)
    totals, counts, longest = zip(*parts, strict=True)
    return DistanceSums(np.concatenate(totals), sum(counts), max(longest))


def _sums_of_word(graph: Graph, sources: np.ndarray) -> DistanceSums:
    try:
        from garden.graphs.kernels import word_of_distances
    except ImportError:  # no numba on this machine
        hops = distances_plain(graph, sources)
        known = hops != UNREACHABLE
        totals = np.where(known, hops, 0).sum(axis=1, dtype=np.int64)
        return DistanceSums(totals, int(known.sum()), int(hops.max()))
    no_table = np.empty((0, 0), dtype=np.int32)
    totals = np.zeros(len(sources), dtype=np.int64)
    _, num_paths, longest = word_of_distances(
        graph.indptr, graph.indices, sources, no_table, totals
    )
    return DistanceSums(totals, num_paths, longest)


def pair_distances(graph: Graph, pairs: np.ndarray) -> np.ndarray:
    """Hops from source to target of each pair, by searches from 64 targets at a time.

    Args:
        graph: The graph.
        pairs: Positions of source and target, (num_pairs, 2).

    Returns:
        (num_pairs,) int32.

    Raises:
        GraphError: If there is no path between the nodes of some pair.

    """
    targets, rows = np.unique(pairs[:, 1], return_inverse=True)
    hops = np.full(len(pairs), UNREACHABLE, dtype=np.int32)
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(
        rows[order], np.arange(0, len(targets) + SOURCES_AT_ONCE, SOURCES_AT_ONCE)
    )

    def fill(word: int) -> None:
        chosen = order[ends[word] : ends[word + 1]]
        first = word * SOURCES_AT_ONCE
        some = targets[first : first + SOURCES_AT_ONCE].astype(np.int64)
        hops[chosen] = _hops_of_word(graph, some, pairs[chosen, 0], rows[chosen] - first)

    map_in_threads(fill, range(len(ends) - 1))
    if (hops == UNREACHABLE).any():
        source, target = pairs[np.flatnonzero(hops == UNREACHABLE)[0]]
        first, second = short_text(graph.node_names[source]), short_text(graph.node_names[target])
        raise GraphError(
            f"no path from {first} to {second} in {graph.name}: search needs a connected graph"
        )
    return hops


def _hops_of_word(
    graph: Graph, targets: np.ndarray, sources: np.ndarray, bits: np.ndarray
) -> np.ndarray:
    """The hops of pairs, (num_pairs,), that have these sources and the targets numbered so."""
    try:
        from garden.graphs.kernels import word_of_pair_distances
    except ImportError:  # no numba on this machine
        return distances_plain(graph, targets)[bits, sources]
    hops = np.full(len(sources), UNREACHABLE, dtype=np.int32)
    word_of_pair_distances(
        graph.indptr, graph.indices, targets, sources.astype(np.int64), bits.astype(np.int64), hops
    )
    return hops


def longest_distance(graph: Graph, targets: np.ndarray) -> int:
    """The most hops that any node is away from any of these targets.

    Args:
        graph: The graph.
        targets: Positions of nodes, (num_targets,); with none it is 0.
    """
    return distance_sums(graph, targets).longest if len(targets) else 0
