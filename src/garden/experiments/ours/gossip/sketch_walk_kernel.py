"""The compiled loop of walks by sketches: a candidate is scored when a holder first looks at it.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.search.kernels import next_state, uniform
from garden.strategies.gossip.score_kernel import score_of, with_entry

_FREE = -1  # a node that the card does not name
_FAR = 1 << 30  # more than any sum


@compiled()
def walk_by_sketches(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    nodes,
    distances,
    at,
    others,
    others_at,
    goal_nodes,
    goal_distances,
    goal_at,
    goal_others,
    goal_others_at,
    prices,
    targets,
    first_walk,
    sources,
    states,
    backtrack,
    max_hops,
    hops,
    paths,
):
    """Walk ``first_walk[t]`` … ``first_walk[t + 1] − 1`` towards ``targets[t]``, for every t.

    Args:
        indptr: Where each node's neighbours start in ``indices``, (num_nodes + 1,).
        indices: Neighbours, node after node.
        nodes: The nodes of all entries of sketches, node after node.
        distances: The distances of those entries.
        at: Where each node's entries start, (num_nodes + 1,).
        others: Neighbours that are no entries of their node's sketch, node after node.
        others_at: Where each node's others start, (num_nodes + 1,).
        goal_nodes: As ``nodes``, of the cards: a row per target.
        goal_distances: As ``distances``, of the cards.
        goal_at: As ``at``, of the cards, (num_targets + 1,).
        goal_others: As ``others``, of the cards.
        goal_others_at: As ``others_at``, of the cards, (num_targets + 1,).
        prices: What a candidate's score is lowered by, (num_nodes,).
        targets: The targets, (num_targets,).
        first_walk: Where each target's walks start, (num_targets + 1,).
        sources: Of the walks, (num_walks,).
        states: Random states of the walks, (num_walks,).
        backtrack: Whether visited nodes are avoided, and a dead end is left by one hop back.
        max_hops: The limit of hops.
        hops: (num_walks,), filled; max_hops + 1 where truncated.
        paths: (num_walks, max_hops + 1), filled, or empty.
    """
    num_nodes = len(indptr) - 1
    named = np.full(num_nodes, _FREE, dtype=np.int32)  # distances on the card of the target
    scores = np.empty(num_nodes)
    scored_for = np.full(num_nodes, -1, dtype=np.int64)
    visited = np.zeros(num_nodes, dtype=np.bool_)
    stack = np.empty(max_hops + 1, dtype=np.int64)
    path = np.empty(max_hops + 1, dtype=np.int64)
    best_ones = np.empty(np.max(np.diff(indptr)), dtype=np.int64)
    for number in range(len(targets)):
        target = targets[number]
        for entry in range(goal_at[number], goal_at[number + 1]):
            named[goal_nodes[entry]] = goal_distances[entry]
        for entry in range(goal_others_at[number], goal_others_at[number + 1]):
            named[goal_others[entry]] = 1
        for episode in range(first_walk[number], first_walk[number + 1]):
            state = states[episode]
            holder = sources[episode]
            path[0] = holder
            hop = depth = 0
            while holder != target and hop < max_hops:
                if backtrack and not visited[holder]:
                    visited[holder] = True
                    stack[depth] = holder
                    depth += 1
                best = -np.inf
                count = 0
                for k in range(indptr[holder], indptr[holder + 1]):
                    count += indices[k] == target
                start, stop = indptr[holder], indptr[holder + 1]
                if count:  # it alone has sum 0, and nobody else need be scored
                    best_ones[0] = target
                    stop = start
                for k in range(start, stop):
                    candidate = indices[k]
                    if visited[candidate]:
                        continue
                    if scored_for[candidate] != number:
                        scored_for[candidate] = number
                        score = _score(nodes, distances, at, others, others_at, named, candidate)
                        scores[candidate] = score - prices[candidate]
                    score = scores[candidate]
                    if score > best:
                        best = score
                        count = 0
                    if score == best:
                        best_ones[count] = candidate
                        count += 1
                state = next_state(state)
                if count:
                    holder = best_ones[int(uniform(state) * count)]
                else:
                    depth -= 1
                    holder = stack[depth - 1]
                hop += 1
                path[hop] = holder
            hops[episode] = hop if holder == target else max_hops + 1
            for k in range(hop + 1):
                visited[path[k]] = False
                if len(paths):
                    paths[episode, k] = path[k]
        for entry in range(goal_at[number], goal_at[number + 1]):
            named[goal_nodes[entry]] = _FREE
        for entry in range(goal_others_at[number], goal_others_at[number + 1]):
            named[goal_others[entry]] = _FREE


@compiled()
def _score(nodes, distances, at, others, others_at, named, row):  # type: ignore[no-untyped-def]
    """The score of ``beacons`` of one row."""
    best = np.int64(_FAR)
    bound = np.int64(0)
    reach = nearly = 0
    for entry in range(at[row], at[row + 1]):
        found = np.int64(named[nodes[entry]])
        if found != _FREE:
            best, bound, reach, nearly = with_entry(
                best, bound, reach, nearly, np.int64(distances[entry]), found
            )
    for entry in range(others_at[row], others_at[row + 1]):
        found = np.int64(named[others[entry]])
        if found != _FREE:
            best, bound, reach, nearly = with_entry(best, bound, reach, nearly, np.int64(1), found)
    return score_of(best, bound, reach, nearly)
