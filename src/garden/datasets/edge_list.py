"""Edge lists: one edge a line, separated by white space, commas or tabs, gzipped or not.

Node names are any tokens. A header, comment lines and a third column (a weight) may be there and
are passed over. The written form keeps names and edges only.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from pathlib import Path

from garden.atomic import write_file
from garden.datasets.named import edge_columns, graph_of_names
from garden.datasets.text import csv_records, data_lines, inner_suffix, is_gzipped, quoted
from garden.errors import DataError
from garden.graphs.cells import parse_number
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_edge_list(path: Path) -> Graph:
    """The graph of an edge list; nodes stand in the order in which they first appear."""
    edges = list(_edges(path))
    if _delimiter(path) and _starts_with_header(edges):
        _LOG.info("%s: the first line is taken for a header: all else is numbers", path)
        del edges[0]
    if not edges:
        raise DataError(f"{path}: no edges: expected lines such as 'source target'")
    return graph_of_names(edges, None, str(path))


def write_edge_list(graph: Graph, path: Path) -> None:
    """Write names and edges under a header; what an edge list cannot hold is said in the log."""
    if graph.num_attributes:
        _LOG.warning("%s: an edge list holds no attributes: they are not written", path)
    num_alone = int((graph.degrees == 0).sum())
    if num_alone:
        _LOG.warning("%s: %d nodes without edges are not written", path, num_alone)
    text = "".join(_written_lines(graph, path)).encode()
    packed = gzip.compress(text, mtime=0) if is_gzipped(path) else text
    write_file(path, lambda temporary: temporary.write_bytes(packed))


def _edges(path: Path) -> Iterator[tuple[str, str]]:
    width, places = 0, (0, 1)
    for number, cells in _rows(path):
        if not width:
            width = len(cells)
            header = edge_columns(cells)
            _check_width(width, header is not None, f"{path}, line {number}")
            if width > 2:
                _LOG.info("%s: columns beyond the two ends (weights) are ignored", path)
            if header:
                places = header
                continue
        if len(cells) != width:
            raise DataError(
                f"{path}, line {number}: {len(cells)} columns where the first line has {width}"
            )
        ends = cells[places[0]], cells[places[1]]
        if not all(ends):
            raise DataError(f"{path}, line {number}: an empty node name: give both ends")
        yield ends


def _starts_with_header(edges: list[tuple[str, str]]) -> bool:
    """Whether the first line holds two words and every other line two numbers."""
    if len(edges) < 2 or any(parse_number(cell) is not None for cell in edges[0]):
        return False
    return all(parse_number(cell) is not None for ends in edges[1:] for cell in ends)


def _check_width(width: int, has_header: bool, where: str) -> None:
    if width < 2 or (width > 3 and not has_header):
        raise DataError(
            f"{where}: {width} columns: expected source, target and perhaps a weight, "
            "or a header that names them"
        )


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    delimiter = _delimiter(path)
    if delimiter:
        yield from csv_records(path, delimiter, comments="#%")
        return
    for number, line in data_lines(path):
        before, brace, _ = line.rstrip().partition(" {")  # NetworkX writes a dict of edge data
        yield number, [*before.split(), *([brace] if brace else [])]


def _delimiter(path: Path) -> str | None:
    """The separator, or None for white space."""
    suffix = inner_suffix(path)
    if suffix in _DELIMITERS:
        return _DELIMITERS[suffix]
    first = next((line for _, line in data_lines(path)), "")
    return "," if "," in first else None


def _written_lines(graph: Graph, path: Path) -> Iterator[str]:
    delimiter = _written_delimiter(path)
    names = graph.node_names
    if delimiter == " ":
        _refuse_unwritable(names, path)
    else:
        names = tuple(quoted(name, delimiter) for name in names)
    yield f"source{delimiter}target\n"
    for tail, head in graph.edges().tolist():
        yield f"{names[tail]}{delimiter}{names[head]}\n"


def _written_delimiter(path: Path) -> str:
    return _DELIMITERS.get(inner_suffix(path), " ")


def _refuse_unwritable(names: tuple[str, ...], path: Path) -> None:
    for name in names:
        if name.split() != [name] or "," in name or name[0] in "#%{":
            raise DataError(
                f"{path}: the name {name!r} does not fit a plain edge list: write .csv instead"
            )
