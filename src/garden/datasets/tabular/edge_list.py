"""Edge lists: one edge a line, separated by white space, commas or tabs, gzipped or not.

Node names are any tokens. Comment lines and a third column (a weight) are passed over; a header
may name the columns, which then stand in any order. The written form keeps names and edges only.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from garden.datasets.tabular.column_roles import usual_end_columns
from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import ColumnNames, column_keys, table_of_rows
from garden.datasets.text_files import (
    csv_delimiter,
    csv_records,
    data_lines,
    inner_suffix,
    is_gzipped,
    quoted,
)
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import ParsedGraph, parse_number
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
    rows = _rows_of_one_width(path)
    if _has_header(rows, path, chosen):
        return _parse_under_header(rows, path, chosen)
    if len(rows[0][1]) > 2:
        _LOG.info("%s: columns beyond the two ends (weights) are ignored", path)
    table = table_of_rows(path, ["source", "target"], rows)
    return parse_tables(table, None, str(path), ColumnNames())


def write_edge_list(graph: Graph, path: Path) -> None:
    """Write names and edges under a header; attributes and lone nodes are left out with a warning.

    Commas separate the names in ``.csv``, tabs in ``.tsv`` and blanks in all other files; a name
    that ends in ``.gz`` is gzipped.
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
    """The lines of an edge list, a header first; names are quoted unless blanks separate them."""
    names = graph.node_names
    if delimiter != " ":
        names = tuple(quoted(name, delimiter) for name in names)
    yield f"source{delimiter}target\n"
    for tail, head in graph.edges().tolist():
        yield f"{names[tail]}{delimiter}{names[head]}\n"


def _rows_of_one_width(path: Path) -> list[tuple[int, list[str]]]:
    rows = list(_rows(path))
    if not rows:
        raise DataError(f"{path}: no edges: expected lines such as 'source target'")
    width = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != width:
            raise DataError(
                f"{path}, line {number}: {len(cells)} columns where the first line has {width}"
            )
    return rows


def _has_header(rows: list[tuple[int, list[str]]], path: Path, chosen: ColumnNames) -> bool:
    """Whether the first line names the columns: columns were named, or nothing else fits."""
    number, first = rows[0]
    if chosen.given or usual_end_columns(first):
        return True
    if csv_delimiter(path) and _starts_with_header([cells for _, cells in rows]):
        _LOG.info("%s: the first line is taken for a header: words above numbers", path)
        return True
    if len(first) < 2 or len(first) > 3:
        raise DataError(
            f"{path}, line {number}: {len(first)} columns: expected source, target and perhaps a "
            "weight, or a header that names them (source_column, target_column)"
        )
    return False


def _parse_under_header(
    rows: list[tuple[int, list[str]]], path: Path, chosen: ColumnNames
) -> ParsedGraph:
    keys = column_keys(rows[0][1], f"{path}, line {rows[0][0]}")
    if len(rows) == 1:
        raise DataError(f"{path}: no edges: only a header")
    return parse_tables(table_of_rows(path, keys, rows[1:]), None, str(path), chosen)


def _starts_with_header(rows: list[list[str]]) -> bool:
    """Whether the first line holds words that stand nowhere else, and fits only as a header.

    Below it both ends are numbers, or with more than two columns any of them; more than three
    columns mean nothing without a header.
    """
    first, rest = rows[0], rows[1:]
    if not rest or any(not cell or parse_number(cell) is not None for cell in first):
        return False
    words = set(first)
    if any(not words.isdisjoint(cells) for cells in rest):
        return False
    numeric = [_all_numbers(cells) for cells in zip(*rest, strict=True)]
    if len(first) == 2:
        return all(numeric)
    return len(first) > 3 or any(numeric)


def _all_numbers(cells: Iterable[str]) -> bool:
    return all(parse_number(cell) is not None for cell in cells)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    delimiter = csv_delimiter(path)
    if delimiter:
        yield from csv_records(path, delimiter, comments="#%")
        return
    for number, line in data_lines(path):
        before, brace, _ = line.rstrip().partition(" {")  # NetworkX writes a dict of edge data
        yield number, [*before.split(), *([brace] if brace else [])]


def _refuse_unwritable(names: tuple[str, ...], path: Path) -> None:
    for name in names:
        if name.split() != [name] or "," in name or name[0] in "#%{":
            raise DataError(
                f"{path}: the name {name!r} does not fit a plain edge list: write .csv instead"
            )
