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
    if num_rows and _all_alike(representations):
        yield slice(0, num_rows)
        return
    fresh = np.zeros(max(0, num_rows - 1), dtype=bool)  # whether row i + 1 differs from row i
    for array in representations.arrays.values():
        fresh |= _changes(array)
    for ragged in representations.ragged.values():
        fresh |= _ragged_changes(ragged)
    bounds = [0, *(np.flatnonzero(fresh) + 1).tolist(), num_rows]
    for start, stop in pairwise(bounds):
        if stop > start:
            yield slice(start, stop)


def _all_alike(representations: Representations) -> bool:
    """Whether every row is the first, byte for byte: so it is for the neighbours of one holder."""
    num_rows = len(representations)
    for ragged in representations.ragged.values():
        first, last = int(ragged.offsets[0]), int(ragged.offsets[-1])
        length = int(ragged.offsets[1]) - first
        if last - first != length * num_rows:
            return False
        if length and ragged.offsets.tolist() != list(range(first, last + 1, length)):
            return False
        if not _repeats(ragged.values[first:last], num_rows):
            return False
    return all(
        _repeats(array, num_rows) if isinstance(array, np.ndarray) else not _changes(array).any()
        for array in representations.arrays.values()
    )


def _repeats(values: np.ndarray, times: int) -> bool:
    """Whether the values are their first part so many times over."""
    content = values.tobytes()
    return content == content[: len(content) // times] * times


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
