"""Where rows of a representation repeat: many pairs in a row that share their target."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from garden.graphs.ego import ragged_rows

if TYPE_CHECKING:
    from garden.strategies.base import Ragged, Representations, Rows


def runs_of_equal_rows(representations: Representations) -> Iterator[slice]:
    """Slices that cover all rows, each of rows that equal one another."""
    num_rows = len(representations)
    fresh = np.zeros(max(0, num_rows - 1), dtype=bool)  # whether row i + 1 differs from row i
    for array in representations.arrays.values():
        fresh |= _changes(array)
    for ragged in representations.ragged.values():
        fresh |= _ragged_changes(ragged)
    bounds = [0, *(np.flatnonzero(fresh) + 1).tolist(), num_rows]
    for start, stop in pairwise(bounds):
        if stop > start:
            yield slice(start, stop)


def _changes(array: Rows) -> np.ndarray:
    if isinstance(array, np.ndarray):
        return _any_entry(array[1:] != array[:-1])
    unequal = array[1:] != array[:-1]
    return np.asarray(unequal.sum(axis=1)).ravel() > 0


def _ragged_changes(ragged: Ragged) -> np.ndarray:
    lengths = np.diff(ragged.offsets)
    changes = lengths[1:] != lengths[:-1]
    alike = np.flatnonzero(~changes)
    before, offsets = ragged_rows(ragged.offsets, alike)
    after, _ = ragged_rows(ragged.offsets, alike + 1)
    differs = _any_entry(ragged.values[before] != ragged.values[after])
    owner = np.repeat(np.arange(len(alike)), np.diff(offsets))
    changes[alike] = np.bincount(owner[differs], minlength=len(alike)) > 0
    return changes


def _any_entry(flags: np.ndarray) -> np.ndarray:
    return np.asarray(flags.any(axis=tuple(range(1, flags.ndim))))
