"""The network of `universal` for a few pairs, compiled: what a peer runs on its neighbours.

BLAS is made for many rows; on twenty of them it costs as much, and on some processors slows down
what is computed next. Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined

_AT_ONCE = 4  # rows that share one reading of a weight


@compiled(fastmath={"contract"})
def fill_scores(  # type: ignore[no-untyped-def]
    likeness, mean, scale, first, first_bias, second, second_bias, last, last_bias, widest,
    recognised, bound, out,
):  # fmt: skip
    """Write the score of each row of ``likeness`` into ``out``."""
    num_rows, hidden = len(likeness), first.shape[1]
    inputs = np.empty_like(likeness)
    for row in range(num_rows):
        for column in range(likeness.shape[1]):
            value = (likeness[row, column] - mean[column]) * scale[column]
            inputs[row, column] = min(max(value, -widest), widest)
    before, after = (
        np.empty((num_rows, hidden), np.float32),
        np.empty((num_rows, hidden), np.float32),
    )
    told = np.empty((num_rows, last.shape[1]), np.float32)
    _layer(inputs, first, first_bias, before)
    _silu(before)
    _layer(before, second, second_bias, after)
    _silu(after)
    _layer(after, last, last_bias, told)
    for row in range(num_rows):
        score = bound * np.tanh(np.float64(told[row, 1]) / bound)
        for column in recognised:
            if likeness[row, column] != 0:
                score += told[row, 0]
                break
        out[row] = score


@inlined
def _layer(inputs, weight, bias, out):  # type: ignore[no-untyped-def]
    num_rows = len(inputs)
    together = num_rows - num_rows % _AT_ONCE
    for row in range(num_rows):
        out[row] = bias
    for row in range(0, together, _AT_ONCE):
        for place in range(inputs.shape[1]):
            a, b = inputs[row, place], inputs[row + 1, place]
            c, d = inputs[row + 2, place], inputs[row + 3, place]
            for unit in range(out.shape[1]):
                times = weight[place, unit]
                out[row, unit] += a * times
                out[row + 1, unit] += b * times
                out[row + 2, unit] += c * times
                out[row + 3, unit] += d * times
    for row in range(together, num_rows):
        for place in range(inputs.shape[1]):
            for unit in range(out.shape[1]):
                out[row, unit] += inputs[row, place] * weight[place, unit]


@inlined
def _silu(rows):  # type: ignore[no-untyped-def]
    one = np.float32(1.0)
    for row in range(rows.shape[0]):
        for unit in range(rows.shape[1]):
            rows[row, unit] = rows[row, unit] / (one + np.exp(-rows[row, unit]))
