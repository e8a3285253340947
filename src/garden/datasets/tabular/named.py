"""Graphs from edges between names, with or without a table of named columns.

The readers of tables meet here: they parse, this module numbers the nodes and encodes the columns.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from garden.datasets.tabular.tables import ColumnNames, Table, end_columns, name_column
from garden.errors import DataError
from garden.graphs.attribute_encoding import encode_columns
from garden.graphs.cells import shown
from garden.graphs.draft import Draft

_LOG = logging.getLogger("garden")


def draft_of_tables(
    edges: Table,
    nodes: Table | None,
    source: str,
    chosen: ColumnNames,
    directed: bool | None = None,
) -> Draft:
    """The graph of a table of edges and perhaps one of nodes, as it stands there."""
    first, second = end_columns(edges, chosen)
    if len(edges.columns) > 2:
        _LOG.info("%s: columns other than the two ends (weights) are ignored", edges.name)
    tails, heads = edges.names_of(first), edges.names_of(second)
    if nodes is None:
        if chosen.node is not None:
            raise DataError(f"{source}: node_column goes with a table of nodes: leave it out")
        return draft_of_names(tails, heads, None, None, source, directed)
    key = name_column(nodes, {*tails, *heads}, chosen)
    return draft_of_names(tails, heads, nodes, key, source, directed)


def draft_of_names(
    tails: Sequence[str],
    heads: Sequence[str],
    nodes: Table | None,
    key: str | None,
    source: str,
    directed: bool | None = None,
) -> Draft:
    """The graph on the table's nodes, in its order, then those that only edges name.

    ``key`` is the column of the table that names the nodes; the others are attributes.
    """
    own = _distinct_names(nodes, key) if nodes is not None and key is not None else []
    positions = {name: position for position, name in enumerate(own)}
    ends = [
        positions.setdefault(name, len(positions))
        for edge in zip(tails, heads, strict=True)
        for name in edge
    ]
    if not positions:
        raise DataError(f"{source}: no nodes and no edges: the file is empty")
    if own and ends and min(ends) >= len(own):
        raise DataError(
            f"{source}: no edge names a node of the table (it has {shown(own[0])}, …, the edges "
            f"{shown(tails[0])}, …): name the right column with node_column"
        )
    names = list(positions)
    columns = {} if nodes is None or key is None else nodes.attributes(key)
    encoded = encode_columns(columns, len(names), nodes.locate if nodes else str, source)
    if directed is None:
        _LOG.info("%s: edges are taken in both directions", source)
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    num_without_row = len(names) - len(own) if columns else 0
    return Draft(source, edges, names, encoded, directed, num_without_row)


def _distinct_names(nodes: Table, key: str) -> list[str]:
    rows: dict[str, int] = {}
    for row, name in enumerate(nodes.names_of(key)):
        if name in rows:
            raise DataError(
                f"{nodes.locate(row)}: node {shown(name)} stands twice, "
                f"first in {nodes.locate(rows[name])}"
            )
        rows[name] = row
    return list(rows)
