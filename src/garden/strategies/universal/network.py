"""The network of `universal` for a few pairs, compiled: what a peer runs for its neighbours.

BLAS is made for many rows; on twenty of them it costs as much, and on some processors slows down
what is computed next. Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined

_AT_ONCE = 4  # rows that share one reading of a weight


@compiled(fastmath={"contract"})
def fill_scores(  # type: ignore[no-untyped-def]
    features, mean, scale, first, first_bias, second, second_bias, last, last_bias, direct,
    direct_bias, limit, recognition, of_target, direct_at, bound, out,
):  # fmt: skip
    """Write the score of each row of features into ``out``, as :func:`.policy.network_scores`.

    Args:
        features: (num_pairs, NUM_FEATURES) float32.
        mean: And the nine after it: the fields of :class:`.policy.UniversalWeights`.
        scale: See there.
        first: See there.
        first_bias: See there.
        second: See there.
        second_bias: See there.
        last: See there.
        last_bias: See there.
        direct: See there.
        direct_bias: See there.
        limit: Standardised inputs are clipped to ± this, float32.
        recognition: Columns of which one must be non-zero for the first output to count.
        of_target: Columns that the weight of the column ``direct_at`` follows from.
        direct_at: The column that is subtracted.
        bound: The bound B of the second output.
        out: (num_pairs,) float64.

    """
    num_rows, hidden = len(features), first.shape[1]
    inputs = np.empty_like(features)
    for row in range(num_rows):
        for column in range(features.shape[1]):
            value = (features[row, column] - mean[column]) * scale[column]
            inputs[row, column] = min(max(value, -limit), limit)
    before, after = (
        np.empty((num_rows, hidden), np.float32),
        np.empty((num_rows, hidden), np.float32),
    )
    outputs = np.empty((num_rows, last.shape[1]), np.float32)
    _layer(inputs, first, first_bias, before)
    _silu(before)
    _layer(before, second, second_bias, after)
    _silu(after)
    _layer(after, last, last_bias, outputs)
    for row in range(num_rows):
        score = bound * np.tanh(np.float64(outputs[row, 1]) / bound)
        for column in recognition:
            if features[row, column] != 0:
                score += outputs[row, 0]
                break
        slope = np.float64(direct_bias[0])
        for index in range(len(of_target)):
            slope += inputs[row, of_target[index]] * direct[index]
        weight = max(slope, 0.0) + np.log1p(np.exp(-abs(slope)))
        out[row] = score - weight * features[row, direct_at]


@inlined
def _layer(inputs, weight, bias, out):  # type: ignore[no-untyped-def]
    """Inputs @ weight + bias, into ``out``."""
    num_rows = len(inputs)
    whole = num_rows - num_rows % _AT_ONCE
    for row in range(num_rows):
        out[row] = bias
    for row in range(0, whole, _AT_ONCE):
        for column in range(inputs.shape[1]):
            a, b = inputs[row, column], inputs[row + 1, column]
            c, d = inputs[row + 2, column], inputs[row + 3, column]
            for unit in range(out.shape[1]):
                times = weight[column, unit]
                out[row, unit] += a * times
                out[row + 1, unit] += b * times
                out[row + 2, unit] += c * times
                out[row + 3, unit] += d * times
    for row in range(whole, num_rows):
        for column in range(inputs.shape[1]):
            for unit in range(out.shape[1]):
                out[row, unit] += inputs[row, column] * weight[column, unit]


@inlined
def _silu(rows):  # type: ignore[no-untyped-def]
    one = np.float32(1.0)
    for row in range(rows.shape[0]):
        for unit in range(rows.shape[1]):
            rows[row, unit] = rows[row, unit] / (one + np.exp(-rows[row, unit]))
