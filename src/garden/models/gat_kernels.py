"""Compiled graph attention over a list of edges, forward and backward, for training on a CPU.

The members of an ego graph stand side by side, so all that one member attends to fits the nearest
cache, and nothing of the size of (num_edges, width) is ever written. The plain twin is
:meth:`garden.models.gat.GraphAttention.attend`. Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


@compiled(fastmath=True)
def attend_forward(left, right, attention, first, tails, slope, weights, attended):  # type: ignore[no-untyped-def]
    """Fill ``weights`` (S, E) and ``attended`` (S, M, width).

    ``left`` and ``right`` are (S, M, width), ``attention`` (S, width), float32; member i attends to
    ``tails[first[i]:first[i + 1]]``.
    """
    num_seeds, num_members, width = left.shape
    for seed in range(num_seeds):
        vector = attention[seed]
        for i in range(num_members):
            start, stop = first[i], first[i + 1]
            query, out = right[seed, i], attended[seed, i]
            highest = np.float32(-np.inf)
            for e in range(start, stop):
                value = left[seed, tails[e]]
                energy = _ZERO
                for k in range(width):
                    x = value[k] + query[k]
                    energy += vector[k] * (x if x > _ZERO else slope * x)
                weights[seed, e] = energy
                highest = max(highest, energy)
            total = _ZERO
            for e in range(start, stop):
                power = np.exp(weights[seed, e] - highest)
                weights[seed, e] = power
                total += power
            out[:] = _ZERO
            for e in range(start, stop):
                weight = weights[seed, e] / total
                weights[seed, e] = weight
                value = left[seed, tails[e]]
                for k in range(width):
                    out[k] += weight * value[k]


@compiled(fastmath=True)
def attend_backward(  # type: ignore[no-untyped-def]
    left, right, attention, first, tails, slope, weights, gradient, of_left, of_right, of_attention
):
    """Add to ``of_left``, ``of_right`` (S, M, width) and ``of_attention`` (S, width).

    ``gradient`` is that of the loss by ``attended``, (S, M, width); the rest is as above.
    """
    num_seeds, num_members, width = left.shape
    longest = 0
    for i in range(num_members):
        longest = max(longest, first[i + 1] - first[i])
    by_weight = np.empty(longest, np.float32)
    for seed in range(num_seeds):
        vector, of_vector = attention[seed], of_attention[seed]
        for i in range(num_members):
            start, stop = first[i], first[i + 1]
            query, above, of_query = right[seed, i], gradient[seed, i], of_right[seed, i]
            mean = _ZERO
            for e in range(start, stop):
                value = left[seed, tails[e]]
                product = _ZERO
                for k in range(width):
                    product += above[k] * value[k]
                by_weight[e - start] = product
                mean += weights[seed, e] * product
            for e in range(start, stop):
                value, of_value = left[seed, tails[e]], of_left[seed, tails[e]]
                weight = weights[seed, e]
                by_energy = weight * (by_weight[e - start] - mean)
                for k in range(width):
                    x = value[k] + query[k]
                    rate = by_energy * (_ONE if x > _ZERO else slope)
                    of_vector[k] += rate * x
                    of_query[k] += rate * vector[k]
                    of_value[k] += weight * above[k] + rate * vector[k]
