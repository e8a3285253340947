"""Graphs from edges between names, with or without a table of named columns.

The text readers meet here: they parse, this module numbers the nodes and encodes the columns.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from garden.errors import DataError
from garden.graphs.columns import encode_columns
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

_HEADERS = (("source", "target"), ("from", "to"), ("id_1", "id_2"))


@dataclass(frozen=True)
class NodeTable:
    """One row of raw cells for each named node."""

    names: Sequence[str]
    columns: dict[str, list[object]]
    locate: Callable[[int], str]
    """Where a row stands, such as ``nodes.csv, line 7``."""


def graph_of_names(edges: Sequence[tuple[str, str]], nodes: NodeTable | None, source: str) -> Graph:
    """The graph on the table's nodes, in its order, then those that only edges name."""
    nodes = nodes or NodeTable((), {}, lambda _: source)
    positions = {name: position for position, name in enumerate(nodes.names)}
    ends = []
    for pair in edges:
        for name in pair:
            ends.append(positions.setdefault(name, len(positions)))
    if not positions:
        raise DataError(f"{source}: no nodes and no edges: the file is empty")
    names = list(positions)
    num_added = len(names) - len(nodes.names)
    columns = {name: cells + [None] * num_added for name, cells in nodes.columns.items()}

    def locate(row: int) -> str:
        return nodes.locate(row) if row < len(nodes.names) else f"node {names[row]!r}"

    table, attribute_names = encode_columns(columns, len(names), locate, source)
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    _LOG.info("%s: edges are taken in both directions", source)
    return Graph.from_edges(pairs, len(names), table, names, attribute_names, source)


def edge_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """Where the two ends stand in a header line; None where the line is no such header."""
    cells = [cell.strip().lower() for cell in header]
    for source, target in _HEADERS:
        if cells.count(source) == 1 and cells.count(target) == 1:
            return cells.index(source), cells.index(target)
    return None
