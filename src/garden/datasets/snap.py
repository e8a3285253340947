"""SNAP's public graphs by name, and the reader of its ego networks.

A dataset of the catalogue is looked for in ``$GARDEN_DATA``, then in the user's cache
(``$GARDEN_CACHE`` moves it), then fetched (:mod:`garden.datasets.fetch`). MUSAE's files are read by
:mod:`garden.datasets.musae`.

An ego network is ``PREFIX.edges``, ``PREFIX.feat`` and perhaps ``PREFIX.featnames``. Its nodes are
those of ``.edges``, in the order in which they first appear there; the ego itself is not one of
them.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from garden.datasets.catalogue import DATASETS, Dataset
from garden.datasets.musae import find_musae, musae_files, read_musae
from garden.datasets.text_files import data_lines
from garden.datasets.wikispeedia import holds_wikispeedia, read_wikispeedia
from garden.errors import DataError, SpecError, one_line, short_repr, short_text
from garden.graphs.graph import AttributeTable, Graph
from garden.graphs.parsed_graph import compact_table, edge_notes, parse_number

_LOG = logging.getLogger("garden")

AttributeOrder = Literal["by-id", "as-published"]
ATTRIBUTE_ORDERS: tuple[str, ...] = get_args(AttributeOrder)

_MAX_FLOAT32 = float(np.finfo(np.float32).max)
_ID = re.compile(r"\d{1,40}", re.ASCII)


def load_public_graph(
    name: str, member: str | int, attributes: str = "by-id", folder: str | Path | None = None
) -> Graph:
    """The whole graph of one member of a dataset, fetched where it is not there yet.

    Args:
        name: The dataset: ``facebook``, ``twitch``, ``musae-facebook`` or ``wikispeedia``.
        member: Its graph: an ego such as ``414``, a country such as ``PTBR``, or ``facebook``.
        attributes: For ``facebook``, ``by-id`` or, as in the paper's released code,
            ``as-published`` (:func:`read_snap`).
        folder: Where its files lie, if not in the usual places.

    Returns:
        The graph with all its components. An ego network is that of the ego's friends; the ego
        is not a node of it.

    """
    member = str(member)
    found = find_dataset(name, member) if folder is None else Path(folder)
    return read_member(dataset_named(name), found, member, attributes)


def find_dataset(name: str, member: str | None = None) -> Path:
    """The folder that holds a dataset, or this member of it; fetched where there is none yet.

    Args:
        name: The dataset.
        member: Its graph; any of them will do where it is left out.

    Raises:
        SpecError: If there is no such dataset or no such graph in it.
        DataError: If it can neither be read nor fetched.

    """
    dataset = dataset_named(name)
    members = dataset.members if member is None else (member,)
    if not all(one.isalnum() for one in members):
        raise _no_such_graph(dataset, member)
    for folder in _usual_folders(dataset):
        try:
            if any(holds_member(dataset, folder, one) for one in members):
                return folder
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or one_line(error)
            raise DataError(f"{folder}: cannot be read ({reason})") from None
        if folder.parent == data_folder():
            _LOG.info("%s: GARDEN_DATA is set, but has no such graph in %s", name, folder)
    if not set(members) <= set(dataset.members):
        raise _no_such_graph(dataset, member)
    from garden.datasets.fetch import fetch_dataset

    return fetch_dataset(name)


def dataset_named(name: str) -> Dataset:
    """The dataset of the catalogue with this name, or an error that lists the names."""
    if name not in DATASETS:
        known = ", ".join(DATASETS)
        raise SpecError(f"no dataset called {short_repr(name)}: the datasets are {known}")
    return DATASETS[name]


def holds_member(dataset: Dataset, folder: Path, member: str) -> bool:
    """Whether the files of this member lie in a folder.

    Args:
        dataset: The family of graphs.
        folder: Where its files would lie.
        member: The graph, as its files name it.
    """
    if dataset.kind == "wikispeedia":
        return holds_wikispeedia(folder)
    if dataset.width is None:
        return (folder / f"{member}.edges").is_file()
    return find_musae(folder, member) is not None


def read_member(dataset: Dataset, folder: Path, member: str, attributes: str = "by-id") -> Graph:
    """The whole graph of one member; what public files lack is known, and logged at INFO only.

    Args:
        dataset: The family of graphs.
        folder: Where its files lie.
        member: The graph, as its files name it.
        attributes: For SNAP ego networks, as for :func:`read_snap`.
    """
    if dataset.kind == "wikispeedia":
        return read_wikispeedia(folder)
    if dataset.width is None:
        return read_snap(folder / member, attributes, logging.INFO)
    files = find_musae(folder, member)
    if files is None:
        raise DataError(f"{folder}: no {musae_files(member)[0]} with its features file beside it")
    return read_musae(*files, dataset.width, f"{dataset.name}:{member}", logging.INFO)


def data_folder() -> Path | None:
    """The folder that ``$GARDEN_DATA`` names, if it does."""
    given = os.environ.get("GARDEN_DATA")
    return Path(given) if given else None


def cache_folder() -> Path | None:
    """The folder that fetched datasets are kept in; None where pooch is missing."""
    moved = os.environ.get("GARDEN_CACHE")
    if moved:
        return Path(moved)
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("garden"))


def read_snap(prefix: str | Path, attributes: str = "by-id", level: int = logging.WARNING) -> Graph:
    """The whole graph of a SNAP ego network.

    Args:
        prefix: The path of its files without their suffixes, such as ``facebook/414``.
        attributes: ``by-id`` gives each node the ``.feat`` row with its id. ``as-published`` gives
            the i-th node row i, whatever its id: a slip in the paper's released code, and the
            order behind its published numbers.
        level: The level at which missing rows and dropped edges are logged.

    Returns:
        The graph; a node without a row has zeros.

    Raises:
        DataError: If a file is missing or a line of it cannot be read.
        SpecError: If ``attributes`` is neither of the two.

    """
    if attributes not in ATTRIBUTE_ORDERS:
        known = " or ".join(ATTRIBUTE_ORDERS)
        raise SpecError(f"attributes={attributes}: expected {known}")
    edges = _read_edges(Path(f"{prefix}.edges"))
    positions: dict[str, int] = {}
    ends = [positions.setdefault(end, len(positions)) for pair in edges for end in pair]
    feat = Path(f"{prefix}.feat")
    ids, rows = _read_feat(feat)
    if attributes == "by-id":
        row_of = {node: row for row, node in enumerate(ids)}
        chosen = [row_of.get(node) for node in positions]
    else:
        chosen = [row if row < len(ids) else None for row in range(len(positions))]
    names = _read_featnames(Path(f"{prefix}.featnames"), rows.shape[1])
    table = _rows_or_zeros(rows, chosen, feat, level)
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    for note in edge_notes(pairs, None):
        _LOG.log(level, "%s: %s", prefix, note)
    return Graph.from_edges(pairs, len(positions), table, list(positions), names, str(prefix))


def found_here(name: str) -> Path | None:
    """The folder that holds a dataset on this machine already; None where it would be fetched."""
    dataset = dataset_named(name)
    for folder in _usual_folders(dataset):
        with suppress(OSError):
            if any(holds_member(dataset, folder, one) for one in dataset.members):
                return folder
    return None


def _usual_folders(dataset: Dataset) -> Iterator[Path]:
    for base in (data_folder(), cache_folder()):
        if base is not None:
            yield base / dataset.folder


def _no_such_graph(dataset: Dataset, member: str | None) -> SpecError:
    name, members = dataset.name, ", ".join(dataset.members)
    return SpecError(f"{name}:{short_text(str(member))}: no such graph: {name} has {members}")


def _read_edges(path: Path) -> list[tuple[str, str]]:
    edges = []
    for number, line in data_lines(path, comments="#"):
        tokens = line.split()
        if len(tokens) != 2:
            raise DataError(f"{path}, line {number}: {len(tokens)} columns: expected two node ids")
        where = f"{path}, line {number}"
        edges.append((_node_id(tokens[0], where), _node_id(tokens[1], where)))
    if not edges:
        raise DataError(f"{path}: no edges: the file is empty")
    return edges


def _read_feat(path: Path) -> tuple[list[str], np.ndarray]:
    """The ids, and the rows that stand beside them, (num_rows, num_attributes) float32."""
    ids: dict[str, int] = {}
    rows: list[np.ndarray] = []
    known: dict[str, float] = {}
    for number, line in data_lines(path, comments=""):
        where = f"{path}, line {number}"
        node, *tokens = line.split()
        node = _node_id(node, where)
        if node in ids:
            raise DataError(f"{where}: node {node} stands twice, first in line {ids[node]}")
        if rows and len(tokens) != len(rows[0]):
            raise DataError(
                f"{where}: {len(tokens)} values where the first row has {len(rows[0])}: "
                "correct or remove the row"
            )
        ids[node] = number
        rows.append(_numbers(tokens, known, where))
    if not rows:
        raise DataError(f"{path}: no rows: the file is empty")
    return list(ids), np.stack(rows)


def _read_featnames(path: Path, width: int) -> list[str] | None:
    if not path.exists():
        return None
    names: dict[str, int] = {}
    for column, (number, line) in enumerate(data_lines(path, comments="")):
        index, *rest = line.strip().split(maxsplit=1)
        if index != str(column) or not rest:
            raise DataError(f"{path}, line {number}: expected '{column} NAME'")
        name = rest[0]
        if name in names:
            raise DataError(f"{path}, line {number}: the name {short_repr(name)} stands twice")
        names[name] = number
    if len(names) != width:
        raise DataError(f"{path}: {len(names)} names for the {width} columns of the .feat file")
    return list(names)


def _node_id(token: str, where: str) -> str:
    if not _ID.fullmatch(token):
        raise DataError(f"{where}: {short_repr(token)} is not an integer node id")
    return str(int(token))


def _numbers(tokens: list[str], known: dict[str, float], where: str) -> np.ndarray:
    for token in dict.fromkeys(tokens):  # in their order: of two wrong ones the first is named
        if token in known:
            continue
        number = parse_number(token)
        if number is None or not abs(number) <= _MAX_FLOAT32:
            raise DataError(f"{where}: {short_repr(token)} is not a finite number")
        known[token] = number
    return np.array([known[token] for token in tokens], dtype=np.float32)


def _rows_or_zeros(
    rows: np.ndarray, chosen: Sequence[int | None], path: Path, level: int
) -> AttributeTable:
    """The chosen rows, zeros where there is none to choose."""
    found = {node: row for node, row in enumerate(chosen) if row is not None}
    num_missing = len(chosen) - len(found)
    if num_missing:
        what = "%s: %d of %d nodes have no row: zeros instead"
        _LOG.log(level, what, path, num_missing, len(chosen))
    table = np.zeros((len(chosen), rows.shape[1]), dtype=np.float32)
    table[list(found)] = rows[list(found.values())]
    return compact_table(sp.coo_array(table))
