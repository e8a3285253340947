"""The compiled walk with the memory `explore`; see :mod:`garden.search.kernels`.

It equals :class:`garden.strategies.explore.ExploreMemory` hop for hop. Importing this module needs
numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.search.kernels import backtracked, next_state, uniform


@compiled()
def add_links(node, offsets, numbers, times, seen_links, sign):  # type: ignore[no-untyped-def]
    """Add the links of a node to those seen, or take them away again.

    Args:
        node: The node.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        times: How often that id is in the node's row.
        seen_links: How often each id is in rows of seen nodes; changed.
        sign: 1 to add, −1 to take away.
    """
    for k in range(offsets[node], offsets[node + 1]):
        seen_links[numbers[k]] += sign * times[k]


@compiled()
def count_new_links(node, offsets, numbers, mates, times, seen_links):  # type: ignore[no-untyped-def]
    """How many links of a node are new; as :func:`garden.strategies.explore.new_links`.

    Args:
        node: The node.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        mates: The number of the id at the link's other end.
        times: How often that id is in the node's row.
        seen_links: How often each id is in rows of seen nodes.
    """
    total = 0
    for k in range(offsets[node], offsets[node + 1]):
        count, all_seen = times[k], seen_links[numbers[k]]
        if mates[k] == numbers[k]:
            known = all_seen - count
        else:
            known = count * seen_links[mates[k]] // all_seen
        total += count - min(count, known)
    return total


@compiled()
def highest_bound(neighbours, met, scores, most_gains):  # type: ignore[no-untyped-def]
    """The neighbour, not met, whose value can be the highest of all; −1 where all are met.

    Args:
        neighbours: The holder's.
        met: Which nodes have held the message, (num_nodes,) bool.
        scores: (num_nodes,).
        most_gains: What all links of a node could add to its score, (num_nodes,).
    """
    first = -1
    for node in neighbours:
        if not met[node] and (
            first < 0 or scores[node] + most_gains[node] > scores[first] + most_gains[first]
        ):
            first = node
    return first


@compiled()
def place_to_turn(way, has_more, depth, neighbours):  # type: ignore[no-untyped-def]
    """What :func:`garden.strategies.explore.place_to_turn` gives, −1 for None.

    Args:
        way: The nodes on the way from the source.
        has_more: Whether each had another useful neighbour.
        depth: How many of them count.
        neighbours: The holder's.
    """
    deepest = depth - 1
    while deepest >= 0 and not has_more[deepest]:
        deepest -= 1
    if deepest < 0:
        return -1
    for place in range(deepest, depth):
        for neighbour in neighbours:
            if neighbour == way[place]:
                return place
    return -1


@compiled(inline="always")
def look_around(  # type: ignore[no-untyped-def]
    holder, neighbours, met, seen, seen_links, offsets, numbers, times
):
    """Note that the holder was met, and the links of it and its neighbours where they are new.

    Args:
        holder: The holder.
        neighbours: Its neighbours.
        met: Which nodes have held the message, (num_nodes,) bool; changed.
        seen: Those and their neighbours, (num_nodes,) bool; changed.
        seen_links: How often each id is in rows of seen nodes; changed.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        times: How often that id is in the node's row.
    """
    met[holder] = True
    if not seen[holder]:
        seen[holder] = True
        add_links(holder, offsets, numbers, times, seen_links, 1)
    for node in neighbours:
        if not seen[node]:
            seen[node] = True
            add_links(node, offsets, numbers, times, seen_links, 1)


@compiled(inline="always")
def best_with_new_links(  # type: ignore[no-untyped-def]
    neighbours, target, scores, met, seen_links, best,
    own, bags, most_gains, offsets, numbers, mates, times, gains,
):  # fmt: skip
    """Fill ``best`` with the neighbours, not met, of the highest score and gain by new links.

    Only those count that have new links or look like the target. New links are only counted where
    they can matter: a node's links bound what they can add to its score.

    Args:
        neighbours: The holder's.
        target: The target.
        scores: (num_nodes,).
        met: Which nodes have held the message, (num_nodes,) bool.
        seen_links: How often each id is in rows of seen nodes.
        best: Filled from its first entry on.
        own: The profile key of each node.
        bags: The sum of its neighbours' keys.
        most_gains: What all links of a node could add to its score.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        mates: The number of the id at the link's other end.
        times: How often that id is in the node's row.
        gains: What so many new links add to a score.

    Returns:
        How many neighbours count, or some number above 1, and how many stand in ``best``.
    """
    first = highest_bound(neighbours, met, scores, most_gains)
    highest = -np.inf
    if first >= 0:
        new = count_new_links(first, offsets, numbers, mates, times, seen_links)
        if new > 0:
            highest = scores[first] + gains[new]
    count = 0
    useful = 0
    for node in neighbours:
        if met[node] or (useful > 1 and scores[node] + most_gains[node] < highest):
            continue
        new = count_new_links(node, offsets, numbers, mates, times, seen_links)
        if new == 0 and (own[node] != own[target] or bags[node] != bags[target]):
            continue
        useful += 1
        value = scores[node] + gains[new]
        if value > highest:
            highest = value
            count = 0
        if value == highest:
            best[count] = node
            count += 1
    return useful, count


@compiled(inline="always")
def forget(  # type: ignore[no-untyped-def]
    path, hop, indptr, indices, met, met_again, seen, seen_links, offsets, numbers, times
):
    """Undo what an episode of ``hop`` hops along this path has noted.

    Args:
        path: The nodes that held the message.
        hop: How many hops it made.
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        met: Which nodes have held the message; cleared along the path.
        met_again: The same for the plain search at the end.
        seen: Those and their neighbours; cleared.
        seen_links: How often each id is in rows of seen nodes; back to 0.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        times: How often that id is in the node's row.
    """
    for k in range(hop + 1):
        node = path[k]
        met[node] = False
        met_again[node] = False
        if seen[node]:
            seen[node] = False
            add_links(node, offsets, numbers, times, seen_links, -1)
        for other in indices[indptr[node] : indptr[node + 1]]:
            if seen[other]:
                seen[other] = False
                add_links(other, offsets, numbers, times, seen_links, -1)


@compiled()
def walk_explore(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths,
    own, bags, most_gains, offsets, numbers, mates, times, num_ids, gains,
):  # fmt: skip
    """Walk one episode per source, to unmet neighbours with new links first.

    Args:
        indptr: The first ten are those of :func:`garden.search.batched_walk.walk_batch`.
        indices: See there.
        scores: See there.
        argmax: See there; the best is always chosen here.
        target: See there.
        sources: See there.
        states: See there.
        max_hops: See there.
        hops: See there.
        paths: See there.
        own: The other nine are those of :meth:`garden.search.link_tables.LinkTable.arguments`: the
            profile key of each node.
        bags: The sum of its neighbours' keys.
        most_gains: What all links of a node could add to its score.
        offsets: Where each node's links begin, (num_nodes + 1,).
        numbers: The number of each link's id.
        mates: The number of the id at the link's other end.
        times: How often that id is in the node's row.
        num_ids: (1,) how many ids there are.
        gains: What so many new links add to a score.
    """
    num_nodes = len(indptr) - 1
    met = np.zeros(num_nodes, dtype=np.bool_)
    met_again = np.zeros(num_nodes, dtype=np.bool_)  # by the plain search at the end
    seen = np.zeros(num_nodes, dtype=np.bool_)
    seen_links = np.zeros(num_ids[0], dtype=np.int64)
    way = np.empty(num_nodes, dtype=np.int64)
    has_more = np.empty(num_nodes, dtype=np.bool_)
    path = np.empty(max_hops + 1, dtype=np.int64)
    best = np.empty(np.max(np.diff(indptr)), dtype=np.int64)
    for episode in range(len(sources)):
        state = states[episode]
        holder = sources[episode]
        hop = depth = 0
        plain = False
        path[0] = holder
        while holder != target and hop < max_hops and indptr[holder] < indptr[holder + 1]:
            neighbours = indices[indptr[holder] : indptr[holder + 1]]
            state = next_state(state)
            onward = -1
            if not plain:
                look_around(holder, neighbours, met, seen, seen_links, offsets, numbers, times)
                useful, count = best_with_new_links(
                    neighbours, target, scores, met, seen_links, best,
                    own, bags, most_gains, offsets, numbers, mates, times, gains,
                )  # fmt: skip
                if useful:
                    way[depth] = holder
                    has_more[depth] = useful > 1
                    depth += 1
                    onward = best[int(uniform(state) * count)]
                else:
                    place = place_to_turn(way, has_more, depth, neighbours)
                    plain = place < 0
                    depth = max(place, 0)
                    onward = way[depth]
            if plain:
                onward, depth = backtracked(
                    holder, neighbours, met_again, scores, best, way, depth, state
                )
            holder = onward
            hop += 1
            path[hop] = holder
        hops[episode] = hop if holder == target else max_hops + 1
        if len(paths):
            for k in range(hop + 1):
                paths[episode, k] = path[k]
        forget(
            path, hop, indptr, indices, met, met_again, seen, seen_links, offsets, numbers, times
        )
