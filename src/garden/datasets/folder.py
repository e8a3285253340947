"""A folder with ``edges.csv`` or ``edges.parquet`` and perhaps ``nodes.csv`` or ``nodes.parquet``.

Edges have the columns ``source,target``; nodes have the column ``node`` and one column for each
attribute. Written folders hold CSV.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from garden.atomic import atomic_folder
from garden.datasets.named import NodeTable, edge_columns, graph_of_names
from garden.datasets.parquet import read_parquet
from garden.datasets.text import csv_records, quoted
from garden.errors import DataError
from garden.graphs.graph import AttributeTable, Graph

_LOG = logging.getLogger("garden")

_OWN_FILES = {"edges.csv", "edges.parquet", "nodes.csv", "nodes.parquet"}


def read_folder(path: Path) -> Graph:
    """The graph of a folder; a node with a row and no edge is a node all the same."""
    edges = _one_of(path, "edges")
    if edges is None:
        raise DataError(f"{path}: the folder has no edges.csv or edges.parquet")
    nodes = _one_of(path, "nodes")
    table = None if nodes is None else _node_table(nodes)
    return graph_of_names(list(_edges(edges)), table, str(path))


def write_folder(graph: Graph, path: Path) -> None:
    """Write ``edges.csv`` and ``nodes.csv``; a folder that holds anything else is left alone."""
    if path.is_dir() and not {entry.name for entry in path.iterdir()} <= _OWN_FILES:
        raise DataError(f"{path}: the folder holds other files: choose another name or empty it")
    if path.exists() and not path.is_dir():
        raise DataError(f"{path}: is a file: choose another name or remove it")
    for name in ("", "node"):
        if name in graph.attribute_names:
            raise DataError(f"{path}: an attribute is called {name!r}: rename it first")
    with atomic_folder(path) as folder:
        _write_lines(folder / "edges.csv", _edge_lines(graph))
        _write_lines(folder / "nodes.csv", _node_lines(graph))


def _one_of(path: Path, stem: str) -> Path | None:
    found = [file for file in (path / f"{stem}.csv", path / f"{stem}.parquet") if file.exists()]
    if len(found) == 2:
        raise DataError(f"{path}: holds both {stem}.csv and {stem}.parquet: remove one of them")
    return found[0] if found else None


def _records(path: Path) -> Iterator[tuple[str, Sequence[object]]]:
    """Where each record stands, and its cells; the header comes first."""
    if path.suffix == ".csv":
        for number, cells in csv_records(path):
            yield f"{path}, line {number}", cells
        return
    columns = read_parquet(path)
    yield str(path), list(columns)
    for number, row in enumerate(zip(*columns.values(), strict=True), start=1):
        yield f"{path}, row {number}", row


def _edges(path: Path) -> Iterator[tuple[str, str]]:
    records = _records(path)
    where, header = next(records, (str(path), ()))
    places = edge_columns([str(cell) for cell in header])
    if places is None:
        raise DataError(f"{where}: expected a header with the columns source,target")
    if len(header) > 2:
        _LOG.info("%s: columns other than the two ends (weights) are ignored", path)
    for where, cells in records:
        _check_width(cells, header, where)
        yield _node_name(cells[places[0]], where), _node_name(cells[places[1]], where)


def _node_table(path: Path) -> NodeTable:
    records = _records(path)
    where, header = next(records, (str(path), ()))
    keys = [str(cell).strip() for cell in header]
    if "node" not in keys:
        raise DataError(f"{where}: expected a header with the column node")
    repeated = next((key for key in keys if keys.count(key) > 1 or not key), None)
    if repeated is not None:
        raise DataError(f"{where}: the column {repeated!r} is empty or stands twice: name it anew")
    place, places = keys.index("node"), dict[str, str]()
    rows = []
    for where, cells in records:
        _check_width(cells, header, where)
        name = _node_name(cells[place], where)
        if name in places:
            raise DataError(f"{where}: node {name!r} stands twice, first in {places[name]}")
        places[name] = where
        rows.append(cells)
    cells_of = zip(*rows, strict=True) if rows else [()] * len(keys)
    columns = {key: list(cells) for key, cells in zip(keys, cells_of, strict=True)}
    del columns["node"]
    return NodeTable(list(places), columns, list(places.values()).__getitem__)


def _check_width(cells: Sequence[object], header: Sequence[object], where: str) -> None:
    if len(cells) != len(header):
        raise DataError(f"{where}: {len(cells)} cells where the header has {len(header)} columns")


def _node_name(cell: object, where: str) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)  # Parquet turns integers to floats where one of them is missing
    if cell is None or cell == "":
        raise DataError(f"{where}: an empty node name: give one")
    return str(cell)


def _edge_lines(graph: Graph) -> Iterator[str]:
    names = [quoted(name) for name in graph.node_names]
    yield "source,target\n"
    for tail, head in graph.edges().tolist():
        yield f"{names[tail]},{names[head]}\n"


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
