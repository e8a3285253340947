"""Compiled loops of sampled walks towards one target, a function per memory.

Every kernel repeats :func:`garden.search.walk.walk` with its memory, hop for hop, and has the
arguments of :func:`garden.search.batched_walk.walk_batch`: CSR adjacency ``indptr`` and
``indices``, the target's ``scores`` (num_nodes,), ``argmax``, ``target``, then per episode
``sources`` and random ``states`` (num_episodes,), ``max_hops``, and the outputs ``hops``
(num_episodes,) and ``paths`` (num_episodes, max_hops + 1) or empty. Importing this module needs
numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined
from garden.splitmix import GOLDEN, mixed

_UNIT = 1.0 / (1 << 53)
_NEARBY = 8  # positions tried one by one before a binary search
_SIDE_BY_SIDE = 16  # walks
_mixed_word = inlined(mixed)


@compiled(inline="always")
def next_state(state):  # type: ignore[no-untyped-def]
    """The next state of an episode's random stream."""
    return state + GOLDEN


@compiled(inline="always")
def uniform(state):  # type: ignore[no-untyped-def]
    """The number in [0, 1) of a state of the stream (SplitMix64)."""
    return (_mixed_word(state) >> np.uint64(11)) * _UNIT


@compiled()
def fill_row(indices, scores, argmax, start, stop, running):  # type: ignore[no-untyped-def]
    """Fill ``running[start:stop]`` with running sums of a holder's choice weights.

    Args:
        indices: neighbours of all nodes.
        scores: (num_nodes,).
        argmax: whether the best neighbours alone are chosen.
        start: where the holder's neighbours begin.
        stop: where they end.
        running: filled between the two, (num_hops,).
    """
    best = -np.inf
    for k in range(start, stop):
        best = max(best, scores[indices[k]])
    total = 0.0
    for k in range(start, stop):
        if argmax:
            total += scores[indices[k]] == best
        else:
            total += np.exp(scores[indices[k]] - best)
        running[k] = total


@compiled(inline="always")
def pick(running, start, stop, number):  # type: ignore[no-untyped-def]
    """The first position in [start, stop) whose running sum exceeds ``number`` times the total.

    The search starts where a uniform distribution would put it and tries a few neighbours, which
    mostly finds it; a binary search bounds the rest.

    Args:
        running: running sums, as :func:`fill_row` fills them.
        start: where the holder's neighbours begin.
        stop: where they end.
        number: drawn from [0, 1).
    """
    threshold = number * running[stop - 1]
    low, high = start, stop - 1
    guess = start + int(number * (stop - start))
    if running[guess] > threshold:
        high = guess
        for _ in range(_NEARBY):
            if high == low or running[high - 1] <= threshold:
                return high
            high -= 1
    else:
        low = guess + 1
        for _ in range(_NEARBY):
            if low >= high or running[low] > threshold:
                return min(low, high)
            low += 1
    while low < high:
        middle = (low + high) >> 1
        if running[middle] > threshold:
            high = middle
        else:
            low = middle + 1
    return low


@compiled()
def walk_memoryless(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths
):
    """Walk one episode per source, without a memory.

    Running sums are made when a node first holds a message and serve all later episodes. A few
    walks go side by side, each step of a hop for all of them: on large graphs their reads of
    memory, which cannot wait for each other, overlap.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        scores: The target's row of scores, (num_nodes,) float64.
        argmax: Whether the best neighbour is chosen, uniformly among equals; softmax otherwise.
        target: The position of the target.
        sources: Where each episode starts, (num_episodes,).
        states: Each episode's random state, (num_episodes,) uint64.
        max_hops: The hop at which an episode is given up.
        hops: Filled with hops made, (num_episodes,); max_hops + 1 where truncated.
        paths: Filled with the nodes of each walk, (num_episodes, max_hops + 1); or empty.
    """
    running = np.empty(len(indices))
    known = np.zeros(len(indptr) - 1, dtype=np.bool_)
    episode, holder, hop, at, stop = np.empty((5, _SIDE_BY_SIDE), dtype=np.int64)
    state = np.empty(_SIDE_BY_SIDE, dtype=np.uint64)
    number = np.empty(_SIDE_BY_SIDE)
    begun, count = 0, 0  # episodes that were begun; walks under way
    while True:
        walk = 0
        while walk < count or (count < _SIDE_BY_SIDE and begun < len(sources)):
            if walk == count:
                episode[walk], holder[walk], hop[walk] = begun, sources[begun], 0
                state[walk] = states[begun]
                if len(paths):
                    paths[begun, 0] = sources[begun]
                begun += 1
                count += 1
            at[walk], stop[walk] = indptr[holder[walk]], indptr[holder[walk] + 1]
            if holder[walk] != target and hop[walk] < max_hops and at[walk] < stop[walk]:
                walk += 1
                continue
            hops[episode[walk]] = hop[walk] if holder[walk] == target else max_hops + 1
            count -= 1  # the last walk takes its place
            episode[walk], holder[walk], hop[walk] = episode[count], holder[count], hop[count]
            state[walk] = state[count]
        if count == 0:
            return
        for walk in range(count):
            if not known[holder[walk]]:
                fill_row(indices, scores, argmax, at[walk], stop[walk], running)
                known[holder[walk]] = True
        for walk in range(count):
            state[walk] = next_state(state[walk])
            number[walk] = uniform(state[walk])
        for walk in range(count):
            at[walk] = pick(running, at[walk], stop[walk], number[walk])
        for walk in range(count):
            holder[walk] = indices[at[walk]]
            hop[walk] += 1
            if len(paths):
                paths[episode[walk], hop[walk]] = holder[walk]


@compiled()
def walk_visited(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths
):
    """Walk one episode per source, among the neighbours that were visited least often.

    Args:
        indptr: As those of :func:`walk_memoryless`, all of them.
        indices: See there.
        scores: See there.
        argmax: See there.
        target: See there.
        sources: See there.
        states: See there.
        max_hops: See there.
        hops: See there.
        paths: See there.
    """
    num_nodes = len(indptr) - 1
    visits = np.zeros(num_nodes, dtype=np.int64)
    path = np.empty(max_hops + 1, dtype=np.int64)
    widest = np.max(np.diff(indptr))
    allowed = np.empty(widest, dtype=indices.dtype)
    running = np.empty(widest)
    for episode in range(len(sources)):
        state = states[episode]
        holder = sources[episode]
        hop = 0
        path[0] = holder
        while holder != target and hop < max_hops and indptr[holder] < indptr[holder + 1]:
            visits[holder] += 1
            least = np.int64(1) << 62
            for k in range(indptr[holder], indptr[holder + 1]):
                least = min(least, visits[indices[k]])
            count = 0
            for k in range(indptr[holder], indptr[holder + 1]):
                if visits[indices[k]] == least:
                    allowed[count] = indices[k]
                    count += 1
            fill_row(allowed, scores, argmax, 0, count, running)
            state = next_state(state)
            holder = allowed[pick(running, 0, count, uniform(state))]
            hop += 1
            path[hop] = holder
        hops[episode] = hop if holder == target else max_hops + 1
        for k in range(hop + 1):
            visits[path[k]] = 0
            if len(paths):
                paths[episode, k] = path[k]


@compiled(inline="always")
def best_new(neighbours, met, scores, best):  # type: ignore[no-untyped-def]
    """Fill ``best`` with the neighbours, not met, of the highest score.

    Args:
        neighbours: The holder's.
        met: Which nodes have held the message, (num_nodes,) bool.
        scores: (num_nodes,).
        best: Filled from its first entry on.

    Returns:
        How many they are.
    """
    highest = -np.inf
    count = 0
    for node in neighbours:
        if met[node]:
            continue
        if scores[node] > highest:
            highest = scores[node]
            count = 0
        if scores[node] == highest:
            best[count] = node
            count += 1
    return count


@compiled(inline="always")
def backtracked(  # type: ignore[no-untyped-def]
    holder, neighbours, met, scores, best, way, depth, state
):
    """One hop of a depth-first search.

    Args:
        holder: The holder.
        neighbours: Its neighbours.
        met: Which nodes have held the message, (num_nodes,) bool; changed.
        scores: (num_nodes,).
        best: Scratch, as long as the largest degree.
        way: The nodes from the source to the holder; changed.
        depth: How many they are.
        state: The random state that the hop is drawn by.

    Returns:
        The next holder, and how many nodes ``way`` has then.
    """
    if not met[holder]:
        met[holder] = True
        way[depth] = holder
        depth += 1
    count = best_new(neighbours, met, scores, best)
    if count:
        return best[int(uniform(state) * count)], depth
    return way[depth - 2], depth - 1


@compiled()
def walk_backtrack(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths
):
    """Walk one episode per source, depth first: the best unvisited neighbour, else one hop back.

    Args:
        indptr: As those of :func:`walk_memoryless`, all of them.
        indices: See there.
        scores: See there.
        argmax: See there; the best is always chosen here.
        target: See there.
        sources: See there.
        states: See there.
        max_hops: See there.
        hops: See there.
        paths: See there.
    """
    num_nodes = len(indptr) - 1
    visited = np.zeros(num_nodes, dtype=np.bool_)
    stack = np.empty(num_nodes, dtype=np.int64)
    path = np.empty(max_hops + 1, dtype=np.int64)
    best = np.empty(np.max(np.diff(indptr)), dtype=np.int64)
    for episode in range(len(sources)):
        state = states[episode]
        holder = sources[episode]
        hop = 0
        depth = 0
        path[0] = holder
        while holder != target and hop < max_hops and indptr[holder] < indptr[holder + 1]:
            neighbours = indices[indptr[holder] : indptr[holder + 1]]
            state = next_state(state)
            holder, depth = backtracked(
                holder, neighbours, visited, scores, best, stack, depth, state
            )
            hop += 1
            path[hop] = holder
        hops[episode] = hop if holder == target else max_hops + 1
        for k in range(hop + 1):
            visited[path[k]] = False
            if len(paths):
                paths[episode, k] = path[k]
