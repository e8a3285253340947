"""The compiled walk of the frontier memory (best-first search).

Hop for hop it repeats :class:`garden.strategies.frontier.FrontierMemory`. A message remembers the
tree of its visited nodes (``parents``; the source is its own parent) and the frontier: neighbours
that it has seen and not visited, with their ``values`` and the node they were ``seen_from``. It
goes to the frontier node with the highest value minus price · (hops back through the tree).
Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.search.kernels import next_state, uniform


@compiled()
def tree_path(parents, start, stop, climbs, route):  # type: ignore[no-untyped-def]
    """Fill ``route`` with the nodes after ``start`` on the tree path to ``stop``.

    Args:
        parents: Each visited node's parent, (num_nodes,); −1 where a node was not visited.
        start: The node where the path begins.
        stop: The node where it ends.
        climbs: Scratch, (num_nodes,), all −1 before and after.
        route: Filled from its first entry on.

    Returns:
        The number of hops on the path.
    """
    node, steps = start, 0
    climbs[node] = 0
    while parents[node] != node:
        node = parents[node]
        steps += 1
        climbs[node] = steps
    meeting, descent = stop, 0
    while climbs[meeting] < 0:
        meeting = parents[meeting]
        descent += 1
    climb = climbs[meeting]
    node = start
    for k in range(climb):
        node = parents[node]
        route[k] = node
    node = stop
    for k in range(descent):
        route[climb + descent - 1 - k] = node
        node = parents[node]
    node = start
    while climbs[node] >= 0:
        climbs[node] = -1
        node = parents[node]
    return climb + descent


@compiled()
def log_total(indices, scores, start, stop):  # type: ignore[no-untyped-def]
    """The log of Σ exp(score) over a holder's neighbours, ``indices[start:stop]``.

    Args:
        indices: neighbours of all nodes.
        scores: (num_nodes,).
        start: where the holder's neighbours begin.
        stop: where they end.
    """
    highest = -np.inf
    for k in range(start, stop):
        highest = max(highest, scores[indices[k]])
    total = 0.0
    for k in range(start, stop):
        total += np.exp(scores[indices[k]] - highest)
    return np.log(total) + highest


@compiled()
def extend_frontier(  # type: ignore[no-untyped-def]
    indptr, indices, scores, by_score, holder, parents, count, frontier, values, seen_from
):
    """Take the holder off the frontier and add its unvisited neighbours.

    The first ``count`` entries of ``frontier``, ``values`` and ``seen_from`` are in use.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        scores: (num_nodes,).
        by_score: Whether a neighbour's value is its score, or its log-probability under softmax
            here.
        holder: The holder.
        parents: Each visited node's parent, −1 where a node was not visited.
        count: How many nodes the frontier has.
        frontier: Those nodes.
        values: The value of each.
        seen_from: The visited node that has it as a neighbour.

    Returns:
        How many nodes the frontier has then.
    """
    kept = 0
    for k in range(count):
        if frontier[k] != holder:
            frontier[kept], values[kept], seen_from[kept] = frontier[k], values[k], seen_from[k]
            kept += 1
    start, stop = indptr[holder], indptr[holder + 1]
    total = 0.0 if by_score else log_total(indices, scores, start, stop)
    for k in range(start, stop):
        if parents[indices[k]] < 0:
            frontier[kept], seen_from[kept] = indices[k], holder
            values[kept] = scores[indices[k]] - total
            kept += 1
    return kept


@compiled()
def best_of_frontier(  # type: ignore[no-untyped-def]
    holder, count, frontier, values, seen_from, tree_distances, price, choices
):
    """The best frontier nodes by value minus price · hops back.

    Args:
        holder: The holder.
        count: How many nodes the frontier has.
        frontier: Those nodes.
        values: The value of each.
        seen_from: The visited node that has it as a neighbour.
        tree_distances: Hops from the holder back to each visited node.
        price: What a hop costs now.
        choices: Filled from its first entry on.

    Returns:
        The index of the first of the best, and how many of the best are neighbours of the holder
        itself; those are written to ``choices``.
    """
    best, first, num_choices = -np.inf, 0, 0
    for k in range(count):
        value = values[k] - price * tree_distances[seen_from[k]]
        if value > best:
            best, first, num_choices = value, k, 0
        if value == best and seen_from[k] == holder:
            choices[num_choices] = frontier[k]
            num_choices += 1
    return first, num_choices


@compiled()
def walk_frontier(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths, price,
    patience, by_score,
):  # fmt: skip
    """Walk one episode per source.

    After n visited nodes a hop back costs price / (1 + n / patience).

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
        price: Of the first hop back, ``hop_price`` of the memory.
        patience: Visited nodes at which the price has fallen by half.
        by_score: Whether values are scores, or log-probabilities at their holder.
    """
    num_nodes = len(indptr) - 1
    parents = np.full(num_nodes, -1, dtype=np.int64)
    climbs = np.full(num_nodes, -1, dtype=np.int64)
    tree_distances = np.empty(num_nodes, dtype=np.int64)
    route = np.empty(num_nodes + 1, dtype=np.int64)
    visited = np.empty(num_nodes, dtype=np.int64)
    path = np.empty(max_hops + 1, dtype=np.int64)
    frontier = np.empty(len(indices), dtype=np.int64)
    seen_from = np.empty(len(indices), dtype=np.int64)
    values = np.empty(len(indices))
    choices = np.empty(np.max(np.diff(indptr)), dtype=np.int64)
    for episode in range(len(sources)):
        state, holder = states[episode], sources[episode]
        hop, num_visited, count, length, done = 0, 0, 0, 0, 0
        path[0] = holder
        while holder != target and hop < max_hops and indptr[holder] < indptr[holder + 1]:
            state = next_state(state)
            if done == length:
                parents[holder] = path[hop - 1] if num_visited else holder
                visited[num_visited] = holder
                num_visited += 1
                count = extend_frontier(
                    indptr, indices, scores, by_score, holder, parents, count, frontier, values,
                    seen_from,
                )  # fmt: skip
                for k in range(num_visited):
                    node = visited[k]
                    tree_distances[node] = tree_path(parents, holder, node, climbs, route)
                now = price / (1 + num_visited / patience)
                first, num_choices = best_of_frontier(
                    holder, count, frontier, values, seen_from, tree_distances, now, choices
                )
                done, length = 0, 0
                if num_choices:
                    route[0] = choices[int(uniform(state) * num_choices)]
                else:
                    length = tree_path(parents, holder, seen_from[first], climbs, route)
                    route[length] = frontier[first]
                length += 1
            holder = route[done]
            done += 1
            hop += 1
            path[hop] = holder
        hops[episode] = hop if holder == target else max_hops + 1
        for k in range(num_visited):
            parents[visited[k]] = -1
        if len(paths):
            for k in range(hop + 1):
                paths[episode, k] = path[k]
