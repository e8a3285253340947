"""Graphs in files: which reader or writer serves which path.

A folder, ``.graphml``, ``.gml``, ``.gexf``, ``.json``, ``.parquet`` and ``.npz`` are known by their
form; any other file is an edge list, or of a kind that nobody here reads. What comes back is the
whole graph, named by its path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from garden.datasets.kinds import TEXT_SUFFIXES, refuse_other_kinds, unknown_kind
from garden.datasets.lines import inner_suffix, is_gzipped
from garden.datasets.musae_folder import musae_stems, read_musae_folder, read_musae_stem
from garden.datasets.node_link import read_node_link
from garden.datasets.npz import read_npz, write_npz
from garden.datasets.tabular.edge_list import read_edge_list, write_edge_list
from garden.datasets.tabular.folder import read_folder, write_folder
from garden.datasets.tabular.named import draft_of_tables
from garden.datasets.tabular.table_files import read_table
from garden.datasets.tabular.tables import ColumnNames
from garden.errors import DataError, GraphError
from garden.graphs.draft import Draft
from garden.graphs.graph import Graph

_WRITABLE = re.compile("[^\0\ud800-\udfff]+")  # neither empty, nor with nulls, nor beyond UTF-8
_EDGE_LISTS = {".csv", ".tsv", ".txt", ".edges", ".edgelist"}


def read_graph(path: str | Path) -> Graph:
    """The graph in this folder or file, its numbers as they stand there."""
    path = Path(path)
    found = read_draft(path)
    return graph_of_draft(found, path) if isinstance(found, Draft) else found


def read_draft(path: Path, chosen: ColumnNames | None = None) -> Draft | Graph:
    """What the file holds: a draft of people's own tables, a graph of arrays or indices."""
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


def graph_of_draft(draft: Draft, path: Path) -> Graph:
    """The draft as a graph; what is wrong with it is told with its file."""
    try:
        return draft.graph()
    except GraphError as error:
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


def _read_graphml(path: Path) -> Draft:
    from garden.datasets.networkx_formats import read_graphml

    return read_graphml(path)


def _read_gml(path: Path) -> Draft:
    from garden.datasets.networkx_formats import read_gml

    return read_gml(path)


def _read_gexf(path: Path) -> Draft:
    from garden.datasets.networkx_formats import read_gexf

    return read_gexf(path)


def _read_parquet_edges(path: Path, chosen: ColumnNames) -> Draft:
    return draft_of_tables(read_table(path, is_nodes=False), None, str(path), chosen)


def _read_edges(path: Path, chosen: ColumnNames) -> Draft:
    """An edge list; a file that its name does not say to be one is told as what it is."""
    refuse_other_kinds(path)
    try:
        return read_edge_list(path, chosen)
    except DataError as error:
        if inner_suffix(path) in TEXT_SUFFIXES:
            raise
        reason = str(error).removeprefix(str(path)).strip(",: ")
        raise unknown_kind(path, f"no edge list: {reason}") from None


def _write_graphml(graph: Graph, path: Path) -> None:
    from garden.datasets.networkx_formats import write_graphml

    write_graphml(graph, path)


def _write_gml(graph: Graph, path: Path) -> None:
    from garden.datasets.networkx_formats import write_gml

    write_gml(graph, path)


_READERS: dict[str, Callable[[Path], Draft | Graph]] = {
    ".npz": read_npz,
    ".graphml": _read_graphml,
    ".gml": _read_gml,
    ".gexf": _read_gexf,
    "MUSAE folder": read_musae_folder,
    "MUSAE prefix": read_musae_stem,
}
_TABLE_READERS: dict[str, Callable[[Path, ColumnNames], Draft]] = {
    "folder": read_folder,
    "edge list": _read_edges,
    ".json": read_node_link,
    ".parquet": _read_parquet_edges,
}
_WRITERS = {
    "": write_folder,
    ".npz": write_npz,
    ".graphml": _write_graphml,
    ".gml": _write_gml,
}
