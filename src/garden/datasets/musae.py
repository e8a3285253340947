"""MUSAE graphs: a CSV of edges and a JSON object that lists each node's attribute indices.

Two naming schemes are in circulation: ``musae_PTBR_edges.csv`` with ``musae_PTBR_features.json``,
and ``PTBR_edges.csv`` with ``PTBR.json``. ``_target.csv``, the labels of a classification task, is
left out.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from garden.datasets.catalogue import DATASETS
from garden.datasets.tabular.column_roles import usual_end_columns
from garden.datasets.text_files import csv_records, json_content
from garden.errors import DataError, short_repr
from garden.graphs.ego import row_offsets
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import edge_notes

_LOG = logging.getLogger("garden")

_MAX_WIDTH = 10_000_000  # a larger index is a mistake, and would cost a name for every column
_ID = re.compile(r"\d{1,18}", re.ASCII)
_EDGES = "_edges.csv"


def musae_files(stem: str) -> tuple[str, str, str, str]:
    """The names that the edges and features files of a graph may have, in either scheme."""
    return (
        f"{stem}{_EDGES}",
        f"{stem}.json",
        f"musae_{stem}{_EDGES}",
        f"musae_{stem}_features.json",
    )


def find_musae(folder: Path, stem: str) -> tuple[Path, Path] | None:
    """The edges and features files of a graph such as ``PTBR``, where there are both.

    They may lie in the folder itself or in one of the graph's own, as in the published archive.

    Args:
        folder: Where to look.
        stem: What the graph's files begin with.

    Returns:
        Both paths; None where one is missing.
    """
    plain_edges, plain_features, edges, features = musae_files(stem)
    for inner in (folder, folder / stem):
        for names in ((plain_edges, plain_features), (edges, features)):
            found = inner / names[0], inner / names[1]
            if all(file.is_file() for file in found):
                return found
    return None


def musae_stems(folder: Path) -> list[str]:
    """The graphs in a folder: what stands before ``_edges.csv`` where features stand beside it."""
    try:
        files = sorted(folder.glob(f"*{_EDGES}"))
    except OSError:
        return []
    stems = [file.name.removesuffix(_EDGES) for file in files if file.is_file()]
    return [stem for stem in stems if stem and _features(folder, stem) is not None]


def read_musae_folder(folder: Path) -> Graph:
    """The graph of a folder that holds one; of several, one has to be named."""
    stems = musae_stems(folder)
    if len(stems) != 1:
        raise DataError(
            f"{folder}: holds several MUSAE graphs ({', '.join(stems)}): name one, "
            f"such as {folder / stems[0]}"
        )
    return read_musae_stem(folder / stems[0], str(folder))


def read_musae_stem(prefix: Path, name: str | None = None) -> Graph:
    """The graph whose files begin with this path, such as ``data/musae_PTBR``.

    Args:
        prefix: What stands before ``_edges.csv``; :func:`musae_stems` lists those of a folder.
        name: What the graph is called, if not by its path.

    """
    features = _features(prefix.parent, prefix.name)
    assert features is not None  # it was found by them
    if (prefix.parent / f"{prefix.name}_target.csv").is_file():
        _LOG.info("%s: the labels in _target.csv are not taken for attributes", prefix)
    edges = prefix.parent / f"{prefix.name}{_EDGES}"
    return read_musae(edges, features, _known_width(prefix.name), name or str(prefix))


def read_musae(
    edges_path: Path,
    features_path: Path,
    width: int | None,
    name: str = "graph",
    level: int = logging.WARNING,
) -> Graph:
    """The whole graph, nodes in ascending order of their ids, attributes a sparse 0/1 table.

    Args:
        edges_path: CSV with a header and two node ids a line.
        features_path: JSON, ``{"node id": [attribute index, …], …}``.
        width: How many attributes there are; as many as the highest index asks for if None.
        name: What the graph is called.
        level: The level at which missing rows and dropped edges are logged.

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
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    offsets = row_offsets(np.array([len(row) for row in rows]))
    ones = np.ones(len(indices), dtype=np.float32)
    table = sp.csr_array((ones, indices, offsets), shape=(len(rows), width))
    names = [str(node) for node in ids.tolist()]
    edges = np.searchsorted(ids, edges)
    for note in edge_notes(edges, None):
        _LOG.log(level, "%s: %s", name, note)
    return Graph.from_edges(edges, len(ids), table, names, name=name)


def _features(folder: Path, stem: str) -> Path | None:
    for name in (f"{stem}_features.json", f"{stem}.json"):
        if (folder / name).is_file():
            return folder / name
    return None


def _known_width(stem: str) -> int | None:
    """How many attributes the graphs of this dataset share, where it is one of the catalogue."""
    member = stem.removeprefix("musae_")
    return next((d.width for d in DATASETS.values() if d.width and member in d.members), None)


def _edges(path: Path) -> Iterator[tuple[int, int]]:
    records = csv_records(path)
    number, header = next(records, (1, []))
    if usual_end_columns(header) != (0, 1) or len(header) != 2:
        raise DataError(f"{path}, line {number}: expected the header from,to or id_1,id_2")
    for number, cells in records:
        where = f"{path}, line {number}"
        if len(cells) != 2:
            raise DataError(f"{where}: {len(cells)} columns: expected two node ids")
        yield _node_id(cells[0], where), _node_id(cells[1], where)


def _feature_lists(path: Path) -> dict[int, object]:
    pairs = json_content(path, object_pairs_hook=list)
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
        raise DataError(
            f"{path}, node {node}: expected a list of indices, not {short_repr(indices)}"
        )
    for index in indices:
        if type(index) is not int or not 0 <= index < width:
            raise DataError(
                f"{path}, node {node}: {short_repr(index)} is not an attribute index below {width}"
            )
    return sorted(set(indices))


def _node_id(token: str, where: str) -> int:
    if not _ID.fullmatch(token.strip()):
        raise DataError(f"{where}: {short_repr(token)} is not an integer node id")
    return int(token)
