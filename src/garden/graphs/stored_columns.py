"""Columns of cells that are stored as arrays, and what may be asked of any column.

A reader of large tables keeps a column packed. Questions about all of its cells are then answered
from its distinct ones, or from an array of numbers, without an object for each row. A column is
otherwise a sequence of raw cells like any other.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np


class StoredColumn(Sequence[object]):
    """A column of cells that knows its distinct ones."""

    @abstractmethod
    def coded(self) -> tuple[np.ndarray, list[object]]:
        """The number of each row's cell among the distinct ones, (num_rows,), and these."""

    @abstractmethod
    def numbers(self) -> np.ndarray | None:
        """The cells as float64, NaN where one is missing, (num_rows,).

        None unless all are numbers that are finite in 32 bits.
        """

    @abstractmethod
    def taken(self, rows: np.ndarray) -> StoredColumn:
        """The cells of these rows."""


def distinct_cells(cells: Sequence[object]) -> Iterable[object]:
    """Every cell at least once."""
    return cells.coded()[1] if isinstance(cells, StoredColumn) else cells


def numbered_cells(cells: Sequence[object]) -> tuple[np.ndarray, list[object]]:
    """The number of each row's cell among some cells, (num_rows,) int64, and those."""
    if isinstance(cells, StoredColumn):
        return cells.coded()
    return np.arange(len(cells)), list(cells)
