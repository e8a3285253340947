"""Compiled loops of exact chains; the notation is that of :mod:`garden.search.chain`.

:func:`solve_chain_compiled` gives the bits of :func:`garden.search.chain.solve_chain_plain`;
:func:`ratio_sums` equals the exact sums of :mod:`garden.search.temperature_tuning` up to rounding.
Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined

_VANISHES = -746.0  # exp is 0 below it
_ABSORBED = -37.0  # exp is lost below it where it is added to a sum of at least 1
_ROWS_AT_ONCE = 4  # rows summed side by side: an addition must wait for the one before it


@compiled()
def fill_transitions(  # type: ignore[no-untyped-def]
    indptr, indices, scores, argmax, starts, stops, heads, probabilities
):
    """The transition matrix P_t without its zeros, as rows of ``heads`` and ``probabilities``.

    Row u stands in [starts[u], stops[u]). A probability is the difference of two running sums of
    the choice weights, over their total: so does :func:`garden.strategies.selection.choose` draw.

    Args:
        indptr: CSR adjacency: where each node's neighbours begin.
        indices: the neighbours of all nodes.
        scores: of all nodes towards the target, (num_nodes,).
        argmax: whether the best neighbours alone are chosen.
        starts: where each row of the matrix begins, (num_nodes,).
        stops: where it ends, (num_nodes,).
        heads: filled, (num_hops,): the neighbours whose probability is not 0.
        probabilities: filled, (num_hops,): of these.
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
                probabilities[count] = total - before
                count += np.uint64(1)
        stops[node] = count
        for k in range(starts[node], count):
            probabilities[k] /= total


@compiled()
def apply_transitions(  # type: ignore[no-untyped-def]
    order, starts, stops, heads, probabilities, survival, following
):
    """``following`` = P_t · ``survival``, (num_nodes,); each row is summed from first to last.

    ``order`` lists the rows from the shortest on, so that rows summed side by side end together.

    Args:
        order: the rows by length, (num_nodes,).
        starts: where each row of the matrix begins, (num_nodes,).
        stops: where it ends, (num_nodes,).
        heads: the neighbours of each row whose probability is not 0.
        probabilities: of these.
        survival: how likely each source is still under way, (num_nodes,).
        following: filled with the same a hop later, (num_nodes,).
    """
    last = len(order) - len(order) % _ROWS_AT_ONCE
    for i in range(0, last, _ROWS_AT_ONCE):
        a, b, c, d = order[i], order[i + 1], order[i + 2], order[i + 3]
        at_a, at_b, at_c, at_d = starts[a], starts[b], starts[c], starts[d]
        sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
        length = stops[a] - at_a
        for k in range(length):
            sum_a += probabilities[at_a + k] * survival[heads[at_a + k]]
            sum_b += probabilities[at_b + k] * survival[heads[at_b + k]]
            sum_c += probabilities[at_c + k] * survival[heads[at_c + k]]
            sum_d += probabilities[at_d + k] * survival[heads[at_d + k]]
        following[a] = sum_a
        following[b] = rest_of_row(sum_b, at_b + length, stops[b], heads, probabilities, survival)
        following[c] = rest_of_row(sum_c, at_c + length, stops[c], heads, probabilities, survival)
        following[d] = rest_of_row(sum_d, at_d + length, stops[d], heads, probabilities, survival)
    for i in range(last, len(order)):
        node = order[i]
        following[node] = rest_of_row(
            0.0, starts[node], stops[node], heads, probabilities, survival
        )


@inlined
def rest_of_row(total, start, stop, heads, probabilities, survival):  # type: ignore[no-untyped-def]
    """The sum of a row's terms, the rest of them added one by one.

    Args:
        total: The sum so far.
        start: Where the rest begins.
        stop: Where the row ends.
        heads: The neighbours of all rows whose probability is not 0.
        probabilities: Of these.
        survival: How likely each source is still under way, (num_nodes,).
    """
    for k in range(start, stop):
        total += probabilities[k] * survival[heads[k]]
    return total


@compiled()
def solve_chain_compiled(  # type: ignore[no-untyped-def]
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
    survival_of_sources,
):
    """The chain of one target, as :func:`garden.search.chain.solve_chain_plain` defines it.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        scores: The target's row of scores f_t, (num_nodes,) float64.
        argmax: Whether selection is argmax; softmax otherwise.
        target: The position of the target.
        max_hops: The hop at which an episode is truncated, T.
        negligible: Once all of s_k is below it, the chain counts as absorbed.
        sources: Whose survival is recorded, (num_sources,) int64.
        expected: Filled with E[min(H, T)], (num_nodes,).
        truncated: Filled with s_T, (num_nodes,).
        survival_of_sources: Filled with s_0 … s_T of ``sources``, (num_sources, max_hops + 1).
    """
    num_nodes = len(indptr) - 1
    # Unsigned: a signed index may be negative, which compiled code would check at each use.
    starts = np.empty(num_nodes, dtype=np.uint64)
    stops = np.empty(num_nodes, dtype=np.uint64)
    heads = np.empty(len(indices), dtype=np.uint32)
    probabilities = np.empty(len(indices))
    fill_transitions(indptr, indices, scores, argmax, starts, stops, heads, probabilities)
    order = np.argsort(stops - starts)
    survival = np.ones(num_nodes)
    following = np.empty(num_nodes)
    survival[target] = 0.0
    expected[:] = 0.0
    survival_of_sources[:, :] = 0.0
    for i in range(len(sources)):
        survival_of_sources[i, 0] = survival[sources[i]]
    for hop in range(1, max_hops + 1):
        for node in range(num_nodes):
            expected[node] += survival[node]
        apply_transitions(order, starts, stops, heads, probabilities, survival, following)
        following[target] = 0.0
        survival, following = following, survival
        if np.max(survival) < negligible:
            survival[:] = 0.0
            break
        for i in range(len(sources)):
            survival_of_sources[i, hop] = survival[sources[i]]
    truncated[:] = survival


@compiled()
def ratio_sums(  # type: ignore[no-untyped-def]
    indptr, indices, scores, rows, temperatures, targets, max_hops, negligible, per_hop, sums
):
    """Σ_u E[min(H, T)] / d(u, t) over all sources u, of many chains at once.

    Chain c goes to ``targets[c]`` by ``scores[rows[c]]`` at temperature τ = ``temperatures[c]``.
    The numerator of P_t(u → v), w(v) = exp(f_t(v) / τ), does not depend on u. With the weighted
    survival g_k(v) = w(v) s_k(v), the recursion becomes ::

        s_k(u) = Σ_{v ∈ N(u)} g_{k−1}(v) / Σ_{x ∈ N(u)} w(x),

    so that no matrix is stored and one pass over the edges serves all chains.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        scores: f_t of each target, (num_targets, num_nodes); over a temperature they must not
            spread beyond what exp can hold.
        rows: Each chain's row of ``scores`` and ``per_hop``, (num_chains,).
        temperatures: Each chain's temperature, (num_chains,).
        targets: Each chain's target, (num_chains,).
        max_hops: The hop at which an episode is truncated, T.
        negligible: Once all of s_k is below it, the chains count as absorbed.
        per_hop: 1 / d(u, t) of each source, (num_targets, num_nodes); 0 where it does not count.
        sums: Filled with the sum of each chain, (num_chains,).
    """
    num_nodes, width = len(indptr) - 1, len(rows)
    weights = np.empty((num_nodes, width))
    inverse_totals = np.empty((num_nodes, width))
    factors = np.empty((num_nodes, width))
    for c in range(width):
        middle = 0.5 * (np.max(scores[rows[c]]) + np.min(scores[rows[c]]))
        for node in range(num_nodes):
            weights[node, c] = np.exp((scores[rows[c], node] - middle) / temperatures[c])
            factors[node, c] = per_hop[rows[c], node]
    total = np.empty(width)
    for node in range(num_nodes):
        sum_of_neighbours(indptr, indices, weights, node, total)
        inverse_totals[node] = 1.0 / total
    weighted = weights.copy()  # g_0
    following = np.empty((num_nodes, width))
    for c in range(width):
        sums[c] = np.sum(per_hop[rows[c]])
        weighted[targets[c], c] = 0.0
    for _ in range(1, max_hops):
        most = 0.0
        for node in range(num_nodes):
            sum_of_neighbours(indptr, indices, weighted, node, total)
            for c in range(width):
                survival = total[c] * inverse_totals[node, c]
                following[node, c] = survival * weights[node, c]
                sums[c] += survival * factors[node, c]
                most = max(most, survival)
        for c in range(width):
            following[targets[c], c] = 0.0
        weighted, following = following, weighted
        if most < negligible:
            break


@inlined
def sum_of_neighbours(indptr, indices, table, node, total):  # type: ignore[no-untyped-def]
    """Fill ``total``, (width,), with the sum of the rows of ``table`` of a node's neighbours.

    Args:
        indptr: CSR adjacency: where each node's neighbours begin.
        indices: the neighbours of all nodes.
        table: a row per node, (num_nodes, width).
        node: whose neighbours count.
        total: filled, (width,).
    """
    total[:] = 0.0
    for k in range(indptr[node], indptr[node + 1]):
        row = table[indices[k]]
        for c in range(len(total)):
            total[c] += row[c]
