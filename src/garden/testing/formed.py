"""Is it a representation at all: types, shapes, numbers that can travel in a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.strategies.representations import Ragged, Representations
from garden.testing.equality import dense
from garden.testing.findings import Findings, counted


def well_formed(
    what: str, rows: object, num_rows: int, where: str, found: Findings
) -> Representations:
    """What a strategy gave, if it is one row of numbers per ego graph that can travel."""
    if not isinstance(rows, Representations):
        raise found.stop(
            "type",
            f"{what} gives a {type(rows).__name__}: give Representations({{'name': array}}), one "
            "row per ego graph.",
        )
    if not isinstance(rows.arrays, Mapping) or not isinstance(rows.ragged, Mapping):
        raise found.stop("mapping", f"{what} gives Representations of no dictionaries of arrays.")
    parts: dict[str, Any] = {**rows.arrays, **rows.ragged}
    if not parts:
        raise found.stop("empty", f"{what} gives Representations without any array.")
    for name, array in parts.items():
        wrong = _ragged_fault(array) if name in rows.ragged else _array_fault(array)
        if wrong:
            raise found.stop("array", f"{what} gives {name!r} as {wrong} {where}.")
        size = len(array) if isinstance(array, Ragged) else array.shape[0]
        if size != num_rows:
            raise found.stop(
                "rows",
                f"{what} gives {counted(size, 'row')} in {name!r} for "
                f"{counted(num_rows, 'ego graph')} {where}: give one each, in their order.",
            )
        numbers = array.values if isinstance(array, Ragged) else dense(array)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            found.add("nan rows", f"{what} gives NaN in {name!r} {where}.")
    found.result_of("bytes_per_row", where, lambda: rows.bytes_per_row)
    return rows


def _array_fault(array: Any) -> str:
    if not isinstance(array, np.ndarray) and not isinstance(array, sp.csr_array):
        return f"a {type(array).__name__}, not a NumPy array or a SciPy csr_array"
    if array.ndim == 0:
        return "a single number, not one row per ego graph"
    return _dtype_fault(array.dtype)


def _ragged_fault(rows: Any) -> str:
    if not isinstance(rows, Ragged):
        return f"a {type(rows).__name__}, not Ragged(values, offsets)"
    values: object = rows.values
    offsets: object = rows.offsets
    if not isinstance(values, np.ndarray) or not isinstance(offsets, np.ndarray):
        return "Ragged rows that are no NumPy arrays"
    if offsets.dtype.kind != "i" or offsets.ndim != 1 or len(offsets) == 0:
        return "Ragged rows whose offsets are no list of whole numbers"
    if offsets[0] != 0 or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        return "Ragged rows whose offsets do not lead from 0 to the number of values"
    return _dtype_fault(values.dtype)


def _dtype_fault(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "biuf":
        return ""
    return f"an array of {dtype}, which cannot travel in a message: give numbers"
