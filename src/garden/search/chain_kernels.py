"""Compiled loops of exact chains, one target at a time.

Importing this module needs numba. :func:`chain_of_target` repeats the plain definition in
:mod:`garden.search.chain`; :func:`ratio_sums` does so but for rounding.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined

_VANISHES = -746.0  # exp is 0 below it
_ABSORBED = -37.0  # exp is lost below it where it is added to a sum of at least 1
_TOGETHER = 4  # rows whose sums advance side by side, as one addition must await the last


@compiled()
def fill_chances(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, starts, stops, heads, chances
):
    """The hops that can happen: ``heads`` and ``chances`` of ``node`` from its start to its stop.

    Chances are differences of running sums of the choice weights, over the sum of all. Those of
    nought are left out: they would add nought to whatever is made of them.
    """
    count = np.uint64(0)
    for node in range(len(indptr) - 1):
        best = -np.inf
        for k in range(indptr[node], indptr[node + 1]):
            best = max(best, scores[indices[k]])
        starts[node] = count
        total = 0.0
        least = 0.0 if argmax else _VANISHES
        for k in range(indptr[node], indptr[node + 1]):
            gap = scores[indices[k]] - best
            if gap < least:
                continue
            before = total
            if gap == 0.0:
                total += 1.0
                least = max(least, _ABSORBED)
            else:
                total += np.exp(gap)
            if total != before:
                heads[count] = indices[k]
                chances[count] = total - before
                count += np.uint64(1)
        stops[node] = count
        for k in range(starts[node], count):
            chances[k] /= total


@compiled()
def advance(order, starts, stops, heads, chances, on_way, moved):  # type: ignore[no-untyped-def]
    """``moved`` = chances × ``on_way``, each row summed from first to last.

    ``order`` names the rows, the shortest first, so that those taken together end together.
    """
    last = len(order) - len(order) % _TOGETHER
    for i in range(0, last, _TOGETHER):
        a, b, c, d = order[i], order[i + 1], order[i + 2], order[i + 3]
        at_a, at_b, at_c, at_d = starts[a], starts[b], starts[c], starts[d]
        sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
        length = stops[a] - at_a
        for k in range(length):
            sum_a += chances[at_a + k] * on_way[heads[at_a + k]]
            sum_b += chances[at_b + k] * on_way[heads[at_b + k]]
            sum_c += chances[at_c + k] * on_way[heads[at_c + k]]
            sum_d += chances[at_d + k] * on_way[heads[at_d + k]]
        moved[a] = sum_a
        moved[b] = rest_of_row(sum_b, at_b + length, stops[b], heads, chances, on_way)
        moved[c] = rest_of_row(sum_c, at_c + length, stops[c], heads, chances, on_way)
        moved[d] = rest_of_row(sum_d, at_d + length, stops[d], heads, chances, on_way)
    for i in range(last, len(order)):
        node = order[i]
        moved[node] = rest_of_row(0.0, starts[node], stops[node], heads, chances, on_way)


@inlined
def rest_of_row(total, start, stop, heads, chances, on_way):  # type: ignore[no-untyped-def]
    """``total`` and the terms from ``start`` on, added one by one."""
    for k in range(start, stop):
        total += chances[k] * on_way[heads[k]]
    return total


@compiled()
def chain_of_target(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    scores,
    argmax,
    target,
    max_hops,
    negligible,
    sources,
    expected,
    truncated,
    survival,
):
    """Fill ``expected`` and ``truncated``, (num_nodes,), and ``survival``, (num_sources, hops + 1).

    ``survival[i, k]`` is the chance that a message from ``sources[i]`` is on its way after k hops.
    """
    num_nodes = len(indptr) - 1
    # Unsigned, since a signed number could count from the end, which is checked at each use.
    starts = np.empty(num_nodes, dtype=np.uint64)
    stops = np.empty(num_nodes, dtype=np.uint64)
    heads = np.empty(len(indices), dtype=np.uint32)
    chances = np.empty(len(indices))
    fill_chances(indptr, indices, scores, argmax, starts, stops, heads, chances)
    order = np.argsort(stops - starts)
    on_way = np.ones(num_nodes)
    moved = np.empty(num_nodes)
    on_way[target] = 0.0
    expected[:] = 0.0
    survival[:, :] = 0.0
    for i in range(len(sources)):
        survival[i, 0] = on_way[sources[i]]
    for hop in range(1, max_hops + 1):
        for node in range(num_nodes):
            expected[node] += on_way[node]
        advance(order, starts, stops, heads, chances, on_way, moved)
        moved[target] = 0.0
        on_way, moved = moved, on_way
        if np.max(on_way) < negligible:
            on_way[:] = 0.0
            break
        for i in range(len(sources)):
            survival[i, hop] = on_way[sources[i]]
    truncated[:] = on_way


@compiled()
def ratio_sums(  # type: ignore[no-untyped-def]
    indptr, indices, scores, rows, temperatures, targets, max_hops, negligible, worth, sums
):
    """Σ ``worth`` · E[min(hops, max_hops)] over all sources, for each chain, into ``sums``.

    Chain c goes to ``targets[c]`` by ``scores[rows[c]]`` at ``temperatures[c]``; what a source is
    worth, ``worth[rows[c]]``, is nought for the target. A hop from i to j has the chance w_j / Σ w
    of i's neighbours, w = exp(score / temperature): what is summed over neighbours is the same
    whoever sums, so that no chances are kept and one look at an edge serves all chains. Scores
    over a temperature must not spread beyond what exp can hold.
    """
    num_nodes, width = len(indptr) - 1, len(rows)
    weights = np.empty((num_nodes, width))
    shares = np.empty((num_nodes, width))
    counts = np.empty((num_nodes, width))
    for c in range(width):
        middle = 0.5 * (np.max(scores[rows[c]]) + np.min(scores[rows[c]]))
        for node in range(num_nodes):
            weights[node, c] = np.exp((scores[rows[c], node] - middle) / temperatures[c])
            counts[node, c] = worth[rows[c], node]
    total = np.empty(width)
    for node in range(num_nodes):
        sum_of_neighbours(indptr, indices, weights, node, total)
        shares[node] = 1.0 / total
    held = weights.copy()  # the chance of being on the way at a node, times its weight
    moved = np.empty((num_nodes, width))
    for c in range(width):
        sums[c] = np.sum(worth[rows[c]])
        held[targets[c], c] = 0.0
    for _ in range(1, max_hops):
        most = 0.0
        for node in range(num_nodes):
            sum_of_neighbours(indptr, indices, held, node, total)
            for c in range(width):
                on_way = total[c] * shares[node, c]
                moved[node, c] = on_way * weights[node, c]
                sums[c] += on_way * counts[node, c]
                most = max(most, on_way)
        for c in range(width):
            moved[targets[c], c] = 0.0
        held, moved = moved, held
        if most < negligible:
            break


@inlined
def sum_of_neighbours(indptr, indices, table, node, total):  # type: ignore[no-untyped-def]
    """The sum of the rows of a node's neighbours, into ``total``."""
    total[:] = 0.0
    for k in range(indptr[node], indptr[node + 1]):
        row = table[indices[k]]
        for c in range(len(total)):
            total[c] += row[c]
