"""The compiled build of sketches: what rounds among all agents end in, entry for entry.

Nodes are taken by rank, the best first; from each a breadth-first search goes on wherever it stays
in the sketch, which is where fewer than k of the nodes before it are at most as far. It sees the
whole graph, as a simulation may; agents use rounds. Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.search.progress import Progress, silent
from garden.strategies.gossip.sketches import MAX_DISTANCE, best_first
from garden.strategies.representations import Ragged, Representations

_PER_CALL = 4096  # beacons between two reports of progress
_TOO_FAR = -1


def built_sketches(
    graph: Graph, keys: np.ndarray, classes: np.ndarray, k: int, progress: Progress = silent
) -> Representations:
    """The settled rows of ``beacons`` on a graph.

    Args:
        graph: The graph.
        keys: (num_nodes,) uint64, all different.
        classes: (num_nodes,) int8.
        k: How many better-ranked nodes within its distance push a beacon out of a sketch.
        progress: Called as beacons are done.
    """
    order = best_first(keys, classes).astype(np.int32)
    k = min(k, graph.num_nodes)  # beyond that nothing is pruned, and tables are k wide
    log, counts = _all_entries(graph, order, k, progress)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    beacons, distances = _by_node(*log, offsets)
    ranked = _ranked_neighbours(graph.indptr, graph.indices, order)
    adjacent = _num_adjacent(offsets, distances)
    others, others_offsets = _rest(graph.indptr, ranked, adjacent)
    return Representations(
        {},
        {
            "keys": Ragged(keys[beacons], offsets),
            "distances": Ragged(distances, offsets),
            "classes": Ragged(classes[beacons], offsets),
            "neighbours": Ragged(keys[others], others_offsets),
        },
    )


def _all_entries(
    graph: Graph, order: np.ndarray, k: int, progress: Progress
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """All entries by the rank of their beacon (node, beacon, distance), and how many a node has."""
    num_nodes = graph.num_nodes
    nearest = np.full((num_nodes, k), MAX_DISTANCE, dtype=np.uint16)  # so far, ascending
    limit = np.full(num_nodes, MAX_DISTANCE + 2, dtype=np.int32)  # the last of k, once there are k
    seen = np.full(num_nodes, -1, dtype=np.int32)
    queue = np.empty(num_nodes, dtype=np.int32)
    counts = np.zeros(num_nodes, dtype=np.int64)
    log = tuple(np.empty(num_nodes * 8, dtype=kind) for kind in (np.int32, np.int32, np.uint16))
    first = used = 0
    while first < num_nodes:
        room = used + num_nodes * 2
        if room > len(log[0]):
            log = tuple(_longer(part, max(room, len(part) * 3 // 2)) for part in log)
        last = min(num_nodes, first + _PER_CALL)
        first, used = _grow(
            graph.indptr,
            graph.indices,
            order,
            first,
            last,
            nearest,
            limit,
            seen,
            queue,
            counts,
            *log,
            used,
        )
        if used == _TOO_FAR:
            raise GraphError(
                f"{graph.name}: a beacon is more than {MAX_DISTANCE} hops away: sketches end there"
            )
        progress("settling", first, num_nodes)
    return (log[0][:used], log[1][:used], log[2][:used]), counts


def _longer(part: np.ndarray, size: int) -> np.ndarray:
    longer = np.empty(size, dtype=part.dtype)
    longer[: len(part)] = part
    return longer


@compiled()
def _grow(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    order,
    first,
    last,
    nearest,
    limit,
    seen,
    queue,
    counts,
    nodes,
    beacons,
    distances,
    used,
):
    """Search from the beacons ``order[first:last]``; stop where the log might not have room."""
    num_nodes, k = nearest.shape
    for rank in range(first, last):
        if used + num_nodes > len(nodes):
            return rank, used
        beacon = order[rank]
        seen[beacon] = rank
        queue[0] = beacon
        head, tail, end, distance = 0, 1, 1, 0
        while head < tail:
            if head == end:
                distance += 1
                end = tail
                if distance > MAX_DISTANCE:
                    return rank, _TOO_FAR
            node = queue[head]
            head += 1
            nodes[used] = node
            beacons[used] = beacon
            distances[used] = distance
            used += 1
            place = min(counts[node], k - 1)  # the k least distances stay sorted
            while place > 0 and nearest[node, place - 1] > distance:
                nearest[node, place] = nearest[node, place - 1]
                place -= 1
            nearest[node, place] = distance
            counts[node] += 1
            if counts[node] >= k:
                limit[node] = nearest[node, k - 1]
            for edge in range(indptr[node], indptr[node + 1]):
                other = indices[edge]
                if limit[other] > distance + 1 and seen[other] != rank:
                    seen[other] = rank
                    queue[tail] = other
                    tail += 1
    return last, used


@compiled()
def _by_node(nodes, beacons, distances, offsets):  # type: ignore[no-untyped-def]
    """The entries of each node together, by distance; those of one distance keep their order."""
    next_at = offsets[:-1].copy()
    sorted_beacons = np.empty_like(beacons)
    sorted_distances = np.empty_like(distances)
    for entry in range(len(nodes)):
        node = nodes[entry]
        place = next_at[node]
        next_at[node] += 1
        first = offsets[node]
        while place > first and sorted_distances[place - 1] > distances[entry]:
            sorted_distances[place] = sorted_distances[place - 1]
            sorted_beacons[place] = sorted_beacons[place - 1]
            place -= 1
        sorted_distances[place] = distances[entry]
        sorted_beacons[place] = beacons[entry]
    return sorted_beacons, sorted_distances


@compiled()
def _ranked_neighbours(indptr, indices, order):  # type: ignore[no-untyped-def]
    """The neighbours of each node, the best-ranked first, laid out like ``indices``."""
    next_at = indptr[:-1].copy()
    ranked = np.empty_like(indices)
    for node in order:
        for edge in range(indptr[node], indptr[node + 1]):
            other = indices[edge]
            ranked[next_at[other]] = node
            next_at[other] += 1
    return ranked


@compiled()
def _num_adjacent(offsets, distances):  # type: ignore[no-untyped-def]
    """How many entries of each node are at distance 1."""
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for node in range(len(counts)):
        for entry in range(offsets[node], offsets[node + 1]):
            counts[node] += distances[entry] == 1
    return counts


def _rest(
    indptr: np.ndarray, ranked: np.ndarray, adjacent: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each node without its first ones, which are in its sketch."""
    left = np.diff(indptr) - adjacent
    offsets = np.concatenate([[0], np.cumsum(left)]).astype(np.int64)
    starts = indptr[:-1] + adjacent
    positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], left)
    return ranked[positions], offsets
