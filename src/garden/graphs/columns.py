"""Turning named columns of raw cells into one table of float32 attributes.

Numbers stay numbers, booleans become 0 or 1, vectors one column per place, everything else one
column per category; a missing cell is all zeros, and a warning counts them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from garden.errors import DataError
from garden.graphs.cells import as_boolean, as_number, is_missing, is_vector, shown
from garden.graphs.graph import AttributeTable

_LOG = logging.getLogger("garden")

_SPARSE_WIDTH = 512
_SPARSE_DENSITY = 0.1


@dataclass(frozen=True)
class _Column:
    """The cells of one raw column that are not missing."""

    name: str
    rows: list[int]
    cells: list[object]
    locate: Callable[[int], str]

    def error(self, item: int, what: str) -> DataError:
        return DataError(f"{self.locate(self.rows[item])}, column {self.name!r}: {what}")


@dataclass(frozen=True)
class _Block:
    """The non-zero entries that one raw column contributes, and the names of its columns."""

    names: list[str]
    rows: np.ndarray  # (num_entries,)
    columns: np.ndarray  # (num_entries,) from 0 within this block
    values: np.ndarray  # (num_entries,) float32


def encode_columns(
    columns: Mapping[str, Sequence[object]],
    num_rows: int,
    locate: Callable[[int], str],
    source: str,
) -> tuple[AttributeTable, tuple[str, ...]]:
    """The table, shape (num_rows, num_attributes), and the name of each of its columns.

    ``locate`` says where a row stands ("nodes.csv, line 7"), for errors; ``source`` names the
    whole, for the warning that counts missing cells.
    """
    present = [_present(name, cells, locate) for name, cells in columns.items()]
    blocks = [_encode(column) for column in present]
    names = [name for block in blocks for name in block.names]
    _refuse_repeats(names, source)
    _warn_of_missing(present, num_rows, source)
    return _assemble(blocks, num_rows, len(names)), tuple(names)


def compact_table(table: sp.coo_array) -> AttributeTable:
    """The same numbers as CSR where the table is wide and nearly empty, dense otherwise."""
    num_rows, width = table.shape
    if width > _SPARSE_WIDTH and table.nnz < _SPARSE_DENSITY * num_rows * width:
        return sp.csr_array(table, dtype=np.float32)
    return table.toarray().astype(np.float32)


def _present(name: str, cells: Sequence[object], locate: Callable[[int], str]) -> _Column:
    rows = [row for row, cell in enumerate(cells) if not is_missing(cell)]
    return _Column(name, rows, [cells[row] for row in rows], locate)


def _encode(column: _Column) -> _Block:
    if any(is_vector(cell) for cell in column.cells):
        return _vector_block(column)
    for read in (as_number, as_boolean):
        numbers = _read_all(column.cells, read)
        if numbers is not None:
            return _number_block([column.name], column, _finite(numbers, column)[:, None])
    return _category_block(column)


def _read_all(cells: list[object], read: Callable[[object], float | None]) -> list[float] | None:
    """Every cell read as a number, or None as soon as one is not."""
    known: dict[str, float] = {}  # a column holds few distinct texts, and parsing is slow
    numbers = []
    for cell in cells:
        number = known.get(cell) if isinstance(cell, str) else None
        if number is None:
            number = read(cell)
            if number is None:
                return None
            if isinstance(cell, str):
                known[cell] = number
        numbers.append(number)
    return numbers


def _number_block(names: list[str], column: _Column, table: np.ndarray) -> _Block:
    items, places = np.nonzero(table)
    rows = np.asarray(column.rows, dtype=np.int64)[items]
    return _Block(names, rows, places, table[items, places])


def _category_block(column: _Column) -> _Block:
    texts = [_category(column, item) for item in range(len(column.cells))]
    categories = sorted(set(texts))
    code = {category: position for position, category in enumerate(categories)}
    return _Block(
        [f"{column.name}={category}" for category in categories],
        np.asarray(column.rows, dtype=np.int64),
        np.array([code[text] for text in texts], dtype=np.int64),
        np.ones(len(texts), dtype=np.float32),
    )


def _category(column: _Column, item: int) -> str:
    cell = column.cells[item]
    if not isinstance(cell, str):
        number = as_number(cell)
        if number is not None and not np.isfinite(number):
            raise column.error(item, _not_finite(cell))
        if isinstance(cell, dict | set | frozenset):
            raise column.error(item, f"{shown(cell)} is no number, text or vector of numbers")
    return str(cell).strip()


def _vector_block(column: _Column) -> _Block:
    vectors = [_vector(column, item) for item in range(len(column.cells))]
    width = len(vectors[0])
    for item, vector in enumerate(vectors):
        if len(vector) != width:
            what = f"a vector of length {len(vector)} where the first has {width}: make them equal"
            raise column.error(item, what)
    table = _as_float32(np.array(vectors, dtype=np.float64).reshape(len(vectors), width))
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise column.error(bad[0], _not_finite(column.cells[bad[0]]))
    return _number_block([f"{column.name}[{place}]" for place in range(width)], column, table)


def _vector(column: _Column, item: int) -> list[float]:
    cell = column.cells[item]
    if not isinstance(cell, list | tuple | np.ndarray) or not is_vector(cell):
        raise column.error(item, f"{shown(cell)} is no vector, but other cells are")
    numbers = []
    for part in cell:
        number = as_boolean(part) if isinstance(part, bool | np.bool_) else as_number(part)
        if number is None:
            raise column.error(item, f"a vector may hold numbers only, not {shown(part)}")
        numbers.append(number)
    return numbers


def _finite(numbers: list[float], column: _Column) -> np.ndarray:
    result = _as_float32(np.array(numbers, dtype=np.float64))
    bad = np.flatnonzero(~np.isfinite(result))
    if len(bad):
        raise column.error(bad[0], _not_finite(column.cells[bad[0]]))
    return result


def _as_float32(numbers: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def _not_finite(cell: object) -> str:
    return f"{shown(cell)} is not a finite 32-bit number: correct it or leave it empty"


def _assemble(blocks: list[_Block], num_rows: int, width: int) -> AttributeTable:
    if not blocks:
        return np.zeros((num_rows, 0), dtype=np.float32)
    starts = np.cumsum([0, *(len(block.names) for block in blocks)])[:-1]
    rows = np.concatenate([block.rows for block in blocks])
    places = np.concatenate([b.columns + start for b, start in zip(blocks, starts, strict=True)])
    values = np.concatenate([block.values for block in blocks])
    return compact_table(sp.coo_array((values, (rows, places)), shape=(num_rows, width)))


def _refuse_repeats(names: list[str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{source}: two columns encode to {name!r}: rename one of them")
        seen.add(name)


def _warn_of_missing(present: list[_Column], num_rows: int, source: str) -> None:
    num_cells = sum(num_rows - len(column.rows) for column in present)
    if not num_cells:
        return
    complete = set(range(num_rows)).intersection(*(column.rows for column in present))
    _LOG.warning(
        "%s: %d missing cells in %d of %d nodes count as zeros",
        source,
        num_cells,
        num_rows - len(complete),
        num_rows,
    )
