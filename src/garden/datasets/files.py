"""Graphs in files: which reader or writer serves which path.

======================================== =========================================================
path                                     reader
======================================== =========================================================
``.npz``                                 :func:`garden.datasets.npz.read_npz`
``.graphml``, ``.gml``, ``.gexf``        :mod:`garden.datasets.networkx_formats`
``.json``                                :mod:`garden.datasets.tabular.node_link_json`
a folder with ``edges.csv``              :mod:`garden.datasets.tabular.folder`
a folder with ``NAME_edges.csv``         :mod:`garden.datasets.musae`
``.parquet``                             :mod:`garden.datasets.tabular.table`, as a table of edges
anything else                            :mod:`garden.datasets.tabular.edge_list`
======================================== =========================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from garden.datasets.file_signatures import TEXT_SUFFIXES, refuse_other_kinds, unknown_kind
from garden.datasets.musae import musae_stems, read_musae_folder, read_musae_stem
from garden.datasets.networkx_formats import (
    read_gexf,
    read_gml,
    read_graphml,
    write_gml,
    write_graphml,
)
from garden.datasets.npz import read_npz, write_npz
from garden.datasets.tabular.edge_list import read_edge_list, write_edge_list
from garden.datasets.tabular.folder import read_folder, write_folder, write_parquet_folder
from garden.datasets.tabular.node_link_json import read_node_link
from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import ColumnNames, read_table
from garden.datasets.text_files import inner_suffix, is_gzipped
from garden.errors import DataError, GraphError
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import ParsedGraph

_WRITABLE = re.compile("[^\0\ud800-\udfff]+")  # neither empty, nor with nulls, nor beyond UTF-8
_EDGE_LISTS = {".csv", ".tsv", ".txt", ".edges", ".edgelist"}


def read_graph(path: str | Path) -> Graph:
    """The whole graph in this folder or file, its numbers as they stand there.

    Returns:
        The graph with all its components, named by its path.

    Raises:
        DataError: If there is no such file, or it is damaged or of no known kind.

    """
    path = Path(path)
    found = parse_file(path)
    return graph_in_file(found, path) if isinstance(found, ParsedGraph) else found


def parse_file(path: Path, chosen: ColumnNames | None = None) -> ParsedGraph | Graph:
    """What a file holds, before self-loops, repeats and directions are dropped.

    Args:
        path: A file or folder.
        chosen: The columns that hold an edge's ends and a node's name; for tables and JSON only.

    Returns:
        A :class:`ParsedGraph` of people's own tables and formats; a :class:`Graph` of ``.npz``
        and MUSAE files, which hold clean arrays and indices.

    """
    chosen = chosen or ColumnNames()
    try:
        read = _reader(path)
        if read in _TABLE_READERS:
            return _TABLE_READERS[read](path, chosen)
        if chosen.given:
            argument = next(iter(chosen.given))
            raise DataError(f"{path}: {argument} goes with tables and JSON only: leave it out")
        return _READERS[read](path)
    except GraphError as error:  # the graph's own checks know no file
        raise DataError(f"{path}: {error}") from None


def graph_in_file(parsed: ParsedGraph, path: Path) -> Graph:
    """The graph that was parsed; an error of the graph's own checks names its file.

    Args:
        parsed: What the file holds.
        path: The file, for errors.
    """
    try:
        return parsed.graph()
    except GraphError as error:
        raise DataError(f"{path}: {error}") from None


def write_graph(graph: Graph, path: str | Path, compress: bool = True) -> None:
    """Write the graph whole or not at all; the form follows from the path's suffix.

    No suffix makes a folder with ``edges.csv`` and ``nodes.csv``, ``.parquet`` one with
    ``edges.parquet`` and ``nodes.parquet``. Edge lists (``.csv``, ``.tsv``, ``.txt``, ``.edges``,
    ``.edgelist``, each also ``.gz``) keep names and edges only.

    Args:
        graph: The graph.
        path: A file, or a folder where it has no suffix.
        compress: For ``.npz``: small rather than quick to open.

    Raises:
        DataError: If the form cannot hold a name, or nothing is written with this suffix.

    """
    path = Path(path)
    write = writer_for(path)
    for name in (*graph.node_names, *graph.attribute_names):
        if not _WRITABLE.fullmatch(name):
            raise DataError(f"{path}: the name {name!r} cannot be written: rename it")
    if write is write_npz:
        write_npz(graph, path, compress)
    else:
        write(graph, path)


def _reader(path: Path) -> str:
    """The key of the reader for this path."""
    try:
        if path.is_dir():
            own = any((path / f"edges.{kind}").exists() for kind in ("csv", "parquet"))
            return "MUSAE folder" if not own and musae_stems(path) else "folder"
        if not path.exists():
            if path.name in musae_stems(path.parent):
                return "MUSAE prefix"
            raise DataError(f"{path}: no such file or folder{_snap_hint(path)}")
        if not path.is_file():
            raise DataError(f"{path}: neither a file nor a folder")
    except (OSError, ValueError) as error:  # a name too long, or with a null in it
        raise DataError(f"{str(path)[:80]!r}: cannot be opened ({error})") from None
    suffix = inner_suffix(path)
    if suffix == ".parquet" and is_gzipped(path):
        raise DataError(f"{path}: a gzipped Parquet file: unpack it")
    return suffix if suffix in _READERS or suffix in _TABLE_READERS else "edge list"


def writer_for(path: Path) -> Callable[[Graph, Path], None]:
    """What writes a graph in the form of this path's suffix; an unknown suffix is refused."""
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


def _read_parquet_edges(path: Path, chosen: ColumnNames) -> ParsedGraph:
    return parse_tables(read_table(path, is_nodes=False), None, str(path), chosen)


def _read_edges(path: Path, chosen: ColumnNames) -> ParsedGraph:
    """An edge list; where the name does not promise one, the error says what the file is."""
    refuse_other_kinds(path)
    try:
        return read_edge_list(path, chosen)
    except DataError as error:
        if inner_suffix(path) in TEXT_SUFFIXES:
            raise
        reason = str(error).removeprefix(str(path)).strip(",: ")
        raise unknown_kind(path, f"no edge list: {reason}") from None


_READERS: dict[str, Callable[[Path], ParsedGraph | Graph]] = {
    ".npz": read_npz,
    ".graphml": read_graphml,
    ".gml": read_gml,
    ".gexf": read_gexf,
    "MUSAE folder": read_musae_folder,
    "MUSAE prefix": read_musae_stem,
}
_TABLE_READERS: dict[str, Callable[[Path, ColumnNames], ParsedGraph]] = {
    "folder": read_folder,
    "edge list": _read_edges,
    ".json": read_node_link,
    ".parquet": _read_parquet_edges,
}
_WRITERS = {
    "": write_folder,
    ".npz": write_npz,
    ".parquet": write_parquet_folder,
    ".graphml": write_graphml,
    ".gml": write_gml,
}
