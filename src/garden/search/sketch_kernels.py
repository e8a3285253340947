"""The compiled build of sketches: what rounds among all agents end in, entry for entry.

Nodes are taken by rank, the best first; from each a breadth-first search goes on wherever it stays
in the sketch, which is where fewer than k of the nodes before it are at most as far. It sees the
whole graph, as a simulation may; agents use rounds. Importing this module needs numba.

A large graph leaves the caches, so that all of it is done under numbers by rank: hubs, which most
links lead to, stand together. Links to nodes that no later search can enter are passed over.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, prefetch
from garden.errors import GraphError
from garden.graphs.ego import row_offsets
from garden.graphs.graph import Graph
from garden.search.progress import Progress, silent
from garden.strategies.gossip.sketches import MAX_DISTANCE, best_first
from garden.strategies.representations import Ragged, Representations

_PER_CALL = 4096  # beacons between two reports of progress
_TOO_FAR = -1
_FAR = 255  # a least distance that a byte does not hold
_COUNT, _LIVE = range(2)  # of a node: its entries, and how many of its links may still be used
_AHEAD = 8  # nodes between asking for memory and reading it


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
    rank = np.empty_like(order)
    rank[order] = np.arange(graph.num_nodes, dtype=np.int32)
    k = min(k, graph.num_nodes)  # beyond that nothing is pruned, and tables are k wide
    starts = row_offsets(graph.degrees[order])
    links = _links_by_rank(graph.indptr, graph.indices, order, rank, starts)
    log, counts = _all_entries(graph.name, starts, links.copy(), k, progress)
    offsets = row_offsets(counts)
    pairs = _by_node(*log, offsets)
    sketch_offsets, adjacent = row_offsets(counts[rank]), _num_adjacent(offsets, pairs)
    entries = _entries_of_nodes(pairs, offsets, rank, keys[order], classes[order])
    rest_offsets = row_offsets((np.diff(starts) - adjacent)[rank])
    rest = _rest(links, starts, adjacent, rank, keys[order], rest_offsets)
    names = ("keys", "distances", "classes")
    sketches = {
        name: Ragged(part, sketch_offsets) for name, part in zip(names, entries, strict=True)
    }
    return Representations({}, {**sketches, "neighbours": Ragged(rest, rest_offsets)})


def _all_entries(
    name: str, starts: np.ndarray, links: np.ndarray, k: int, progress: Progress
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """All entries by the rank of their beacon, and how many a node has.

    Args:
        name: Of the graph.
        starts: (num_nodes + 1,) int64, where the links of each node start; nodes by rank.
        links: (num_links,) int32; their order changes within a node.
        k: As above.
        progress: As above.

    Returns:
        The nodes and distances of the entries, and where those of each beacon end; the number of
        entries of each node.

    """
    num_nodes = len(starts) - 1
    kept = np.zeros((num_nodes, 2), dtype=np.int32)
    kept[:, _LIVE] = np.diff(starts)
    least = np.full((num_nodes, k), MAX_DISTANCE, dtype=np.uint16)  # so far, ascending
    near = np.full(num_nodes, _FAR, dtype=np.uint8)  # the last of those, once there are k
    bits = np.zeros((2, num_nodes // 8 + 1), dtype=np.uint8)  # small enough for the cache
    queue = np.empty(num_nodes, dtype=np.int32)
    ends = np.empty(num_nodes, dtype=np.int64)
    log = tuple(np.empty(num_nodes * 8, dtype=kind) for kind in (np.int32, np.uint16))
    first = used = 0
    while first < num_nodes:
        room = used + num_nodes * 2
        if room > len(log[0]):
            more = max(room, len(log[0]) * 3 // 2) - len(log[0])
            log = tuple(np.concatenate([part, np.empty(more, part.dtype)]) for part in log)
        last = min(num_nodes, first + _PER_CALL)
        tables = kept, least, near, *bits, queue
        first, used = _grow(starts, links, first, last, *tables, *log, ends, used)
        if used == _TOO_FAR:
            raise GraphError(
                f"{name}: a beacon is more than {MAX_DISTANCE} hops away: sketches end there"
            )
        progress("settling", first, num_nodes)
    return (log[0][:used], log[1][:used], ends), kept[:, _COUNT]


@compiled()
def _links_by_rank(indptr, indices, order, rank, starts):  # type: ignore[no-untyped-def]
    """The neighbours of each node, both by rank, the best first; ``starts`` says where."""
    next_at = starts[:-1].copy()
    links = np.empty_like(indices)
    for number in range(len(order)):
        node = order[number]
        for edge in range(indptr[node], indptr[node + 1]):
            other = rank[indices[edge]]
            links[next_at[other]] = number
            next_at[other] += 1
    return links


@compiled()
def _grow(  # type: ignore[no-untyped-def]
    starts, links, first, last, kept, least, near, seen, front, queue, nodes, distances,
    ends, used,
):  # fmt: skip
    """Search from the beacons of rank ``first`` to ``last``; stop where the log might have no room.

    Least distances only fall: who has k entries within two hops is entered by no later search but
    from the beacon itself, and links to such nodes are put behind the ``live`` ones.
    """
    num_nodes, k = least.shape
    for beacon in range(first, last):
        if used + num_nodes > len(nodes):
            return beacon, used
        seen[beacon >> 3] |= 1 << (beacon & 7)
        queue[0] = beacon
        head, tail, distance = 0, 1, 0
        while head < tail:
            if distance > MAX_DISTANCE:
                return beacon, _TOO_FAR
            end, ahead, num_links = tail, distance + 1, 0
            for number in range(head, end):
                node = queue[number]
                if number + _AHEAD < end:
                    later = queue[number + _AHEAD]
                    prefetch(least, later)
                    prefetch(kept, later)
                    prefetch(starts, later)
                nodes[used], distances[used] = node, distance
                used += 1
                place = min(kept[node, _COUNT], k - 1)  # the k least distances stay sorted
                while place > 0 and least[node, place - 1] > distance:
                    least[node, place] = least[node, place - 1]
                    place -= 1
                least[node, place] = distance
                kept[node, _COUNT] += 1
                if kept[node, _COUNT] >= k:
                    near[node] = min(least[node, k - 1], _FAR)
                num_links += kept[node, _LIVE]
                prefetch(links, starts[node])
            if num_links > num_nodes and ahead < _FAR:
                tail = _found_from_outside(
                    starts, links, near, seen, front, queue, head, end, ahead
                )
            else:
                tail = _found_by_links(
                    starts, links, kept, least, near, seen, queue, head, end, ahead
                )
            head, distance = end, ahead
        for number in range(tail):
            seen[queue[number] >> 3] = 0
        ends[beacon] = used
    return last, used


@compiled()
def _found_by_links(  # type: ignore[no-untyped-def]
    starts, links, kept, least, near, seen, queue, head, end, ahead
):
    """Queue whoever may be entered over a link of ``queue[head:end]``; the new end."""
    tail = end
    for number in range(head, end):
        node = queue[number]
        if number + _AHEAD < end:
            prefetch(links, starts[queue[number + _AHEAD]])
        edge, stop = starts[node], starts[node + 1]
        if ahead > 1:
            stop = edge + kept[node, _LIVE]
        while edge < stop:
            other = links[edge]
            within = near[other]
            if within <= 2 and ahead > 1:
                stop -= 1
                links[edge], links[stop] = links[stop], other
                continue
            edge += 1
            if (within <= ahead and within < _FAR) or seen[other >> 3] >> (other & 7) & 1:
                continue
            if (
                ahead >= _FAR
                and kept[other, _COUNT] >= least.shape[1]
                and least[other, -1] <= ahead
            ):
                continue
            seen[other >> 3] |= 1 << (other & 7)
            queue[tail] = other
            tail += 1
            prefetch(least, other)
            prefetch(kept, other)
            prefetch(starts, other)
        if ahead > 1:
            kept[node, _LIVE] = stop - starts[node]
    return tail


@compiled()
def _found_from_outside(  # type: ignore[no-untyped-def]
    starts, links, near, seen, front, queue, head, end, ahead
):
    """Queue whoever may be entered and has a link to one of ``queue[head:end]``; the new end.

    Where those have many links, this looks at few of them: it stops at the first that leads there.
    """
    for number in range(head, end):
        front[queue[number] >> 3] |= 1 << (queue[number] & 7)
    tail = end
    for node in range(len(near)):
        if near[node] <= ahead or seen[node >> 3] >> (node & 7) & 1:
            continue
        for edge in range(starts[node], starts[node + 1]):
            other = links[edge]
            if front[other >> 3] >> (other & 7) & 1:
                seen[node >> 3] |= 1 << (node & 7)
                queue[tail] = node
                tail += 1
                break
    for number in range(head, end):
        front[queue[number] >> 3] = 0
    return tail


@compiled()
def _by_node(nodes, distances, ends, offsets):  # type: ignore[no-untyped-def]
    """The entries of each node together, by distance, then rank: distance · 2³² + rank, int64."""
    next_at = offsets[:-1].copy()
    pairs = np.empty(len(nodes), dtype=np.int64)
    beacon = 0
    for entry in range(len(nodes)):
        while ends[beacon] <= entry:
            beacon += 1
        node = nodes[entry]
        pairs[next_at[node]] = (np.int64(distances[entry]) << 32) | beacon
        next_at[node] += 1
    for node in range(len(next_at)):
        first = offsets[node]
        for entry in range(first, offsets[node + 1]):  # few, and nearly sorted
            pair, place = pairs[entry], entry
            while place > first and pairs[place - 1] > pair:
                pairs[place] = pairs[place - 1]
                place -= 1
            pairs[place] = pair
    return pairs


@compiled()
def _num_adjacent(offsets, pairs):  # type: ignore[no-untyped-def]
    """How many entries of each node are at distance 1."""
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for node in range(len(counts)):
        for entry in range(offsets[node], offsets[node + 1]):
            counts[node] += pairs[entry] >> 32 == 1
    return counts


@compiled()
def _entries_of_nodes(pairs, offsets, rank, keys, classes):  # type: ignore[no-untyped-def]
    """Keys, distances and classes of the entries, node after node; arguments are by rank."""
    entry_keys = np.empty(len(pairs), dtype=keys.dtype)
    distances = np.empty(len(pairs), dtype=np.uint16)
    entry_classes = np.empty(len(pairs), dtype=classes.dtype)
    place = 0
    for number in rank:
        for entry in range(offsets[number], offsets[number + 1]):
            beacon = pairs[entry] & 0xFFFFFFFF
            entry_keys[place], entry_classes[place] = keys[beacon], classes[beacon]
            distances[place] = pairs[entry] >> 32
            place += 1
    return entry_keys, distances, entry_classes


@compiled()
def _rest(links, starts, adjacent, rank, keys, offsets):  # type: ignore[no-untyped-def]
    """The keys of each node's neighbours without its first ones, which are in its sketch."""
    others = np.empty(offsets[-1], dtype=keys.dtype)
    place = 0
    for number in rank:
        for edge in range(starts[number] + adjacent[number], starts[number + 1]):
            others[place] = keys[links[edge]]
            place += 1
    return others
