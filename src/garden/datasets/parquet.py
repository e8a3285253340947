"""Reading Parquet files, for which pyarrow (the extra ``data``) must be installed."""

from __future__ import annotations

from pathlib import Path

from garden.datasets.text import one_line
from garden.errors import DataError


def read_parquet(path: Path) -> dict[str, list[object]]:
    """Every column as Python objects, None where a cell is null."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet needs pyarrow: pip install garden-search[data]"
        ) from None
    try:
        table = pyarrow.parquet.ParquetFile(path).read(use_threads=False)
        names, columns = table.column_names, [column.to_pylist() for column in table.columns]
    except Exception as error:  # pyarrow raises many kinds on damaged files
        raise DataError(f"{path}: cannot be read as Parquet ({one_line(error)})") from None
    if len(set(names)) != len(names):
        raise DataError(f"{path}: two columns have the same name: rename one of them")
    return dict(zip(names, columns, strict=True))
