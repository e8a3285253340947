"""Edge lists: one edge a line, separated by white space, commas or tabs, gzipped or not.

Node names are any tokens. Comment lines and a third column (a weight) are passed over; a header
may name the columns, which then stand in any order. The written form keeps names and edges only.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from garden.datasets.tabular.column_roles import ENDS, ColumnsError, usual_end_columns
from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import (
    ColumnNames,
    Record,
    Table,
    TextFormat,
    column_keys,
    columns_below,
)
from garden.datasets.text_files import (
    csv_delimiter,
    csv_records,
    inner_suffix,
    is_gzipped,
    quoted,
    text_lines,
    without_comments,
)
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import ParsedGraph, distinct_cells, parse_number
from garden.storage import write_file

_LOG = logging.getLogger("garden")

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_edge_list(path: Path, chosen: ColumnNames) -> ParsedGraph:
    """The graph of an edge list; nodes stand in the order in which they first appear.

    Args:
        path: A text file with one edge a line, gzipped or not.
        chosen: The columns that hold the two ends, as a header names them; without them the
            first two columns, or those of a header with usual names.

    """
    if chosen.node is not None:
        raise DataError(f"{path}: node_column goes with a table of nodes: leave it out")
    lines = _edge_lines_of(path)
    if _has_header(lines, path, chosen):
        return _parse_under_header(lines, path, chosen)
    if len(lines.first) > 2:
        _LOG.info("%s: columns beyond the two ends (weights) are ignored", path)
    ends = [
        _preceded(cell, column) for cell, column in zip(lines.first, lines.columns, strict=True)
    ]

    def locate(row: int) -> str:
        return lines.locate(row - 1) if row else f"{path}, line {lines.number}"

    table = Table(str(path), {"source": ends[0], "target": ends[1]}, locate)
    return parse_tables(table, None, str(path), ColumnNames())


def write_edge_list(graph: Graph, path: Path) -> None:
    """Write names and edges under a header; attributes and lone nodes are left out with a warning.

    Commas separate the names in ``.csv``, tabs in ``.tsv`` and blanks in all other files; a name
    that ends in ``.gz`` is gzipped.

    Args:
        graph: The graph.
        path: The file.
    """
    if graph.num_attributes:
        _LOG.warning("%s: an edge list holds no attributes: they are not written", path)
    num_alone = int((graph.degrees == 0).sum())
    if num_alone:
        _LOG.warning("%s: %d nodes without edges are not written", path, num_alone)
    delimiter = _DELIMITERS.get(inner_suffix(path), " ")
    if delimiter == " ":
        _refuse_unwritable(graph.node_names, path)
    text = "".join(edge_lines(graph, delimiter)).encode()
    packed = gzip.compress(text, mtime=0) if is_gzipped(path) else text
    write_file(path, lambda temporary: temporary.write_bytes(packed))


def edge_lines(graph: Graph, delimiter: str) -> Iterator[str]:
    """The lines of an edge list, a header first; names are quoted unless blanks separate them.

    Args:
        graph: The graph.
        delimiter: What separates the two names of a line.
    """
    names = graph.node_names
    if delimiter != " ":
        names = tuple(quoted(name, delimiter) for name in names)
    yield f"source{delimiter}target\n"
    for tail, head in graph.edges().tolist():
        yield f"{names[tail]}{delimiter}{names[head]}\n"


@dataclass(frozen=True)
class _EdgeLines:
    """The first line of an edge list, and the columns of those below it."""

    number: int
    first: list[str]
    columns: list[Sequence[object]]
    locate: Callable[[int], str]


def _edge_lines_of(path: Path) -> _EdgeLines:
    delimiter = csv_delimiter(path)
    records = _records(path, delimiter, text_lines(path))
    number, first = next(records, (0, []))
    if not first:
        raise DataError(f"{path}: no edges: expected lines such as 'source target'")
    width = len(first)

    def wrong_width(number: int, count: int) -> DataError:
        have = f"{count} columns where the first line has {width}"
        return DataError(f"{path}, line {number}: {have}")

    form = TextFormat(delimiter, "#%", partial(_records, path, delimiter), wrong_width)
    return _EdgeLines(number, first, *columns_below(path, form, width, number, records))


def _preceded(cell: str, column: Sequence[object]) -> Sequence[object]:
    """The column with a cell before its first."""
    return [cell, *column] if isinstance(column, list) else cast(Any, column).preceded_by(cell)


def _has_header(lines: _EdgeLines, path: Path, chosen: ColumnNames) -> bool:
    """Whether the first line names the columns: columns were named, or nothing else fits."""
    first = lines.first
    if chosen.given or usual_end_columns(first):
        return True
    if csv_delimiter(path) and _starts_with_header(first, lines.columns):
        _LOG.info("%s: the first line is taken for a header: words above numbers", path)
        return True
    if len(first) < 2 or len(first) > 3:
        raise ColumnsError(
            f"{path}, line {lines.number}: {len(first)} columns: expected source, target and "
            "perhaps a weight, or a header that names them",
            "(source_column, target_column)",
            first if len(set(first)) == len(first) > 1 else (),
            ENDS,
        )
    return False


def _parse_under_header(lines: _EdgeLines, path: Path, chosen: ColumnNames) -> ParsedGraph:
    keys = column_keys(lines.first, f"{path}, line {lines.number}")
    if not lines.columns[0]:
        raise DataError(f"{path}: no edges: only a header")
    columns = dict(zip(keys, lines.columns, strict=True))
    return parse_tables(Table(str(path), columns, lines.locate), None, str(path), chosen)


def _starts_with_header(first: list[str], columns: list[Sequence[object]]) -> bool:
    """Whether the first line holds words that stand nowhere else, and fits only as a header.

    Below it both ends are numbers, or with more than two columns any of them; more than three
    columns mean nothing without a header.
    """
    if not columns[0] or any(not cell or parse_number(cell) is not None for cell in first):
        return False
    cells = [[str(cell) for cell in distinct_cells(column)] for column in columns]
    words = set(first)
    if any(not words.isdisjoint(some) for some in cells):
        return False
    numeric = [all(parse_number(cell) is not None for cell in some) for some in cells]
    if len(first) == 2:
        return all(numeric)
    return len(first) > 3 or any(numeric)


def _records(
    path: Path, delimiter: str | None, lines: Iterator[tuple[int, str]]
) -> Iterator[Record]:
    """The cells of numbered lines, with the number of each record's first line."""
    if delimiter:
        yield from csv_records(path, delimiter, "#%", lines)
        return
    for number, line in without_comments(lines, "#%"):
        before, brace, _ = line.rstrip().partition(" {")  # NetworkX writes a dict of edge data
        yield number, [*before.split(), *([brace] if brace else [])]


def _refuse_unwritable(names: tuple[str, ...], path: Path) -> None:
    for name in names:
        if name.split() != [name] or "," in name or name[0] in "#%{":
            raise DataError(
                f"{path}: the name {name!r} does not fit a plain edge list: write .csv instead"
            )
