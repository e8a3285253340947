"""Compiled searches for the best order of visiting nodes. Importing this module needs numba.

All of them take ``away`` (m,) and ``between`` (m, m), whole distances from the source and among the
nodes, and ``weights`` (m,). A tour that is at node v after C_v hops costs Σ weights_v · C_v.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled

_SLOW = 8  # steps without a gain after which they become shorter
_SHORTER = 0.6  # by how much
_ENOUGH = 1e-9  # less is rounding
_LONGEST_PART = 3  # nodes that are moved together


@compiled()
def cost_of_tour(order, away, between, weights):  # type: ignore[no-untyped-def]
    """The cost of visiting the nodes in this order.

    Args:
        order: The nodes as they are visited, (m,).
        away: Whole distances from the source, (m,).
        between: Whole distances among the nodes, (m, m).
        weights: What each node's arrival counts, (m,).
    """
    hops = away[order[0]]
    cost = weights[order[0]] * hops
    for place in range(1, len(order)):
        hops += between[order[place - 1], order[place]]
        cost += weights[order[place]] * hops
    return cost


@compiled()
def least_by_subsets(away, between, weights):  # type: ignore[no-untyped-def]
    """The least cost of all tours, by dynamic programming over visited sets (Held and Karp, 1962).

    A hop costs the weights of all nodes not visited yet, so that the past counts by its set and
    its last node alone. Time m² · 2ᵐ, memory m · 2ᵐ.

    Args:
        away: Whole distances from the source, (m,).
        between: Whole distances among the nodes, (m, m).
        weights: What each node's arrival counts, (m,).
    """
    count = len(away)
    table = np.full((1 << count, count), np.inf)
    for node in range(count):
        table[1 << node, node] = away[node] * weights.sum()
    for visited in range(1, (1 << count) - 1):
        waiting = 0.0
        for node in range(count):
            if not visited >> node & 1:
                waiting += weights[node]
        for last in range(count):
            so_far = table[visited, last]
            if so_far == np.inf:
                continue
            for node in range(count):
                if not visited >> node & 1:
                    after = visited | 1 << node
                    cost = so_far + between[last, node] * waiting
                    table[after, node] = min(table[after, node], cost)
    return table[-1].min()


@compiled()
def improved_tour(order, away, between, weights):  # type: ignore[no-untyped-def]
    """The tour after parts were reversed or moved as long as that made it cheaper, (m,).

    Args:
        order: The tour to begin with, (m,); it is left as it is.
        away: Whole distances from the source, (m,).
        between: Whole distances among the nodes, (m, m).
        weights: What each node's arrival counts, (m,).
    """
    count = len(order)
    best = order.copy()
    least = cost_of_tour(best, away, between, weights)
    gains = True
    while gains:
        gains = False
        for first in range(count):
            for last in range(first + 1, count):
                other = best.copy()
                other[first : last + 1] = best[first : last + 1][::-1]
                cost = cost_of_tour(other, away, between, weights)
                if cost < least - _ENOUGH:
                    best, least, gains = other, cost, True
        for length in range(1, min(_LONGEST_PART, count - 1) + 1):
            for first in range(count - length + 1):
                for place in range(count - length + 1):
                    rest = np.concatenate((best[:first], best[first + length :]))
                    part = best[first : first + length]
                    other = np.concatenate((rest[:place], part, rest[place:]))
                    cost = cost_of_tour(other, away, between, weights)
                    if cost < least - _ENOUGH:
                        best, least, gains = other, cost, True
    return best


@compiled()
def bound_by_walks(away, between, weights, near, steps):  # type: ignore[no-untyped-def]
    """A lower bound on the cost of all tours (Lagrangian relaxation, subgradient steps).

    A tour is a walk that visits each node once. Let walks visit nodes as often as they like, but
    not v, u, v in a row, and let each visit of v pay a prize: for any prizes, the cheapest walk
    and the sum of prizes together are at most the cost of any tour. Prizes are made better step by
    step: higher where the cheapest walk does not go, lower where it goes often.

    Args:
        away: Whole distances from the source, (m,).
        between: Whole distances among the nodes, (m, m).
        weights: What each node's arrival counts, (m,).
        near: The cost of a good tour, which says how long steps are.
        steps: How many steps prizes are made better in.
    """
    count = len(away)
    longest = (count - 1) * between.max() + away.max()  # of all tours that take shortest paths
    best_of = np.empty((longest + 1, count))
    next_of = np.empty((longest + 1, count), dtype=np.int64)
    other_of = np.empty((longest + 1, count))
    other_next = np.empty((longest + 1, count), dtype=np.int64)
    prizes = np.full(count, near / count)
    best_prizes = prizes.copy()
    bound, length, slow = -np.inf, 1.0, 0
    for _ in range(steps):
        horizon = min(longest, int((prizes / weights).max()) + 1)  # later, no prize pays
        _best_ways_on(between, weights, prizes, horizon, best_of, next_of, other_of, other_next)
        cost, visits = _cheapest_walk(
            away, between, weights, prizes, horizon, best_of, next_of, other_next
        )
        found = cost + prizes.sum()
        if found > bound + _ENOUGH:
            bound, slow = found, 0
            best_prizes[:] = prizes
        else:
            slow += 1
            if slow == _SLOW:
                length, slow = length * _SHORTER, 0
                prizes[:] = best_prizes
        missing = 1.0 - visits
        if not missing.any():
            break
        prizes = prizes + length * max(0.0, near - found) / (missing**2).sum() * missing
    return bound


@compiled()
def _best_ways_on(  # type: ignore[no-untyped-def]
    between, weights, prizes, horizon, best_of, next_of, other_of, other_next
):
    """The least cost of walking on from each node at each time, and whom to visit next; −1: none.

    ``best_of`` and ``next_of`` (times, m) are the best way, ``other_of`` and ``other_next`` the
    best that visits another node next; both are filled up to the horizon.
    """
    count = len(weights)
    for time in range(horizon, -1, -1):
        for node in range(count):
            best, then, second, second_then = 0.0, -1, np.inf, -1
            for other in range(count):
                arrival = time + between[node, other]
                if other == node or arrival > horizon:
                    continue
                back = next_of[arrival, other] == node
                cost = weights[other] * arrival - prizes[other]
                cost += other_of[arrival, other] if back else best_of[arrival, other]
                if cost < best:
                    second, second_then, best, then = best, then, cost, other
                elif cost < second:
                    second, second_then = cost, other
            best_of[time, node], next_of[time, node] = best, then
            other_of[time, node], other_next[time, node] = second, second_then


@compiled()
def _cheapest_walk(  # type: ignore[no-untyped-def]
    away, between, weights, prizes, horizon, best_of, next_of, other_next
):
    """The cost of the cheapest walk from the source that visits a node, and its visits, (m,)."""
    count = len(away)
    least, node = np.inf, -1
    for first in range(count):
        cost = weights[first] * away[first] - prizes[first]
        if away[first] <= horizon:
            cost += best_of[away[first], first]
        if cost < least:
            least, node = cost, first
    visits = np.zeros(count)
    before, time = -1, away[node]
    while node >= 0:
        visits[node] += 1
        if time > horizon:
            break
        back = before >= 0 and next_of[time, node] == before
        after = other_next[time, node] if back else next_of[time, node]
        if after >= 0:
            time += between[node, after]
        before, node = node, after
    return least, visits
