"""Tables of raw cells, whether they come from CSV, TSV, Parquet or a pandas frame.

CSV is read line by line (:mod:`garden.datasets.text_files`), not by pandas, so that each error
names its line, whatever comments, blank lines and quoted line ends stand above it; large files are
read by blocks of lines to the same effect (:mod:`.csv_blocks`). pandas and pyarrow are imported for
large files and for Parquet alone; frames are read through their own methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from garden.datasets.text_files import csv_delimiter, csv_records, inner_suffix, is_gzipped
from garden.errors import DataError, first_repeated, one_line, short_repr
from garden.graphs.convert import node_name
from garden.graphs.parsed_graph import as_number, is_missing, is_vector, numbered_cells
from garden.process_settings import require_memory

LARGE_BYTES = 1 << 22
"""Of a text file that is read by blocks (:mod:`.csv_blocks`)."""
TEXT_FACTOR = 16  # bytes of memory for a byte of the file at the peak of reading, measured
_PARQUET_FACTOR = 25
_PACKED_FACTOR = 5  # bytes of text in a byte of a gzipped file, about
_SUFFIXES = (".csv", ".tsv", ".parquet")


Record = tuple[int, list[str]]
"""The number of a line and its cells."""


@dataclass(frozen=True)
class TextFormat:
    """How the lines of a file become cells."""

    delimiter: str | None
    """What separates cells; None is any white space."""
    comments: str
    """The letters that begin a comment line."""
    records: Callable[[Iterator[tuple[int, str]]], Iterator[Record]]
    """The records of numbered lines, read one by one."""
    wrong_width: Callable[[int, int], DataError]
    """The error for a line of so many cells, from its number and theirs."""


@dataclass(frozen=True)
class ColumnNames:
    """The columns that the user named; None where they are to be found."""

    source: str | None = None
    target: str | None = None
    node: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """Those that were named, by the argument of :func:`garden.load` that names them."""
        named = {
            "source_column": self.source,
            "target_column": self.target,
            "node_column": self.node,
        }
        return {argument: column for argument, column in named.items() if column is not None}


@dataclass(frozen=True)
class Table:
    """Columns of raw cells under their names, all of one length."""

    name: str
    """What errors call it."""
    columns: Mapping[str, Sequence[object]]
    locate: Callable[[int], str]
    """Where a row stands, such as ``nodes.csv, line 7``."""
    index: str | None = None
    """The column that is a frame's index: it may name nodes, and is no attribute."""

    def attributes(self, key: str) -> dict[str, Sequence[object]]:
        """The columns that neither name the nodes nor count the rows."""
        return {k: cells for k, cells in self.columns.items() if k not in (key, self.index)}

    def names_of(self, column: str) -> ColumnOfNames:
        """The cells of a column as names of nodes; an empty one is an error."""
        codes, cells = numbered_cells(self.columns[column])
        names = _cell_names(cells)
        if None in names:
            without = np.array([name is None for name in names])[codes]
            row = int(without.argmax())
            cell = cells[int(codes[row])]
            what = "an empty node name" if is_missing(cell) else "no node name"
            raise DataError(f"{self.locate(row)}: {what} in column {short_repr(column)}: give one")
        return ColumnOfNames(codes, [name for name in names if name is not None])


@dataclass(frozen=True)
class ColumnOfNames:
    """The name in each row of a column."""

    codes: np.ndarray  # (num_rows,): the number of each row's name in `names`
    names: list[str]
    """All that stand in the column; one may stand here twice."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    def first_rows(self) -> np.ndarray:
        """The first row of each of :attr:`names`, (num_names,) int64."""
        rows = np.full(len(self.names), len(self.codes), dtype=np.int64)
        rows[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # the last assignment stays
        return rows


def is_table_file(path: Path) -> bool:
    """Whether the name is that of a table."""
    return inner_suffix(path) in _SUFFIXES


def read_table(path: Path, is_nodes: bool) -> Table:
    """The table in a CSV, TSV or Parquet file.

    Args:
        path: The file; CSV and TSV begin with a header and may be gzipped.
        is_nodes: Whether it is a table of nodes, whose index may name them, or one of edges.

    """
    if inner_suffix(path) == ".parquet":
        return _read_parquet(path, is_nodes)
    return _read_csv(path, csv_delimiter(path) or ",")


def is_frame(source: Any) -> bool:
    """Whether this is a pandas DataFrame."""
    return any(
        kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"
        for kind in type(source).__mro__
    )


def table_of_frame(frame: Any, name: str, is_nodes: bool) -> Table:
    """A frame's columns as raw cells, with its index where that may name nodes.

    Args:
        frame: A pandas frame.
        name: What errors call it.
        is_nodes: Whether it is a table of nodes. Of edges the index counts only where it has
            names and the columns alone are too few to hold two ends.

    """
    index = None
    if is_nodes and frame.index.nlevels == 1:
        index = str("index" if frame.index.name is None else frame.index.name)
        index = None if index in map(str, frame.columns.tolist()) else index
    elif None not in frame.index.names and (frame.index.nlevels > 1 or len(frame.columns) < 2):
        frame = frame.reset_index()
    columns: dict[str, Sequence[object]] = {}
    for column, key in enumerate(frame.columns.tolist()):
        if str(key) in columns or not isinstance(key, str | int):
            why = "stands twice" if str(key) in columns else "is no text"
            raise DataError(f"{name}: the column {short_repr(key)} {why}: rename it")
        columns[str(key)] = frame.iloc[:, column].astype(object).tolist()
    if index is not None:
        columns[index] = frame.index.tolist()
    labels = frame.index.tolist() if frame.index.is_unique else range(len(frame))
    return Table(name, columns, lambda row: f"{name}, row {short_repr(labels[row])}", index)


def column_keys(header: Sequence[str], where: str) -> list[str]:
    """The names of the columns under a header; an empty or repeated one is an error.

    Args:
        header: The cells of the first line.
        where: What errors call that line.
    """
    keys = [cell.strip() for cell in header]
    wrong = "" if "" in keys else first_repeated(keys)
    if wrong is not None:
        raise DataError(f"{where}: the column {wrong!r} is empty or stands twice: name it anew")
    return keys


def _cell_names(cells: list[object]) -> list[str | None]:
    """Each cell as the name of a node, None where it is none; plain texts and integers quickly."""
    kinds = set(map(type, cells))
    if kinds == {int}:
        return list(map(str, cells))
    if kinds == {str}:
        return [None if is_missing(cell) else str(cell) for cell in cells]
    return [cell_name(cell) for cell in cells]


def cell_name(cell: object) -> str | None:
    """The cell as the name of a node; None where it is none."""
    if is_missing(cell) or is_vector(cell) or isinstance(cell, dict | set):
        return None
    if isinstance(cell, str):
        return cell
    number = as_number(cell)
    if number is not None and abs(number) == float("inf") and not isinstance(cell, int):
        return None
    return node_name(cell)


def _read_parquet(path: Path, is_nodes: bool) -> Table:
    """The table of a Parquet file, for which pandas and pyarrow must be installed."""
    try:
        import pandas
        import pyarrow  # noqa: F401

        from garden.datasets.tabular.arrow_columns import simple_columns
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet needs pandas and pyarrow: pip install pandas pyarrow"
        ) from None
    if not path.is_file():
        raise DataError(f"{path}: no such file: check the path")
    _require_memory(path, _PARQUET_FACTOR)
    try:
        columns = simple_columns(path)
        if columns is not None:
            return _table_of_arrow(path, columns, is_nodes)
        # Nullable columns keep integers whole where a cell is missing.
        frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
    except Exception as error:  # pandas and pyarrow raise many kinds on damaged files
        raise DataError(f"{path}: cannot be read as Parquet ({one_line(error)})") from None
    return table_of_frame(frame, str(path), is_nodes)


def _table_of_arrow(path: Path, columns: dict[str, Sequence[object]], is_nodes: bool) -> Table:
    """What :func:`table_of_frame` makes of these columns under an index that counts the rows."""
    index = "index" if is_nodes and "index" not in columns else None
    num_rows = len(next(iter(columns.values())))
    if index is not None:
        columns = {**columns, index: range(num_rows)}
    return Table(str(path), columns, lambda row: f"{path}, row {row}", index)


def _read_csv(path: Path, delimiter: str) -> Table:
    records = csv_records(path, delimiter)
    number, header = next(records, (0, []))
    keys = column_keys(header, f"{path}, line {number}" if header else str(path))

    def wrong_width(number: int, count: int) -> DataError:
        have = f"{count} cells where the header has {len(keys)} columns"
        return DataError(f"{path}, line {number}: {have}")

    form = TextFormat(delimiter, "", partial(csv_records, path, delimiter, ""), wrong_width)
    columns, locate = columns_below(path, form, len(keys), number, records)
    return Table(str(path), dict(zip(keys, columns, strict=True)), locate)


def columns_below(
    path: Path, form: TextFormat, width: int, number: int, records: Iterable[Record]
) -> tuple[list[Sequence[object]], Callable[[int], str]]:
    """The columns of a text file below its first record; those of a large one are packed.

    Args:
        path: The file, gzipped or not.
        form: How to read it.
        width: How many cells each record has.
        number: The line in which the first record ends.
        records: The records below that one, read where the file is not large.

    Returns:
        The columns, and what says where a row stands.

    """
    if is_large(path):
        from garden.datasets.tabular.csv_blocks import read_columns

        columns, lines = read_columns(path, form, width, number)
        return [*columns], lambda row: f"{path}, line {lines[row]}"
    rows = []
    for line, cells in records:
        if len(cells) != width:
            raise form.wrong_width(line, len(cells))
        rows.append((line, cells))
    cells_of = [[cells[column] for _, cells in rows] for column in range(width)]
    return [*cells_of], lambda row: f"{path}, line {rows[row][0]}"


def is_large(path: Path) -> bool:
    """Whether a text file is so large that it is read by blocks, for which pyarrow is needed.

    One that would not fit into memory is refused.
    """
    _require_memory(path, TEXT_FACTOR * (_PACKED_FACTOR if is_gzipped(path) else 1))
    return path.stat().st_size >= LARGE_BYTES and find_spec("pyarrow") is not None


def _require_memory(path: Path, factor: float) -> None:
    advice = "read it on a larger machine, where `garden data convert` makes an .npz of it"
    require_memory(factor * path.stat().st_size, f"{path}: reading it", advice)
