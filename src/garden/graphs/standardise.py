"""Standardising numeric columns to mean 0 and variance 1, alike on every machine.

Sums are rounded once (``math.fsum``), so that neither the CPU nor the number of threads decides
a digit, and the same file gives the same content hash everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from garden.graphs.attribute_encoding import EncodedColumns


def standardised_table(columns: EncodedColumns, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Some rows of a dense table, each numeric column less its mean, by its standard deviation.

    A column that holds only 0 and 1 stays; a missing cell becomes 0, the mean; a constant column
    becomes zeros. Mean and variance are those of the chosen rows.

    Args:
        columns: A dense table with the numbers behind it.
        rows: Which rows to take, (num_rows,).

    Returns:
        The table, (num_rows, num_attributes) float32, and the names of the scaled columns.

    """
    table = np.array(columns.table[rows], dtype=np.float32)
    scaled = []
    for column, numbers in zip(columns.numeric.tolist(), columns.numbers[rows].T, strict=True):
        present = numbers[~np.isnan(numbers)]
        if np.isin(present, (0, 1)).all():
            continue
        table[:, column] = _standardised(numbers, present)
        scaled.append(columns.names[column])
    return table, scaled


def _standardised(numbers: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The numbers less their mean, by their standard deviation; 0 where one is NaN."""
    size = float(np.abs(present).max())  # squares of large numbers would overflow
    shares = present / size
    mean = math.fsum(shares.tolist()) / len(shares)
    variance = math.fsum(((shares - mean) ** 2).tolist()) / len(shares)
    if (present == present[0]).all() or variance == 0:
        return np.zeros(len(numbers))
    result = (numbers / size - mean) / math.sqrt(variance)
    return np.where(np.isnan(numbers), 0.0, result)
