"""MUSAE graphs: a CSV of edges and a JSON object that lists each node's attribute indices.

Two naming schemes are in circulation, with and without ``musae_``; both are found, in the folder
itself or in a folder for the country.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from garden.datasets.lines import csv_records, one_line, text_lines
from garden.datasets.tabular.tables import usual_places
from garden.errors import DataError
from garden.graphs.cells import shown
from garden.graphs.draft import edge_notes
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

_MAX_WIDTH = 10_000_000  # a larger index is a mistake, and would cost a name for every column
_ID = re.compile(r"\d{1,18}", re.ASCII)


def musae_files(stem: str) -> tuple[str, str, str, str]:
    """The names that the edges and features files of a graph may have, in either scheme."""
    return (
        f"{stem}_edges.csv",
        f"{stem}.json",
        f"musae_{stem}_edges.csv",
        f"musae_{stem}_features.json",
    )


def find_musae(folder: Path, stem: str) -> tuple[Path, Path] | None:
    """The edges and features files of a graph such as ``PTBR``, where the folder has both."""
    plain_edges, plain_features, edges, features = musae_files(stem)
    for place in (folder, folder / stem):
        for names in ((plain_edges, plain_features), (edges, features)):
            found = place / names[0], place / names[1]
            if all(file.is_file() for file in found):
                return found
    return None


def read_musae(
    edges_path: Path,
    features_path: Path,
    width: int | None,
    name: str = "graph",
    level: int = logging.WARNING,
) -> Graph:
    """The whole graph, nodes in ascending order of their ids, attributes a sparse 0/1 table.

    Without a ``width`` the table is as wide as the highest index asks for. What is missing or
    dropped is logged at ``level``.
    """
    edges = np.array(list(_edges(edges_path)), dtype=np.int64).reshape(-1, 2)
    lists = _feature_lists(features_path)
    ids = np.union1d(edges.ravel(), np.array(list(lists), dtype=np.int64))
    if not len(ids):
        raise DataError(f"{edges_path}: no nodes and no edges: the file is empty")
    num_missing = len(ids) - len(lists)
    if num_missing:
        what = "%s: %d of %d nodes are not in it: zeros instead"
        _LOG.log(level, what, features_path, num_missing, len(ids))
    limit = _MAX_WIDTH if width is None else width
    rows = [_columns(features_path, node, lists.get(node, []), limit) for node in ids.tolist()]
    if width is None:
        width = 1 + max((row[-1] for row in rows if row), default=-1)
    table = _ones_at(rows, width)
    names = [str(node) for node in ids.tolist()]
    edges = np.searchsorted(ids, edges)
    for note in edge_notes(edges, None):
        _LOG.log(level, "%s: %s", name, note)
    return Graph.from_edges(edges, len(ids), table, names, name=name)


def _edges(path: Path) -> Iterator[tuple[int, int]]:
    records = csv_records(path)
    number, header = next(records, (1, []))
    if usual_places(header) != (0, 1) or len(header) != 2:
        raise DataError(f"{path}, line {number}: expected the header from,to or id_1,id_2")
    for number, cells in records:
        where = f"{path}, line {number}"
        if len(cells) != 2:
            raise DataError(f"{where}: {len(cells)} columns: expected two node ids")
        yield _node_id(cells[0], where), _node_id(cells[1], where)


def _feature_lists(path: Path) -> dict[int, object]:
    text = "".join(line for _, line in text_lines(path))
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: broken JSON ({one_line(error)})") from None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise DataError(f"{path}: expected an object that maps node ids to lists of indices")
    lists: dict[int, object] = {}
    for key, value in pairs:
        node = _node_id(key, str(path))
        if node in lists:
            raise DataError(f"{path}: node {node} stands twice")
        lists[node] = value
    return lists


def _columns(path: Path, node: int, indices: object, width: int) -> list[int]:
    """The distinct attribute indices of one node, ascending; repeats stand in the real files."""
    if not isinstance(indices, list):
        raise DataError(f"{path}, node {node}: expected a list of indices, not {shown(indices)}")
    for index in indices:
        if type(index) is not int or not 0 <= index < width:
            raise DataError(
                f"{path}, node {node}: {shown(index)} is not an attribute index below {width}"
            )
    return sorted(set(indices))


def _ones_at(rows: list[list[int]], width: int) -> sp.csr_array:
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    ones = np.ones(len(indices), dtype=np.float32)
    return sp.csr_array((ones, indices, indptr), shape=(len(rows), width))


def _node_id(token: str, where: str) -> int:
    if not _ID.fullmatch(token.strip()):
        raise DataError(f"{where}: {shown(token)} is not an integer node id")
    return int(token)
