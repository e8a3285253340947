"""Graphs from tables: one of edges and perhaps one of nodes.

All readers of tables meet here: they give raw cells, this module numbers the nodes and encodes the
columns.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from garden.datasets.tabular.column_roles import end_columns, name_column
from garden.datasets.tabular.table import (
    ColumnNames,
    ColumnOfNames,
    Table,
    is_frame,
    table_of_frame,
)
from garden.errors import DataError, SpecError, kind_of, short_repr
from garden.graphs.attribute_encoding import encode_columns
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import ParsedGraph

_LOG = logging.getLogger("garden")


def from_pandas(
    edges: Any,
    nodes: Any = None,
    *,
    source_column: str | None = None,
    target_column: str | None = None,
    node_column: str | None = None,
    name: str = "graph",
) -> Graph:
    """The whole graph of a frame of edges and perhaps a frame of nodes, numbers as they are.

    Args:
        edges: A pandas frame with one edge a row; further columns are ignored.
        nodes: A pandas frame with one node a row. Columns other than its name are attributes:
            numbers, booleans, vectors or categories (one-hot).
        source_column: The column that holds one end of an edge.
        target_column: The column that holds the other end.
        node_column: The column of ``nodes`` that names them; the index may do so too. All three
            are found where only one reading makes sense.
        name: What the graph is called.

    """
    for frame, what in ((edges, "edges"), (nodes, "nodes")):
        if frame is not None and not is_frame(frame):
            raise SpecError(f"{what} must be a pandas DataFrame, not {kind_of(frame)}")
    chosen = ColumnNames(source_column, target_column, node_column)
    table = None if nodes is None else table_of_frame(nodes, "nodes", is_nodes=True)
    return parse_tables(table_of_frame(edges, "edges", False), table, name, chosen).graph()


def parse_tables(
    edges: Table,
    nodes: Table | None,
    source: str,
    chosen: ColumnNames,
    directed: bool | None = None,
) -> ParsedGraph:
    """The graph of a table of edges and perhaps one of nodes, as it stands there.

    Args:
        edges: One edge a row.
        nodes: One node a row; columns other than its name are attributes.
        source: What the graph is called, and errors of the whole.
        chosen: The columns that the user named.
        directed: Whether edges have directions; None where the source does not say.

    Returns:
        The graph on the nodes of their table, in its order, then those that only edges name.

    """
    first, second = end_columns(edges, chosen)
    if len(edges.columns) > 2:
        _LOG.info("%s: columns other than the two ends (weights) are ignored", edges.name)
    tails, heads = edges.names_of(first), edges.names_of(second)
    own: list[str] = []
    columns: dict[str, Sequence[object]] = {}
    if nodes is not None:
        key = name_column(nodes, {*tails.names, *heads.names}, chosen)
        own, columns = _distinct_names(nodes, key), nodes.attributes(key)
    elif chosen.node is not None:
        raise DataError(f"{source}: node_column goes with a table of nodes: leave it out")
    pairs, names = _numbered_ends(own, tails, heads)
    _check_ends(own, tails, pairs, source)
    encoded = encode_columns(columns, len(names), nodes.locate if nodes else str, source)
    if directed is None:
        _LOG.info("%s: edges are taken in both directions", source)
    num_without_row = len(names) - len(own) if columns else 0
    return ParsedGraph(source, pairs, names, encoded, directed, num_without_row)


def _numbered_ends(
    own: Sequence[str], tails: ColumnOfNames, heads: ColumnOfNames
) -> tuple[np.ndarray, list[str]]:
    """Positions of the ends of each edge, (num_edges, 2) int64, and the names of all nodes.

    Those of the table of nodes come first, then others in the order in which edges name them.
    """
    positions = {name: position for position, name in enumerate(own)}
    found = [
        (2 * row + side, name)
        for side, column in enumerate((tails, heads))
        for row, name in zip(column.first_rows().tolist(), column.names, strict=True)
        if name not in positions
    ]
    for _, name in sorted(found):
        positions.setdefault(name, len(positions))
    ends = [
        np.array([positions[name] for name in column.names], dtype=np.int64)[column.codes]
        for column in (tails, heads)
    ]
    return np.stack(ends, axis=1), list(positions)


def _check_ends(own: Sequence[str], tails: ColumnOfNames, ends: np.ndarray, source: str) -> None:
    if not own and not ends.size:
        raise DataError(f"{source}: no nodes and no edges: the file is empty")
    if own and ends.size and ends.min() >= len(own):
        raise DataError(
            f"{source}: no edge names a node of the table (it has {short_repr(own[0])}, …, the "
            f"edges {short_repr(tails.names[int(tails.codes[0])])}, …): name the right column with "
            "node_column"
        )


def _distinct_names(nodes: Table, key: str) -> list[str]:
    column = nodes.names_of(key)
    names = [column.names[code] for code in column.codes.tolist()]
    if len(set(names)) == len(names):
        return names
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        if name in rows:
            raise DataError(
                f"{nodes.locate(row)}: node {short_repr(name)} stands twice, "
                f"first in {nodes.locate(rows[name])}"
            )
        rows[name] = row
    return names
