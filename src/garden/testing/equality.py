"""Whether two rows, or two tables of scores, are equal: to the last bit, or up to rounding.

Sums differ on another processor, or in another order, and where terms cancel the difference is in
proportion to the terms, not to the sum. So a float may differ by a fraction of itself and by a
fraction of the largest number beside it:

- rows: the largest of the row, which is what one name holds for one ego graph (all entries
  of it where rows are ragged): 1e-7 of it in float64, 64 ε in narrower floats. A row whose every
  entry cancels has no scale of its own, and rounding alone makes two of them differ. Round such a
  row, or give it under one name with what it is a difference of;
- scores: the largest of the table.

Whole numbers are equal or not.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_bipartite_matching

from garden.strategies.representations import Ragged, Representations, Rows

# Of the entry itself, in every float: sums of one sign in another order stay far below in float32
# (100 terms: 1e-5), and what is coarser than that has room enough in 64 ε of the row's largest.
_OF_ENTRY = 1e-4
_OF_LARGEST = 1e-7  # of the largest entry, in float64
_EPSILONS_OF_LARGEST = 64  # of the largest entry, in narrower floats
# Of a table's largest score, where anything in it was computed in float32. More than 64 ε: scores
# are made of sums as large as the rows' squares, which cancel (−|a − b|² as 2ab − a² − b²), and
# the table shows the small remainder alone. What a leak in `represent` adds is found in the rows.
_OF_SINGLE_TABLE = 1e-3


def differing_row(
    ours: Representations, theirs: Representations, exact: bool = False
) -> int | None:
    """The first row that differs, or None.

    Args:
        ours: Some rows.
        theirs: As many.
        exact: Compare every bit; otherwise floats may differ by rounding, and entries of a ragged
            row may stand in any order.

    """
    if ours.arrays.keys() != theirs.arrays.keys() or ours.ragged.keys() != theirs.ragged.keys():
        return 0
    if len(ours) != len(theirs):
        return min(len(ours), len(theirs))
    for row in range(len(ours)):
        for name, array in ours.arrays.items():
            if not same_numbers(dense(array)[row], dense(theirs.arrays[name])[row], exact):
                return row
        for name, ragged in ours.ragged.items():
            if not _same_entries(_entries(ragged, row), _entries(theirs.ragged[name], row), exact):
                return row
    return None


def same_numbers(
    ours: np.ndarray, theirs: np.ndarray, exact: bool = False, of_largest: float | None = None
) -> bool:
    """Whether shapes and numbers agree, both arrays being one row, or one table.

    Args:
        ours: An array.
        theirs: Another.
        exact: Compare every bit.
        of_largest: How far floats may differ, as a fraction of the largest number; by default that
            of rows.

    """
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return False
    room = None if exact else _room(ours, theirs, of_largest)
    return bool(_close(ours, theirs, room).all())


def score_room(representations: Representations, *scores: np.ndarray) -> float:
    """How far scores of these rows may differ, as a fraction of the largest score."""
    arrays = [
        *representations.arrays.values(),
        *(ragged.values for ragged in representations.ragged.values()),
        *scores,
    ]
    epsilon = max(_narrow_epsilon(array) for array in arrays)
    return max(_OF_SINGLE_TABLE, _EPSILONS_OF_LARGEST * epsilon) if epsilon else _OF_LARGEST


def rebuilt(representations: Representations) -> Representations:
    """The rows as another process reads them from a message: the same bytes, and nothing else."""
    arrays: dict[str, Rows] = {
        name: _from_bytes(array) if isinstance(array, np.ndarray) else array.copy()
        for name, array in representations.arrays.items()
    }
    ragged = {
        name: Ragged(_from_bytes(rows.values), _from_bytes(rows.offsets))
        for name, rows in representations.ragged.items()
    }
    return Representations(arrays, ragged)


def dense(array: Rows) -> np.ndarray:
    """The array in dense form."""
    return array if isinstance(array, np.ndarray) else array.toarray()


def _room(ours: np.ndarray, theirs: np.ndarray, of_largest: float | None = None) -> float:
    """How far any two numbers of these arrays may differ, beside a fraction of themselves."""
    if of_largest is None:
        epsilon = max(_narrow_epsilon(ours), _narrow_epsilon(theirs))
        of_largest = _EPSILONS_OF_LARGEST * epsilon if epsilon else _OF_LARGEST
    numbers = np.concatenate([ours.ravel(), theirs.ravel()]).astype(np.float64)
    return of_largest * float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))


def _narrow_epsilon(array: Rows) -> float:
    """The machine epsilon of a float narrower than float64; 0 of everything else."""
    narrow = array.dtype.kind == "f" and array.dtype.itemsize < 8
    return float(np.finfo(array.dtype).eps) if narrow else 0.0


def _close(ours: np.ndarray, theirs: np.ndarray, room: float | None) -> np.ndarray:
    """Which numbers agree; to the last bit where there is no room."""
    if ours.dtype.kind != "f" and theirs.dtype.kind != "f":
        return np.asarray(ours == theirs)
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if room is None:
        return same
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= _OF_ENTRY * np.maximum(np.abs(a), np.abs(b)) + room
    return same | (near & np.isfinite(a) & np.isfinite(b))


def _entries(ragged: Ragged, row: int) -> np.ndarray:
    return ragged.values[ragged.offsets[row] : ragged.offsets[row + 1]]


def _same_entries(ours: np.ndarray, theirs: np.ndarray, exact: bool) -> bool:
    if ours.shape != theirs.shape:
        return False
    if exact or len(ours) == 0:
        return same_numbers(ours, theirs, exact)
    # As collections: each entry has a partner of its own on the other side.
    a, b = ours.reshape(len(ours), -1), theirs.reshape(len(theirs), -1)
    alike = _close(a[:, None], b[None], _room(a, b)).all(axis=2)
    return bool((maximum_bipartite_matching(sp.csr_array(alike)) >= 0).all())


def _from_bytes(array: np.ndarray) -> np.ndarray:
    if array.size == 0:
        return array.copy()
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape).copy()
