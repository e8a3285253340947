"""The compiled walk of the frontier memory, hop for hop that of :mod:`garden.strategies.memory`.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.search.kernels import next_state, uniform


@compiled()
def tree_way(came_from, start, stop, up, way):  # type: ignore[no-untyped-def]
    """Write the nodes after ``start`` on the tree's way to ``stop`` into ``way``; their number.

    ``up`` is scratch, (num_nodes,), all -1 before and after.
    """
    node, steps = start, 0
    up[node] = 0
    while came_from[node] != node:
        node = came_from[node]
        steps += 1
        up[node] = steps
    meeting, descent = stop, 0
    while up[meeting] < 0:
        meeting = came_from[meeting]
        descent += 1
    climb = up[meeting]
    node = start
    for k in range(climb):
        node = came_from[node]
        way[k] = node
    node = stop
    for k in range(descent):
        way[climb + descent - 1 - k] = node
        node = came_from[node]
    node = start
    while up[node] >= 0:
        up[node] = -1
        node = came_from[node]
    return climb + descent


@compiled()
def log_total(indices, scores, start, stop):  # type: ignore[no-untyped-def]
    """The logarithm of the sum of exp(score) over one holder's neighbours."""
    highest = -np.inf
    for k in range(start, stop):
        highest = max(highest, scores[indices[k]])
    total = 0.0
    for k in range(start, stop):
        total += np.exp(scores[indices[k]] - highest)
    return np.log(total) + highest


@compiled()
def pass_by(  # type: ignore[no-untyped-def]
    indptr, indices, scores, by_score, holder, came_from, count, passed, worth, gate
):
    """Take the holder off the neighbours passed by and add its new ones; their number."""
    kept = 0
    for k in range(count):
        if passed[k] != holder:
            passed[kept], worth[kept], gate[kept] = passed[k], worth[k], gate[k]
            kept += 1
    start, stop = indptr[holder], indptr[holder + 1]
    total = 0.0 if by_score else log_total(indices, scores, start, stop)
    for k in range(start, stop):
        if came_from[indices[k]] < 0:
            passed[kept], worth[kept], gate[kept] = indices[k], scores[indices[k]] - total, holder
            kept += 1
    return kept


@compiled()
def best_passed(  # type: ignore[no-untyped-def]
    holder, count, passed, worth, gate, away, price, choices
):
    """The first of the best, and how many of them the holder itself sees, into ``choices``."""
    best, first, here = -np.inf, 0, 0
    for k in range(count):
        value = worth[k] - price * away[gate[k]]
        if value > best:
            best, first, here = value, k, 0
        if value == best and gate[k] == holder:
            choices[here] = passed[k]
            here += 1
    return first, here


@compiled()
def walk_frontier(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, target, sources, states, max_hops, hops, paths, price,
    patience, by_score,
):  # fmt: skip
    """Walk to the best neighbour passed by, less the way back; arguments as the kernels'."""
    num_nodes = len(indptr) - 1
    came_from = np.full(num_nodes, -1, dtype=np.int64)
    up = np.full(num_nodes, -1, dtype=np.int64)
    away = np.empty(num_nodes, dtype=np.int64)
    way = np.empty(num_nodes + 1, dtype=np.int64)
    met = np.empty(num_nodes, dtype=np.int64)
    held = np.empty(max_hops + 1, dtype=np.int64)
    passed, gate = np.empty(len(indices), dtype=np.int64), np.empty(len(indices), dtype=np.int64)
    worth = np.empty(len(indices))
    choices = np.empty(np.max(np.diff(indptr)), dtype=np.int64)
    for episode in range(len(sources)):
        state, holder = states[episode], sources[episode]
        hop, num_met, count, ahead, done = 0, 0, 0, 0, 0
        held[0] = holder
        while holder != target and hop < max_hops:
            state = next_state(state)
            if done == ahead:
                came_from[holder] = held[hop - 1] if num_met else holder
                met[num_met] = holder
                num_met += 1
                count = pass_by(
                    indptr, indices, scores, by_score, holder, came_from, count, passed, worth,
                    gate,
                )  # fmt: skip
                for k in range(num_met):
                    away[met[k]] = tree_way(came_from, holder, met[k], up, way)
                now = price / (1 + num_met / patience)
                first, here = best_passed(holder, count, passed, worth, gate, away, now, choices)
                done, ahead = 0, 0
                if here:
                    way[0] = choices[int(uniform(state) * here)]
                else:
                    ahead = tree_way(came_from, holder, gate[first], up, way)
                    way[ahead] = passed[first]
                ahead += 1
            holder = way[done]
            done += 1
            hop += 1
            held[hop] = holder
        hops[episode] = hop if holder == target else max_hops + 1
        for k in range(num_met):
            came_from[met[k]] = -1
        if len(paths):
            for k in range(hop + 1):
                paths[episode, k] = held[k]
