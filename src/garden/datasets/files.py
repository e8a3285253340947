"""Graphs in files: which reader or writer serves which path.

A folder, ``.graphml``, ``.gml`` and ``.npz`` are known by their form; any other file is an edge
list. What comes back is the whole graph, named by its path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from garden.datasets.edge_list import read_edge_list, write_edge_list
from garden.datasets.folder import read_folder, write_folder
from garden.datasets.npz import read_npz, write_npz
from garden.datasets.text import inner_suffix, is_gzipped
from garden.errors import DataError, GraphError
from garden.graphs.graph import Graph

_WRITABLE = re.compile("[^\0\ud800-\udfff]+")  # neither empty, nor with nulls, nor beyond UTF-8
_EDGE_LISTS = {".csv", ".tsv", ".txt", ".edges", ".edgelist"}


def read_graph(path: str | Path) -> Graph:
    """The graph in this folder or file."""
    path = Path(path)
    try:
        reader = _reader(path)
        return reader(path)
    except GraphError as error:  # the graph's own checks know no file
        raise DataError(f"{path}: {error}") from None


def write_graph(graph: Graph, path: str | Path) -> None:
    """Write the graph whole or not at all; the form follows from the path's suffix.

    No suffix makes a folder with ``edges.csv`` and ``nodes.csv``. Edge lists (``.csv``, ``.tsv``,
    ``.txt``, ``.edges``, ``.edgelist``, each also ``.gz``) keep names and edges only.
    """
    path = Path(path)
    for name in (*graph.node_names, *graph.attribute_names):
        if not _WRITABLE.fullmatch(name):
            raise DataError(f"{path}: the name {name!r} cannot be written: rename it")
    _writer(path)(graph, path)


def _reader(path: Path) -> Callable[[Path], Graph]:
    try:
        if path.is_dir():
            return read_folder
        if not path.exists():
            raise DataError(f"{path}: no such file or folder{_snap_hint(path)}")
        if not path.is_file():
            raise DataError(f"{path}: neither a file nor a folder")
    except (OSError, ValueError) as error:  # a name too long, or with a null in it
        raise DataError(f"{str(path)[:80]!r}: cannot be opened ({error})") from None
    return _READERS.get(inner_suffix(path), read_edge_list)


def _writer(path: Path) -> Callable[[Graph, Path], None]:
    suffix = inner_suffix(path)
    if suffix in _EDGE_LISTS:
        return write_edge_list
    if suffix not in _WRITERS or is_gzipped(path):
        known = ", ".join(sorted([*_EDGE_LISTS, *filter(None, _WRITERS)]))
        raise DataError(f"{path}: cannot write this kind of file: use {known} or no suffix")
    return _WRITERS[suffix]


def _snap_hint(path: Path) -> str:
    is_prefix = path.with_name(f"{path.name}.edges").exists()
    return f": for a SNAP ego network write snap:{path}" if is_prefix else ": check the path"


def _read_graphml(path: Path) -> Graph:
    from garden.datasets.networkx_files import read_graphml

    return read_graphml(path)


def _read_gml(path: Path) -> Graph:
    from garden.datasets.networkx_files import read_gml

    return read_gml(path)


def _write_graphml(graph: Graph, path: Path) -> None:
    from garden.datasets.networkx_files import write_graphml

    write_graphml(graph, path)


def _write_gml(graph: Graph, path: Path) -> None:
    from garden.datasets.networkx_files import write_gml

    write_gml(graph, path)


_READERS = {".npz": read_npz, ".graphml": _read_graphml, ".gml": _read_gml}
_WRITERS = {
    "": write_folder,
    ".npz": write_npz,
    ".graphml": _write_graphml,
    ".gml": _write_gml,
}
