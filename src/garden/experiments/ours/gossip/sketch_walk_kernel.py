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
    graph, rows, cards, prices, targets, walks, backtrack, max_hops, hops, paths
):
    """Walk ``first_walk[t]`` … ``first_walk[t + 1] − 1`` towards ``targets[t]``, for every t.

    Args:
        graph: Where each node's neighbours start, (num_nodes + 1,), and the neighbours.
        rows: Of each node its entries' nodes and distances and where they start, (num_nodes + 1,),
            then its neighbours that are no entries and where they start: five arrays.
        cards: The same of each target.
        prices: What a candidate's score is lowered by, (num_nodes,).
        targets: The targets, (num_targets,).
        walks: ``first_walk``, (num_targets + 1,), and of all walks their sources and random
            states, (num_walks,).
        backtrack: Whether visited nodes are avoided, and a dead end is left by one hop back.
        max_hops: The limit of hops.
        hops: (num_walks,), filled; max_hops + 1 where truncated.
        paths: (num_walks, max_hops + 1), filled, or empty.
    """
    first_walk, sources, states = walks
    num_nodes = len(graph[0]) - 1
    named = np.full(num_nodes, _FREE, dtype=np.int32)  # distances on the card of the target
    scores = np.empty(num_nodes)
    scored_for = np.full(num_nodes, -1, dtype=np.int64)
    visited = np.zeros(num_nodes, dtype=np.bool_)
    stack = np.empty(max_hops + 1, dtype=np.int64)
    path = np.empty(max_hops + 1, dtype=np.int64)
    best_ones = np.empty(np.max(np.diff(graph[0])), dtype=np.int64)
    for number in range(len(targets)):
        target = targets[number]
        _name_entries(named, cards, number, forget=False)
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
                count = _best_neighbours(
                    graph, rows, prices, named, visited, scores, scored_for, number, target,
                    holder, best_ones,
                )  # fmt: skip
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
        _name_entries(named, cards, number, forget=True)


@compiled()
def _name_entries(named, cards, number, forget):  # type: ignore[no-untyped-def]
    """Write down how far the nodes that a card names are from its owner, or forget it again."""
    nodes, distances, at, others, others_at = cards
    for entry in range(at[number], at[number + 1]):
        named[nodes[entry]] = _FREE if forget else distances[entry]
    for entry in range(others_at[number], others_at[number + 1]):
        named[others[entry]] = _FREE if forget else 1


@compiled()
def _best_neighbours(  # type: ignore[no-untyped-def]
    graph, rows, prices, named, visited, scores, scored_for, number, target, holder, best_ones
):
    """How many of the holder's neighbours score best; they are put in ``best_ones``.

    ``scores`` are kept while ``scored_for`` says that they are of this target's ``number``.
    """
    indptr, indices = graph
    start, stop = indptr[holder], indptr[holder + 1]
    for k in range(start, stop):
        if indices[k] == target:  # it alone has sum 0, and nobody else need be scored
            best_ones[0] = target
            return 1
    best = -np.inf
    count = 0
    for k in range(start, stop):
        candidate = indices[k]
        if visited[candidate]:
            continue
        if scored_for[candidate] != number:
            scored_for[candidate] = number
            scores[candidate] = _score(rows, named, candidate) - prices[candidate]
        score = scores[candidate]
        if score > best:
            best = score
            count = 0
        if score == best:
            best_ones[count] = candidate
            count += 1
    return count


@compiled()
def _score(rows, named, row):  # type: ignore[no-untyped-def]
    """The score of ``beacons`` of one row."""
    nodes, distances, at, others, others_at = rows
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
