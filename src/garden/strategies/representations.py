"""What an ego graph is turned into: rows of arrays, some of differing length.

A representation is what a node announces to its neighbours and what a message carries of its
target. Everything here is plain NumPy and SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from garden.graphs.ego import ragged_rows, row_offsets

Rows: TypeAlias = np.ndarray | sp.csr_array  # one row per ego graph


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of differing length: row i is ``values[offsets[i]:offsets[i + 1]]``.

    Entries are numbers, or arrays of one shape.
    """

    values: np.ndarray  # (num_entries, …)
    offsets: np.ndarray  # (num_rows + 1,) int64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: np.ndarray) -> Ragged:
        """The rows with these numbers, (num_taken,) integers, in this order."""
        positions, offsets = ragged_rows(self.offsets, np.asarray(rows, dtype=np.int64))
        return Ragged(self.values[positions], offsets)

    @property
    def owner(self) -> np.ndarray:
        """The row that each entry belongs to, (num_entries,) int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class Representations:
    """One row per ego graph, spread over named arrays.

    Example::

        Representations({"profile": profiles, "degree": egos.degrees})
    """

    arrays: Mapping[str, Rows]  # each (num_rows, …)
    ragged: Mapping[str, Ragged] = field(default_factory=dict)  # each of num_rows rows

    def __len__(self) -> int:
        first = next(iter([*self.arrays.values(), *self.ragged.values()]))
        return len(first) if isinstance(first, Ragged) else int(first.shape[0])

    def take(self, rows: np.ndarray) -> Representations:
        """The rows with these numbers, (num_taken,) integers, in this order."""
        rows = np.asarray(rows, dtype=np.int64)
        places: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # arrays may share their offsets
        ragged = {}
        for name, part in self.ragged.items():
            if id(part.offsets) not in places:
                places[id(part.offsets)] = ragged_rows(part.offsets, rows)
            positions, offsets = places[id(part.offsets)]
            ragged[name] = Ragged(part.values[positions], offsets)
        return Representations({name: array[rows] for name, array in self.arrays.items()}, ragged)

    def replaced(self, rows: np.ndarray, new: Representations) -> Representations:
        """The same with some rows replaced.

        Args:
            rows: (num_replaced,) numbers of rows, each once.
            new: What takes their place, in this order, with the same arrays.

        """
        order = np.arange(len(self))
        order[rows] = len(self) + np.arange(len(rows))
        return concatenated([self, new]).take(order)

    @property
    def bytes_per_row(self) -> np.ndarray:
        """The bytes that each row costs in a message, (num_rows,) int64.

        A sparse row costs its entries and four bytes for the column of each.
        """
        total = np.zeros(len(self), dtype=np.int64)
        for array in self.arrays.values():
            if isinstance(array, np.ndarray):
                total += array.nbytes // max(1, len(array))
            else:
                total += np.diff(array.indptr) * (array.data.itemsize + 4)
        for values in self.ragged.values():
            width = math.prod(values.values.shape[1:]) * values.values.itemsize
            total += np.diff(values.offsets) * width
        return total

    def runs_of_equal_rows(self) -> Iterator[slice]:
        """Slices that cover all rows in order, each of rows that equal one another.

        The neighbours of one holder share a target, so that aligned pairs repeat it.
        """
        num_rows = len(self)
        if num_rows and _all_equal(self):
            yield slice(0, num_rows)
            return
        differs = np.zeros(max(0, num_rows - 1), dtype=bool)  # whether row i + 1 differs from row i
        for array in self.arrays.values():
            differs |= _changes(array)
        for ragged in self.ragged.values():
            differs |= _ragged_changes(ragged)
        bounds = [0, *(np.flatnonzero(differs) + 1).tolist(), num_rows]
        for start, stop in pairwise(bounds):
            if stop > start:
                yield slice(start, stop)


def concatenated(parts: Sequence[Representations]) -> Representations:
    """The rows of all parts, one under another; all parts have the same arrays."""
    first = parts[0]
    return Representations(
        {name: _stacked([part.arrays[name] for part in parts]) for name in first.arrays},
        {name: _joined([part.ragged[name] for part in parts]) for name in first.ragged},
    )


def differing_rows(before: Representations, after: Representations) -> np.ndarray:
    """Whether each row has changed, (num_rows,) bool.

    Args:
        before: Some rows.
        after: As many, with the same arrays.
    """
    both = concatenated([before, after])
    num_rows = len(before)
    pairs = np.stack([np.arange(num_rows), num_rows + np.arange(num_rows)], axis=1).ravel()
    together = both.take(pairs)
    differs = np.zeros(max(0, 2 * num_rows - 1), dtype=bool)
    for array in together.arrays.values():
        differs |= _changes(array)
    for ragged in together.ragged.values():
        differs |= _ragged_changes(ragged)
    return differs[::2]


def _stacked(parts: Sequence[Rows]) -> Rows:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return sp.csr_array(sp.vstack(parts))


def _joined(parts: Sequence[Ragged]) -> Ragged:
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return Ragged(np.concatenate([part.values for part in parts]), row_offsets(lengths))


def _all_equal(representations: Representations) -> bool:
    """Whether every row equals the first, byte for byte."""
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
    """Whether the values are their first part repeated so many times."""
    content = values.tobytes()
    return content == content[: len(content) // times] * times


def _changes(array: Rows) -> np.ndarray:
    """Whether each row but the first differs from the one before, (num_rows − 1,) bool."""
    if isinstance(array, np.ndarray):
        return _any_entry(array[1:] != array[:-1])
    unequal = array[1:] != array[:-1]
    return np.asarray(unequal.sum(axis=1)).ravel() > 0


def _ragged_changes(ragged: Ragged) -> np.ndarray:
    """The same for ragged rows."""
    lengths = np.diff(ragged.offsets)
    changes = lengths[1:] != lengths[:-1]
    equal = np.flatnonzero(~changes)
    before, offsets = ragged_rows(ragged.offsets, equal)
    after, _ = ragged_rows(ragged.offsets, equal + 1)
    differs = _any_entry(ragged.values[before] != ragged.values[after])
    owner = np.repeat(np.arange(len(equal)), np.diff(offsets))
    changes[equal] = np.bincount(owner[differs], minlength=len(equal)) > 0
    return changes


def _any_entry(flags: np.ndarray) -> np.ndarray:
    return np.asarray(flags.any(axis=tuple(range(1, flags.ndim))))
