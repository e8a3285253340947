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
    """Fill ``weights`` and ``attended``; all in float32.

    Member i attends to ``tails[first[i]:first[i + 1]]``.

    Args:
        left: of every member, what others read of it, (S, M, width).
        right: what it reads others with, (S, M, width).
        attention: the vector that turns a pair into an energy, (S, width).
        first: where each member's edges begin, (M + 1,).
        tails: to whom it attends, (E,).
        slope: of the leaky rectifier below zero.
        weights: filled with the softmax over each member's edges, (S, E).
        attended: filled with weighted sums of ``left``, (S, M, width).
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
    """Add the gradients by ``left``, ``right`` and ``attention`` to the last three.

    Args:
        left: what others read of every member, as given to the forward pass.
        right: what members read others with, as given to it.
        attention: the same as there.
        first: the same as there.
        tails: the same as there.
        slope: the same as there.
        weights: as the forward pass has filled them, (S, E).
        gradient: of the loss by ``attended``, (S, M, width).
        of_left: added to, (S, M, width).
        of_right: added to, (S, M, width).
        of_attention: added to, (S, width).
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
