"""SNAP ego networks: ``PREFIX.edges``, ``PREFIX.feat`` and perhaps ``PREFIX.featnames``.

The nodes are those of ``.edges``, in the order in which they first appear there; the ego itself is
not one of them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from garden.datasets.text_files import data_lines
from garden.errors import DataError, SpecError, short_repr
from garden.graphs.graph import AttributeTable, Graph
from garden.graphs.parsed_graph import compact_table, edge_notes, parse_number

_LOG = logging.getLogger("garden")

AttributeOrder = Literal["by-id", "as-published"]
ATTRIBUTE_ORDERS: tuple[str, ...] = get_args(AttributeOrder)

_MAX_FLOAT32 = float(np.finfo(np.float32).max)
_ID = re.compile(r"\d{1,40}", re.ASCII)


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
