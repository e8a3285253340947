"""Tables in files: CSV and TSV with a header, and Parquet."""

from __future__ import annotations

from pathlib import Path

from garden.datasets.lines import csv_delimiter, csv_records, inner_suffix, one_line
from garden.datasets.tabular.frames import table_of_frame
from garden.datasets.tabular.tables import Table
from garden.errors import DataError

_SUFFIXES = (".csv", ".tsv", ".parquet")


def is_table_file(path: Path) -> bool:
    """Whether the name is that of a table."""
    return inner_suffix(path) in _SUFFIXES


def read_table(path: Path, is_nodes: bool) -> Table:
    """The table of nodes, or else of edges, in a CSV, TSV or Parquet file."""
    if inner_suffix(path) == ".parquet":
        return _read_parquet(path, is_nodes)
    return _read_csv(path, csv_delimiter(path) or ",")


def _read_parquet(path: Path, is_nodes: bool) -> Table:
    """The table of a Parquet file, for which pandas and pyarrow must be installed."""
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet needs pandas and pyarrow: pip install pandas pyarrow"
        ) from None
    if not path.is_file():
        raise DataError(f"{path}: no such file: check the path")
    try:
        # Nullable columns keep integers whole where a cell is missing.
        frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
    except Exception as error:  # pandas and pyarrow raise many kinds on damaged files
        raise DataError(f"{path}: cannot be read as Parquet ({one_line(error)})") from None
    return table_of_frame(frame, str(path), is_nodes)


def _read_csv(path: Path, delimiter: str) -> Table:
    records = csv_records(path, delimiter)
    number, header = next(records, (0, []))
    where = f"{path}, line {number}" if header else str(path)
    keys = [cell.strip() for cell in header]
    repeated = next((key for key in keys if keys.count(key) > 1 or not key), None)
    if repeated is not None:
        raise DataError(f"{where}: the column {repeated!r} is empty or stands twice: name it anew")
    lines, rows = [], []
    for number, cells in records:
        if len(cells) != len(keys):
            raise DataError(
                f"{path}, line {number}: {len(cells)} cells where the header has {len(keys)} "
                "columns"
            )
        lines.append(number)
        rows.append(cells)
    columns = zip(*rows, strict=True) if rows else [()] * len(keys)
    return Table(
        str(path),
        {key: list(cells) for key, cells in zip(keys, columns, strict=True)},
        lambda row: f"{path}, line {lines[row]}",
    )
