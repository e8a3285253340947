"""Are two rows, or two tables of scores, the same? To the last bit, or as floats go."""

from __future__ import annotations

import numpy as np

from garden.strategies.base import Ragged, Representations, Rows

_OF_ENTRY = 1e-4  # of the entries' own size: float32 sums in another order stay far below
_OF_TABLE = 1e-7  # of the largest entry of the table, beside which small ones may count
_OF_SINGLE_TABLE = 1e-3  # the same of float32 scores: in them, differences of squares cancel


def differing_row(
    ours: Representations, theirs: Representations, exact: bool = False
) -> int | None:
    """The first row that differs, or None. Entries of a ragged row may stand in any order.

    ``exact`` asks for every bit, order included.
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
    ours: np.ndarray, theirs: np.ndarray, exact: bool = False, of_table: float = _OF_TABLE
) -> bool:
    """Whether shapes and numbers agree; ``of_table`` of the largest may they be apart."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return False
    return bool(_close(ours, theirs, exact, of_table).all())


def score_room(representations: Representations) -> float:
    """How far scores of these rows may be apart, as a part of the largest score."""
    arrays = [
        *representations.arrays.values(),
        *(ragged.values for ragged in representations.ragged.values()),
    ]
    single = any(array.dtype.kind == "f" and array.dtype.itemsize < 8 for array in arrays)
    return _OF_SINGLE_TABLE if single else _OF_TABLE


def rebuilt(representations: Representations) -> Representations:
    """The rows as somebody else reads them out of a message: the same bytes, and nothing else."""
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
    """The array, whichever way it is stored."""
    return array if isinstance(array, np.ndarray) else array.toarray()


def _close(
    ours: np.ndarray, theirs: np.ndarray, exact: bool = False, of_table: float = _OF_TABLE
) -> np.ndarray:
    if ours.dtype.kind != "f" and theirs.dtype.kind != "f":
        return np.asarray(ours == theirs)
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if exact:
        return same
    finite = np.abs(np.concatenate([a[np.isfinite(a)], b[np.isfinite(b)], [0.0]]))
    with np.errstate(invalid="ignore"):
        room = _OF_ENTRY * np.maximum(np.abs(a), np.abs(b)) + of_table * finite.max()
        near = np.abs(a - b) <= room
    return same | (near & np.isfinite(a) & np.isfinite(b))


def _entries(ragged: Ragged, row: int) -> np.ndarray:
    return ragged.values[ragged.offsets[row] : ragged.offsets[row + 1]]


def _same_entries(ours: np.ndarray, theirs: np.ndarray, exact: bool) -> bool:
    if ours.shape != theirs.shape:
        return False
    if exact or len(ours) == 0:
        return same_numbers(ours, theirs, exact)
    # As collections: each entry has as many like it on either side.
    a, b = ours.reshape(len(ours), -1), theirs.reshape(len(theirs), -1)
    like_ours = _close(a[:, None], a[None]).all(axis=2)
    like_theirs = _close(a[:, None], b[None]).all(axis=2)
    return bool((like_ours.sum(axis=1) == like_theirs.sum(axis=1)).all())


def _from_bytes(array: np.ndarray) -> np.ndarray:
    if array.size == 0:
        return array.copy()
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape).copy()
