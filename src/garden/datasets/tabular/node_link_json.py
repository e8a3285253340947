"""Node-link JSON, as NetworkX and D3 write it: a list of nodes and a list of links.

``{"nodes": [{"id": "a", "age": 3}, …], "links": [{"source": "a", "target": "b"}, …]}``; the links
may be called ``edges``, and ``directed`` may say whether they have directions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import ColumnNames, Table
from garden.datasets.text_files import json_content
from garden.errors import DataError
from garden.graphs.parsed_graph import ParsedGraph

_IDS = ("id", "node", "key", "name")
_EXPECTED = 'expected node-link JSON, {"nodes": [{"id": …}, …], "links": [{"source": …}, …]}'


def read_node_link(path: Path, chosen: ColumnNames) -> ParsedGraph:
    """The graph of a node-link JSON file; without ids, links name nodes by their positions.

    Args:
        path: The file.
        chosen: The keys that hold a link's ends and a node's name, where the user named them.

    """
    content = json_content(path)
    if not isinstance(content, dict):
        raise DataError(f"{path}: {_EXPECTED}")
    nodes = _records(path, content, "nodes")
    key = "links" if "links" in content else "edges"
    edges = _table(path, key, _records(path, content, key))
    directed = content.get("directed")
    table = _table(path, "nodes", nodes)
    if not edges.columns:  # not a single link
        edges = Table(edges.name, {"source": [], "target": []}, edges.locate)
    known = directed if isinstance(directed, bool) else None
    if not nodes:
        return parse_tables(edges, None, str(path), chosen, known)
    if chosen.node is None:
        named = next((key for key in _IDS if all(key in node for node in nodes)), None)
        if named is None:
            named = "id"
            positions: list[object] = list(range(len(nodes)))
            table = Table(table.name, {**table.columns, named: positions}, table.locate)
        chosen = ColumnNames(chosen.source, chosen.target, named)
    return parse_tables(edges, table, str(path), chosen, known)


def _records(path: Path, content: dict[str, Any], key: str) -> list[dict[str, Any]]:
    records = content.get(key)
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise DataError(f"{path}: no list of objects under {key!r}: {_EXPECTED}")
    return records


def _table(path: Path, what: str, records: list[dict[str, Any]]) -> Table:
    """One column for each key that any record has, None where a record has none."""
    keys = dict.fromkeys(key for record in records for key in record)
    columns = {key: [record.get(key) for record in records] for key in keys}
    return Table(f"{path}, {what}", columns, lambda row: f"{path}, {what}[{row}]")
