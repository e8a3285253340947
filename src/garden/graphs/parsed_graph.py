"""A graph as its source holds it: cells, columns, and edges before any of them is dropped.

Every reader of people's own files and objects ends here, so that what is lost on the way to a
:class:`Graph` is counted in one place and logged in the same words. Columns that are no numbers
are encoded by :mod:`garden.graphs.attribute_encoding`.
"""

from __future__ import annotations

import logging
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real

import numpy as np
import scipy.sparse as sp

from garden.graphs.graph import AttributeTable, Graph

_LOG = logging.getLogger("garden")

_SPARSE_WIDTH = 512
_SPARSE_DENSITY = 0.1

# No two neighbouring repeats: matching stays linear on megabytes of digits.
_FINITE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_BOOLEANS = {"true": 1.0, "false": 0.0}
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # pandas' own, without importing pandas
_MISSING_TEXTS = {"nan", "NaN", "NAN", "<NA>"}  # as NumPy and pandas spell it


@dataclass(frozen=True)
class EncodedColumns:
    """A table of attributes, the numbers behind it, and how many cells were missing."""

    table: AttributeTable  # (num_rows, num_attributes)
    names: tuple[str, ...]
    numeric: np.ndarray  # (num_numeric,) which columns of the table hold numbers
    numbers: np.ndarray  # (num_rows, num_numeric) float64, NaN where a cell is missing
    num_missing_cells: int = 0
    num_incomplete_rows: int = 0


@dataclass(frozen=True)
class ParsedGraph:
    """Edges as given, attributes as encoded, and what is known of both."""

    name: str
    edges: np.ndarray  # (num_edges, 2) positions of nodes; loops and repeats included
    node_names: Sequence[str]
    columns: EncodedColumns
    directed: bool | None = None
    """Whether edges have directions; None where the source does not say."""
    num_without_row: int = 0
    """How many nodes stand in edges only, although there is a table of nodes."""

    def graph(self) -> Graph:
        """The whole graph; what it leaves out or adds is logged as a warning."""
        graph = Graph.from_edges(
            self.edges,
            len(self.node_names),
            self.columns.table,
            self.node_names,
            self.columns.names,
            self.name,
        )
        for note in (*self._row_notes(), *edge_notes(self.edges, self.directed)):
            _LOG.warning("%s: %s", self.name, note)
        return graph

    def _row_notes(self) -> Iterator[str]:
        num_nodes, columns = len(self.node_names), self.columns
        if self.num_without_row:
            yield f"{self.num_without_row} of {num_nodes} nodes have no row: zeros instead"
        if columns.num_missing_cells:
            yield (
                f"{columns.num_missing_cells} missing cells in {columns.num_incomplete_rows} of "
                f"{num_nodes} nodes count as zeros"
            )


def edge_notes(edges: np.ndarray, directed: bool | None) -> Iterator[str]:
    """What an undirected simple graph loses of these edges: self-loops, repeats, directions.

    Args:
        edges: Positions of nodes, (num_edges, 2).
        directed: Whether edges have directions. None where the source does not say: then they
            have if some links stand in both directions and others in one.

    Yields:
        One line of text for each kind of loss; nothing where nothing is lost.

    """
    tails, heads = np.asarray(edges, dtype=np.int64).reshape(-1, 2).T
    num_loops = int((tails == heads).sum())
    if num_loops:
        yield f"{num_loops} self-loops are dropped"
    linked = tails != heads
    tails, heads = tails[linked], heads[linked]
    if directed is False:
        tails, heads = np.minimum(tails, heads), np.maximum(tails, heads)
    num_nodes = int(max(tails.max(initial=0), heads.max(initial=0))) + 1
    keys = np.sort(tails * num_nodes + heads)
    there = keys[np.diff(keys, prepend=-1) > 0]
    if len(there) < len(tails):
        yield f"{len(tails) - len(there)} of {len(tails)} edges repeat others: they are merged"
    back = there % num_nodes * num_nodes + there // num_nodes
    num_one_way = len(there) - len(np.intersect1d(there, back, assume_unique=True))
    num_links = num_one_way + (len(there) - num_one_way) // 2
    if num_one_way and directed is not False and (directed or num_one_way < num_links):
        yield (
            f"{num_one_way} of {num_links} links stand in one direction only: "
            "they are taken in both directions"
        )


def plain_columns(table: AttributeTable, names: Sequence[str]) -> EncodedColumns:
    """A table of numbers as it is, every column numeric where it is dense.

    Args:
        table: (num_rows, num_attributes) float32, dense or sparse.
        names: One for each column.
    """
    dense = isinstance(table, np.ndarray)
    numeric = np.arange(table.shape[1] if dense else 0)
    numbers = np.asarray(table, dtype=np.float64) if dense else np.zeros((table.shape[0], 0))
    return EncodedColumns(table, tuple(names), numeric, numbers)


def compact_table(table: sp.coo_array) -> AttributeTable:
    """The same numbers in float32: CSR where wider than 512 and under a tenth full, else dense."""
    num_rows, width = table.shape
    if width > _SPARSE_WIDTH and table.nnz < _SPARSE_DENSITY * num_rows * width:
        return sp.csr_array(table, dtype=np.float32)
    return table.toarray().astype(np.float32)


class StoredColumn(Sequence[object]):
    """A column of cells that is stored as an array and knows its distinct ones.

    A reader of large tables keeps a column packed. Questions about all of its cells are then
    answered from its distinct ones, or from an array of numbers, without an object for each row. A
    column is otherwise a sequence of raw cells like any other.
    """

    @abstractmethod
    def coded(self) -> tuple[np.ndarray, list[object]]:
        """The number of each row's cell among the distinct ones, (num_rows,), and these."""

    @abstractmethod
    def numbers(self) -> np.ndarray | None:
        """The cells as float64, NaN where one is missing, (num_rows,).

        None unless all are numbers that are finite in 32 bits.
        """

    @abstractmethod
    def taken(self, rows: np.ndarray) -> StoredColumn:
        """The cells of these rows."""


def distinct_cells(cells: Sequence[object]) -> Iterable[object]:
    """Every cell at least once."""
    return cells.coded()[1] if isinstance(cells, StoredColumn) else cells


def numbered_cells(cells: Sequence[object]) -> tuple[np.ndarray, list[object]]:
    """The number of each row's cell among some cells, (num_rows,) int64, and those."""
    if isinstance(cells, StoredColumn):
        return cells.coded()
    return np.arange(len(cells)), list(cells)


def is_missing(cell: object) -> bool:
    """Whether the cell is empty, a NaN or the text of one, ``None`` or pandas' ``NA``."""
    if isinstance(cell, str):
        return not cell or cell.isspace() or cell.strip() in _MISSING_TEXTS
    if isinstance(cell, float):
        return cell != cell
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    if type(cell).__name__ in _MISSING_TYPES:
        return True
    number = as_number(cell) if isinstance(cell, Real | Decimal | np.ndarray) else None
    return number is not None and number != number


def is_vector(cell: object) -> bool:
    """Whether the cell holds several values in a row: a list, a tuple or an array."""
    return isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim > 0)


def parse_number(text: str) -> float | None:
    """The number that this text spells, ``nan`` and ``inf`` included; None where it is none.

    Stricter than ``float``: no underscores, no digits beyond ASCII.
    """
    text = text.strip()
    if _FINITE.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(text)
    return None


def as_number(cell: object) -> float | None:
    """The cell as a number, infinite where it is too large for a float; None for a boolean."""
    if isinstance(cell, np.ndarray):
        cell = cell.item() if cell.ndim == 0 else None
    if isinstance(cell, str):
        return parse_number(cell)
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return None
    try:
        return float(cell)
    except OverflowError:
        return float("inf")
    except ValueError:  # a signalling NaN
        return float("nan")


def as_boolean(cell: object) -> float | None:
    """0 or 1 where the cell is a boolean or spells one; None otherwise."""
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    return _BOOLEANS.get(cell.strip().lower()) if isinstance(cell, str) else None
