"""A folder with ``edges.csv`` or ``edges.parquet`` and perhaps ``nodes.csv`` or ``nodes.parquet``.

Edges have the columns ``source,target``; nodes have the column ``node`` and one column for each
attribute. Columns of other names are found or named. Written folders hold CSV, or Parquet where the
folder is called so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from garden.datasets.tabular.column_roles import usual_end_columns
from garden.datasets.tabular.edge_list import edge_lines
from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import ColumnNames, Table, read_table
from garden.datasets.text_files import quoted
from garden.errors import DataError
from garden.graphs.graph import AttributeTable, Graph
from garden.graphs.parsed_graph import ParsedGraph, distinct_cells, parse_number
from garden.storage import atomic_folder

_OWN_FILES = {"edges.csv", "edges.parquet", "nodes.csv", "nodes.parquet"}


def read_folder(path: Path, chosen: ColumnNames) -> ParsedGraph:
    """The graph of a folder; a node with a row and no edge is a node all the same.

    Args:
        path: The folder.
        chosen: The columns that hold an edge's ends and a node's name, where the user named them.

    """
    edges = _one_of(path, "edges")
    if edges is None:
        raise DataError(
            f"{path}: the folder has no edges.csv or edges.parquet, nor the NAME_edges.csv and "
            "NAME_features.json of a MUSAE graph"
        )
    nodes = _one_of(path, "nodes")
    table = None if nodes is None else read_table(nodes, is_nodes=True)
    return parse_tables(_edge_table(edges, chosen), table, str(path), chosen)


def write_folder(graph: Graph, path: Path) -> None:
    """Write ``edges.csv`` and ``nodes.csv``, both or neither.

    Numbers are the shortest that read back as the same float32. A folder that holds anything but
    these files is refused, as is an attribute without a name or called ``node``.

    Args:
        graph: The graph.
        path: The folder.
    """
    _check_destination(graph, path)
    with atomic_folder(path) as folder:
        _write_lines(folder / "edges.csv", edge_lines(graph, ","))
        _write_lines(folder / "nodes.csv", _node_lines(graph))


def write_parquet_folder(graph: Graph, path: Path) -> None:
    """Write ``edges.parquet`` and ``nodes.parquet``, both or neither: float32, names as text.

    It is quicker and smaller than CSV and needs pyarrow. What is refused is as for CSV.

    Args:
        graph: The graph.
        path: The folder.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"{path}: Parquet needs pyarrow, which is not installed: write .npz"
        ) from None
    _check_destination(graph, path)
    names, edges = pa.array(graph.node_names, pa.string()), graph.edges()
    ends = {
        "source": names.take(pa.array(edges[:, 0])),
        "target": names.take(pa.array(edges[:, 1])),
    }
    columns = {
        name: pa.array(_column(graph.attributes, number))
        for number, name in enumerate(graph.attribute_names)
    }
    with atomic_folder(path) as folder:
        pq.write_table(pa.table(ends), folder / "edges.parquet")
        pq.write_table(pa.table({"node": names, **columns}), folder / "nodes.parquet")


def _check_destination(graph: Graph, path: Path) -> None:
    if path.is_dir() and not {entry.name for entry in path.iterdir()} <= _OWN_FILES:
        raise DataError(f"{path}: the folder holds other files: choose another name or empty it")
    if path.exists() and not path.is_dir():
        raise DataError(f"{path}: is a file: choose another name or remove it")
    for name in ("", "node"):
        if name in graph.attribute_names:
            raise DataError(f"{path}: an attribute is called {name!r}: rename it first")


def _column(table: AttributeTable, number: int) -> np.ndarray:
    column = table[:, [number]]
    return (column if isinstance(column, np.ndarray) else column.toarray()).ravel()


def _one_of(path: Path, stem: str) -> Path | None:
    found = [file for file in (path / f"{stem}.csv", path / f"{stem}.parquet") if file.exists()]
    if len(found) == 2:
        raise DataError(f"{path}: holds both {stem}.csv and {stem}.parquet: remove one of them")
    return found[0] if found else None


def _edge_table(path: Path, chosen: ColumnNames) -> Table:
    """The table of edges, its first line taken for a header unless it reads like an edge."""
    table = read_table(path, is_nodes=False)
    keys = list(table.columns)
    if path.suffix == ".csv" and not chosen.given and not usual_end_columns(keys):
        cells = {cell for column in table.columns.values() for cell in distinct_cells(column)}
        like_data = any(parse_number(key) is not None or key in cells for key in keys)
        if not cells or like_data or len(keys) < 2:
            where = f"{path}, line 1" if keys else str(path)
            raise DataError(f"{where}: expected a header with the columns source,target")
    return table


def _node_lines(graph: Graph) -> Iterator[str]:
    yield ",".join(["node", *(quoted(name) for name in graph.attribute_names)]) + "\n"
    for row, name in enumerate(graph.node_names):
        yield ",".join([quoted(name), *_cells(graph.attributes, row)]) + "\n"


def _cells(table: AttributeTable, row: int) -> list[str]:
    """One profile as text, each number the shortest that reads back as the same float32."""
    if isinstance(table, np.ndarray):
        return [str(number).removesuffix(".0") for number in table[row]]
    cells = ["0"] * table.shape[1]
    for entry in range(table.indptr[row], table.indptr[row + 1]):
        cells[table.indices[entry]] = str(table.data[entry]).removesuffix(".0")
    return cells


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("wb") as stream:
        stream.writelines(line.encode() for line in lines)
        stream.flush()
        os.fsync(stream.fileno())
