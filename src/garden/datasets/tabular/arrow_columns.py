"""Columns of Arrow arrays, as large CSV and Parquet files are read. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from garden.graphs.parsed_graph import StoredColumn

_WIDEST = float(np.finfo(np.float32).max)


class ArrowColumn(StoredColumn):
    """A column of texts, numbers or booleans.

    Args:
        array: A ``pyarrow.ChunkedArray``; what is null there is None here.
    """

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._array)

    @overload
    def __getitem__(self, row: int) -> object: ...
    @overload
    def __getitem__(self, row: slice) -> list[object]: ...
    def __getitem__(self, row: int | slice) -> object:
        """The raw cell of a row."""
        if isinstance(row, slice):
            return list(self._array[row].to_pylist())
        return self._array[int(row)].as_py()

    def __iter__(self) -> Iterator[object]:
        """All cells as Python values, None where one is missing, a chunk at a time."""
        for chunk in self._array.iterchunks():
            yield from chunk.to_pylist()

    def taken(self, rows: np.ndarray) -> ArrowColumn:
        """The cells of these rows."""
        return self if len(rows) == len(self) else ArrowColumn(self._array.take(pa.array(rows)))

    def preceded_by(self, cell: str) -> ArrowColumn:
        """The column with a text put before its first cell."""
        first = pa.array([cell], self._array.type)
        return ArrowColumn(pa.chunked_array([first, *self._array.iterchunks()]))

    def coded(self) -> tuple[np.ndarray, list[object]]:
        """The number of each row's cell among the distinct ones, and these."""
        return self._coded

    @cached_property
    def _coded(self) -> tuple[np.ndarray, list[object]]:
        encoded = self._array.dictionary_encode(null_encoding="encode").unify_dictionaries()
        if not encoded.num_chunks:
            return np.zeros(0, dtype=np.int64), []
        codes = np.concatenate([np.asarray(chunk.indices) for chunk in encoded.iterchunks()])
        return codes, encoded.chunk(0).dictionary.to_pylist()

    def numbers(self) -> np.ndarray | None:
        """The cells as float64, NaN where one is missing; None unless all are finite numbers."""
        kind, array = self._array.type, self._array
        if pa.types.is_boolean(kind) or pa.types.is_null(kind):
            return None
        if pa.types.is_string(kind):
            array = pc.if_else(pc.equal(array, ""), None, array)
        try:
            numbers = np.asarray(pc.cast(array, pa.float64(), safe=False), dtype=np.float64)
        except pa.ArrowInvalid:  # a text that Arrow takes for no number, though we may
            return None
        spelt = pa.types.is_string(kind) and np.isnan(numbers).sum() > array.null_count
        present = np.abs(numbers[~np.isnan(numbers)])
        fits = len(present) > 0 and present.max() <= _WIDEST and not spelt
        return numbers if fits else None


def simple_columns(path: Path) -> dict[str, Sequence[object]] | None:
    """The columns of a Parquet file of texts, integers, floats and booleans; None of any other.

    One whose index in pandas was more than a count of rows is another too.
    """
    file = pq.ParquetFile(path)
    schema = file.schema_arrow
    if not schema.names or len(set(schema.names)) < len(schema.names):
        return None
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    counted = {"kind": "range", "name": None, "start": 0, "step": 1}
    plain = all(isinstance(one, dict) and counted.items() <= one.items() for one in index)
    if not plain or not all(_is_simple(kind) for kind in schema.types):
        return None
    table = file.read()
    return {name: ArrowColumn(table.column(name)) for name in table.column_names}


def _is_simple(kind: Any) -> bool:
    of = pa.types
    tests = (of.is_string, of.is_signed_integer, of.is_unsigned_integer, of.is_boolean)
    return any(test(kind) for test in tests) or kind in (pa.float32(), pa.float64())
