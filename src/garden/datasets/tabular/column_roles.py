"""Which columns of a table mean what: the two ends of an edge, and the name of a node.

They go by the names that the user gave, by usual names (``source,target``, ``from,to``, …), or
are found where only one reading of the table makes sense.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from garden.datasets.tabular.table import ColumnNames, Table, cell_name
from garden.errors import DataError, short_repr, short_text
from garden.graphs.parsed_graph import as_number, distinct_cells

_PAIRS = (
    ("source", "target"),
    ("from", "to"),
    ("id_1", "id_2"),
    ("id1", "id2"),
    ("node_1", "node_2"),
    ("node1", "node2"),
    ("src", "dst"),
    ("source_id", "target_id"),
    ("from_id", "to_id"),
    ("u", "v"),
    ("follower", "followee"),
    ("user_1", "user_2"),
    ("user1", "user2"),
)
_WEIGHTS = {"weight", "weights", "w", "count", "value", "time", "timestamp", "date", "type", "kind"}
_NODE_NAMES = ("node", "id", "node_id", "nodeid", "name", "label", "key")
_MAX_LISTED = 12
ENDS = ("source_column", "target_column")  # the arguments that name the ends of an edge


class ColumnsError(DataError):
    """A table whose columns must be told apart by somebody who knows it.

    Args:
        why: What is unclear.
        advice: How a caller of :func:`garden.load` makes it clear.
        columns: The columns there are.
        arguments: Those of :func:`garden.load` that name the columns which are looked for.
    """

    def __init__(
        self, why: str, advice: str, columns: Sequence[str], arguments: Sequence[str]
    ) -> None:
        super().__init__(f"{why} {advice}")
        self.why = why
        self.columns = tuple(columns)
        self.arguments = tuple(arguments)


def end_columns(table: Table, chosen: ColumnNames) -> tuple[str, str]:
    """The columns that hold the two ends of each edge: source, then target.

    Args:
        table: A table of edges.
        chosen: The columns that the user named, which always win.

    Raises:
        DataError: If a named column is not there, or more than one pair could be meant.

    """
    keys = list(table.columns)
    for argument, column in chosen.given.items():
        if argument != "node_column" and column not in keys:
            raise _no_column(table, column, argument)
    pair = chosen.source, chosen.target
    if pair[0] is not None and pair[1] is not None:
        if pair[0] == pair[1]:
            raise DataError(f"{table.name}: source_column and target_column are both {pair[0]!r}")
        return pair[0], pair[1]
    usual = _usual_pair(keys)
    found = usual if usual and _fits(usual, pair) else _only_pair(table, pair)
    if found is None:
        raise ColumnsError(
            f"{table.name}: which columns hold the two ends of an edge?",
            f"Name them with source_column and target_column; there are {_listed(keys)}",
            keys,
            ENDS,
        )
    return found


def usual_end_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the two ends in a header of usual names; None where it is no such header.

    >>> usual_end_columns(["weight", "From", "To"])
    (1, 2)
    """
    keys = [cell.strip().lower() for cell in header]
    pair = _usual_pair(keys) if len(set(keys)) == len(keys) else _first_pair(keys)
    return (keys.index(pair[0]), keys.index(pair[1])) if pair else None


def name_column(table: Table, ends: Collection[str], chosen: ColumnNames) -> str:
    """The column that names the nodes of a table.

    Unless it is ``node``, it must be the only one of distinct names with half of those in edges,
    or the only one of these with a usual name, or with all that edges use.

    Args:
        table: A table of nodes.
        ends: The names that edges use.
        chosen: The columns that the user named, which always win.

    """
    keys = list(table.columns)
    if chosen.node is not None:
        if chosen.node not in keys:
            raise _no_column(table, chosen.node, "node_column")
        return chosen.node
    if "node" in keys:
        return "node"
    known = set(ends)
    fitting = [key for key in keys if _names_nodes(table.columns[key], known)]
    usual = [key for key in fitting if key.strip().lower() in _NODE_NAMES]
    whole = [key for key in fitting if known <= _names_in(table.columns[key])]
    for found in (fitting, usual, whole):
        if len(found) == 1:
            return found[0]
    if len(keys) == 1:
        return keys[0]
    raise ColumnsError(
        f"{table.name}: expected a header with the column node: which column names the nodes?",
        f"Name it with node_column; there are {_listed(keys)}",
        keys,
        ("node_column",),
    )


def _usual_pair(keys: Sequence[str]) -> tuple[str, str] | None:
    """The pair of usual names in these keys; None where there is none, or several without ours."""
    lower = {key.strip().lower(): key for key in keys}
    pairs = [(lower[a], lower[b]) for a, b in _PAIRS if a in lower and b in lower]
    first = _PAIRS[0][0] in lower and _PAIRS[0][1] in lower
    return pairs[0] if pairs and (first or len(pairs) == 1) else None


def _first_pair(keys: Sequence[str]) -> tuple[str, str] | None:
    return next((p for p in _PAIRS if keys.count(p[0]) == 1 and keys.count(p[1]) == 1), None)


def _only_pair(table: Table, pair: tuple[str | None, str | None]) -> tuple[str, str] | None:
    """The two columns that are left where all others cannot be meant; None where it is not two."""
    likely = list(table.columns)
    if len(likely) > 2:
        likely = [key for key in likely if key in pair or _may_hold_names(key, table.columns[key])]
    pairs = [one for one in combinations(likely, 2) if all(p is None or p in one for p in pair)]
    if len(pairs) > 1:  # ends are names of the same nodes; times and weights are not
        names = {key: _names_in(table.columns[key]) for key in likely}
        pairs = [(a, b) for a, b in pairs if not names[a].isdisjoint(names[b])]
    if len(pairs) != 1:
        return None
    first, second = pairs[0]
    swapped = pair[0] == second or pair[1] == first
    return (second, first) if swapped else (first, second)


def _fits(found: tuple[str, str], pair: tuple[str | None, str | None]) -> bool:
    return all(given is None or given == key for key, given in zip(found, pair, strict=True))


def _names_in(cells: Sequence[object]) -> set[str | None]:
    return set(map(cell_name, distinct_cells(cells)))


def _may_hold_names(key: str, cells: Sequence[object]) -> bool:
    """Whether a column may hold names of nodes: nothing missing, no fractions, no weights."""
    if key.strip().lower() in _WEIGHTS:
        return False
    return all(
        cell_name(cell) is not None and (as_number(cell) or 0.0).is_integer()
        for cell in distinct_cells(cells)
    )


def _names_nodes(cells: Sequence[object], ends: set[str]) -> bool:
    """Whether the cells are distinct names, and at least half of the edges' ends are among them."""
    names = _names_in(cells)
    return None not in names and len(names) == len(cells) and 2 * len(ends & names) >= len(ends)


def _no_column(table: Table, column: str, argument: str) -> DataError:
    return DataError(
        f"{table.name}: no column {short_repr(column)}, as {argument} says: "
        f"there are {_listed(list(table.columns))}"
    )


def _listed(keys: Sequence[str]) -> str:
    names = ", ".join(short_text(key) for key in keys[:_MAX_LISTED])
    more = f" and {len(keys) - _MAX_LISTED} more" if len(keys) > _MAX_LISTED else ""
    return (names or "no columns") + more
