"""Turning named columns of raw cells into one table of float32 attributes, and scaling it.

A cell is text from a file or a Python object from another library. Numbers stay numbers, booleans
become 0 or 1, vectors one column per entry, everything else one column per category (one-hot); a
missing cell is all zeros, and is counted. Numbers are also kept as they were read, so that
:func:`standardised_table` can scale them afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from garden.errors import DataError, first_repeated, short_repr
from garden.graphs.graph import AttributeTable
from garden.graphs.parsed_graph import (
    EncodedColumns,
    StoredColumn,
    as_boolean,
    as_number,
    compact_table,
    is_missing,
    is_vector,
    numbered_cells,
)


@dataclass(frozen=True)
class _Column:
    """The cells of one raw column that are not missing, and the rows in which they stand."""

    name: str
    rows: np.ndarray  # (num_present,) int64
    cells: Sequence[object]
    locate: Callable[[int], str]

    def error(self, item: int, what: str) -> DataError:
        return DataError(f"{self.locate(int(self.rows[item]))}, column {self.name!r}: {what}")


@dataclass(frozen=True)
class _Block:
    """The non-zero entries that one raw column contributes, and the names of its columns."""

    names: list[str]
    rows: np.ndarray  # (num_entries,)
    columns: np.ndarray  # (num_entries,) from 0 within this block
    values: np.ndarray  # (num_entries,) float32
    numbers: np.ndarray | None = None  # (num_present_rows, num_names) float64; None: no numbers


def encode_columns(
    columns: Mapping[str, Sequence[object]],
    num_rows: int,
    locate: Callable[[int], str],
    source: str,
) -> EncodedColumns:
    """The columns as one table of attributes, each with a name.

    Args:
        columns: Raw cells under the name of their column. A column shorter than ``num_rows``
            belongs to the first rows; the others get zeros, which do not count as missing cells.
        num_rows: How many rows the table has, one for each node.
        locate: Where a row stands, such as ``nodes.csv, line 7``, for errors.
        source: What the whole is called, for errors.

    Returns:
        The table, shape (num_rows, num_attributes). A column ``age`` of numbers is called ``age``,
        a column of vectors ``age[0]``, ``age[1]``, …, and one of categories ``age=old``, ….

    Raises:
        DataError: If a number is not finite in 32 bits, vectors differ in length, or two columns
            encode to one name.

    """
    present = [_present(name, cells, locate) for name, cells in columns.items()]
    blocks = [_encode(column) for column in present]
    names = [name for block in blocks for name in block.names]
    repeated = first_repeated(names)
    if repeated is not None:
        raise DataError(f"{source}: two columns encode to {repeated!r}: rename one of them")
    num_given = max((len(cells) for cells in columns.values()), default=0)
    num_present = np.zeros(num_given, dtype=np.int64)
    for column in present:
        num_present[column.rows] += 1
    return EncodedColumns(
        _assemble(blocks, num_rows, len(names)),
        tuple(names),
        *_numbers_of(blocks, present, num_rows),
        num_missing_cells=sum(num_given - len(column.rows) for column in present),
        num_incomplete_rows=int((num_present < len(present)).sum()),
    )


def standardised_table(columns: EncodedColumns, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Some rows of a dense table, each numeric column less its mean, by its standard deviation.

    A column that holds only 0 and 1 stays; a missing cell becomes 0, the mean; a constant column
    becomes zeros. Mean and variance are those of the chosen rows. Sums are rounded once
    (``math.fsum``), so that neither the CPU nor the number of threads decides a digit, and the same
    file gives the same content hash everywhere.

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


def _present(name: str, cells: Sequence[object], locate: Callable[[int], str]) -> _Column:
    if isinstance(cells, StoredColumn):
        rows = _stored_rows(cells)
        return _Column(name, rows, cells.taken(rows), locate)
    rows = np.array([row for row, cell in enumerate(cells) if not is_missing(cell)], dtype=np.int64)
    return _Column(name, rows, [cells[row] for row in rows.tolist()], locate)


def _stored_rows(cells: StoredColumn) -> np.ndarray:
    """The rows in which a stored column has a cell."""
    numbers = cells.numbers()
    if numbers is not None:
        return np.flatnonzero(~np.isnan(numbers))
    codes, values = cells.coded()
    present = np.array([not is_missing(value) for value in values], dtype=bool)
    return np.flatnonzero(present[codes])


def _encode(column: _Column) -> _Block:
    if isinstance(column.cells, StoredColumn):
        stored = column.cells.numbers()
        if stored is not None:
            return _number_block([column.name], column, stored[:, None])
    elif any(is_vector(cell) for cell in column.cells):
        return _vector_block(column)
    codes, distinct = numbered_cells(column.cells)
    for read in (as_number, as_boolean):
        numbers = _read_all(distinct, read)
        if numbers is not None:
            wide = np.array(numbers, dtype=np.float64)[codes][:, None]
            return _number_block([column.name], column, wide, read is as_number)
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


def _number_block(
    names: list[str], column: _Column, numbers: np.ndarray, numeric: bool = True
) -> _Block:
    table = _finite(numbers, column)
    items, columns = np.nonzero(table)
    return _Block(
        names, column.rows[items], columns, table[items, columns], numbers if numeric else None
    )


def _category_block(column: _Column) -> _Block:
    codes, distinct = numbered_cells(column.cells)
    texts = [_category(column, cell) for cell in distinct]
    categories = sorted(set(texts))
    code = {category: position for position, category in enumerate(categories)}
    return _Block(
        [f"{column.name}={category}" for category in categories],
        column.rows,
        np.array([code[text] for text in texts], dtype=np.int64)[codes],
        np.ones(len(codes), dtype=np.float32),
    )


def _category(column: _Column, cell: object) -> str:
    if not isinstance(cell, str):
        number = as_number(cell)
        if number is not None and not np.isfinite(number):
            raise column.error(column.cells.index(cell), _not_finite(cell))
        if isinstance(cell, dict | set | frozenset):
            item = column.cells.index(cell)
            raise column.error(item, f"{short_repr(cell)} is no number, text or vector of numbers")
    return str(cell).strip()


def _vector_block(column: _Column) -> _Block:
    vectors = [_vector(column, item) for item in range(len(column.cells))]
    width = len(vectors[0])
    for item, vector in enumerate(vectors):
        if len(vector) != width:
            what = f"a vector of length {len(vector)} where the first has {width}: make them equal"
            raise column.error(item, what)
    numbers = np.array(vectors, dtype=np.float64).reshape(len(vectors), width)
    return _number_block([f"{column.name}[{entry}]" for entry in range(width)], column, numbers)


def _vector(column: _Column, item: int) -> list[float]:
    cell = column.cells[item]
    if not isinstance(cell, list | tuple | np.ndarray) or not is_vector(cell):
        raise column.error(item, f"{short_repr(cell)} is no vector, but other cells are")
    numbers = []
    for part in cell:
        number = as_boolean(part) if isinstance(part, bool | np.bool_) else as_number(part)
        if number is None:
            raise column.error(item, f"a vector may hold numbers only, not {short_repr(part)}")
        numbers.append(number)
    return numbers


def _finite(numbers: np.ndarray, column: _Column) -> np.ndarray:
    """The numbers as float32, NaN as 0."""
    with np.errstate(over="ignore"):
        table = np.where(np.isnan(numbers), 0, numbers).astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise column.error(bad[0], _not_finite(column.cells[bad[0]]))
    return table


def _not_finite(cell: object) -> str:
    return f"{short_repr(cell)} is not a finite 32-bit number: correct it or leave it empty"


def _assemble(blocks: list[_Block], num_rows: int, width: int) -> AttributeTable:
    if not blocks:
        return np.zeros((num_rows, 0), dtype=np.float32)
    starts = np.cumsum([0, *(len(block.names) for block in blocks)])[:-1]
    rows = np.concatenate([block.rows for block in blocks])
    columns = np.concatenate([b.columns + start for b, start in zip(blocks, starts, strict=True)])
    values = np.concatenate([block.values for block in blocks])
    return compact_table(sp.coo_array((values, (rows, columns)), shape=(num_rows, width)))


def _numbers_of(
    blocks: list[_Block], present: list[_Column], num_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which columns hold numbers, and these numbers, NaN where there is none."""
    starts = np.cumsum([0, *(len(block.names) for block in blocks)])
    numeric, columns = [np.zeros(0, dtype=np.int64)], [np.zeros((num_rows, 0))]
    for block, column, start in zip(blocks, present, starts[:-1], strict=True):
        if block.numbers is not None:
            numbers = np.full((num_rows, len(block.names)), np.nan)
            numbers[column.rows] = block.numbers
            numeric.append(start + np.arange(len(block.names)))
            columns.append(numbers)
    return np.concatenate(numeric), np.concatenate(columns, axis=1)


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
