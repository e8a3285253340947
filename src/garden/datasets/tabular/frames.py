"""Graphs from pandas frames: one of edges and perhaps one of nodes.

pandas itself is not imported: whoever has a frame has it, and frames are read through their own
methods.
"""

from __future__ import annotations

from typing import Any

from garden.datasets.tabular.named import draft_of_tables
from garden.datasets.tabular.tables import ColumnNames, Table
from garden.errors import DataError, SpecError
from garden.graphs.cells import shown
from garden.graphs.graph import Graph


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

    The columns that hold an edge's ends and a node's name are found where only one reading makes
    sense; the index of ``nodes`` may be the one that names them. All other columns of ``nodes`` are
    attributes: numbers, booleans, vectors or categories (one-hot).
    """
    for frame, what in ((edges, "edges"), (nodes, "nodes")):
        if frame is not None and not is_frame(frame):
            raise SpecError(f"{what} must be a pandas DataFrame, not a {type(frame).__name__}")
    chosen = ColumnNames(source_column, target_column, node_column)
    table = None if nodes is None else table_of_frame(nodes, "nodes", is_nodes=True)
    return draft_of_tables(table_of_frame(edges, "edges", False), table, name, chosen).graph()


def is_frame(source: Any) -> bool:
    """Whether this is a pandas DataFrame."""
    return any(
        kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"
        for kind in type(source).__mro__
    )


def table_of_frame(frame: Any, name: str, is_nodes: bool) -> Table:
    """A frame's columns as raw cells, with the index where it may say something.

    An index may name nodes. Of edges it counts where it has names and the columns alone are too
    few to hold two ends.
    """
    index = None
    if is_nodes and frame.index.nlevels == 1:
        index = str("index" if frame.index.name is None else frame.index.name)
        index = None if index in map(str, frame.columns.tolist()) else index
    elif None not in frame.index.names and (frame.index.nlevels > 1 or len(frame.columns) < 2):
        frame = frame.reset_index()
    columns: dict[str, list[object]] = {}
    for place, key in enumerate(frame.columns.tolist()):
        if str(key) in columns or not isinstance(key, str | int):
            why = "stands twice" if str(key) in columns else "is no text"
            raise DataError(f"{name}: the column {shown(key)} {why}: rename it")
        columns[str(key)] = frame.iloc[:, place].astype(object).tolist()
    if index is not None:
        columns[index] = frame.index.tolist()
    labels = frame.index.tolist() if frame.index.is_unique else range(len(frame))
    return Table(name, columns, lambda row: f"{name}, row {shown(labels[row])}", index)
