"""``garden.load``: a spec, a path, or an object of another library becomes a Graph.

What comes out is the largest connected component, named by the spec or path that was given. A
spec names a family of graphs, then one of them, then options: ``facebook:414``,
``kaiser-hilgetag:n=200,seed=3``.
"""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.datasets.collection import load_collected
from garden.datasets.files import graph_in_file, parse_file
from garden.datasets.generators import GENERATORS
from garden.datasets.snap import load_public_graph, read_snap
from garden.datasets.tabular.parse import parse_tables
from garden.datasets.tabular.table import (
    ColumnNames,
    Table,
    is_frame,
    is_table_file,
    read_table,
    table_of_frame,
)
from garden.errors import GraphError, SpecError, kind_of, name_sample, short_repr
from garden.graphs.attribute_encoding import standardised_table
from garden.graphs.convert import (
    from_numpy,
    from_pyg,
    from_scipy,
    parse_igraph,
    parse_networkx,
)
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import EncodedColumns, ParsedGraph, plain_columns

_LOG = logging.getLogger("garden")

_OPTION = re.compile(r",(?=[A-Za-z_]+=)")


@dataclass(frozen=True)
class _Whole:
    """A graph before its largest component is taken, and how that is logged."""

    graph: Graph
    columns: EncodedColumns | None = None
    """The columns of people's own tables, whose numbers are scaled unless that is refused."""
    level: int = logging.WARNING
    """The level at which dropped components are logged."""


def load(
    source: Any,
    nodes: Any = None,
    *,
    attributes: Any = None,
    scale: bool | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    node_column: str | None = None,
) -> Graph:
    """The largest connected component of a graph, wherever it comes from.

    Args:
        source: A spec (``facebook:414``, ``twitch:PTBR``, ``musae-facebook``,
            ``wikispeedia``, ``collection:FAMILY/NAME``, ``kaiser-hilgetag:n=200,beta=0.1``,
            ``power-law:n=1000,degree=16``, ``small-world:n=1000,rewired=0.05``,
            ``block-model:n=1000,blocks=20``, ``geometric:n=1000``, ``attributed:seed=0``,
            ``snap:DIR/107``), a path, a Graph, a ``networkx.Graph``, an ``igraph.Graph``, a PyG
            ``Data``, a pandas frame of edges, or an adjacency matrix (SciPy or NumPy).
        nodes: A table of nodes, as a frame or a path, where ``source`` is one of edges.
        attributes: A table with one row a node, where ``source`` is an adjacency matrix.
        scale: Whether numeric columns that hold anything but 0 and 1 are standardised to mean 0
            and variance 1, a missing cell then being 0. By default those of tables, GraphML, GML,
            GEXF, JSON, NetworkX and igraph are, where the whole table is dense.
        source_column: The column of a table that holds one end of an edge.
        target_column: The column that holds the other end.
        node_column: The column that names a node. All three are found where only one reading of
            the table makes sense.

    Returns:
        The component, with at least one edge; what was dropped or scaled is logged.

    Raises:
        SpecError: If the spec means nothing here, or an argument does not go with the source.
        DataError: If a file is missing, damaged or of no known kind.
        GraphError: If the graph has no edge.

    """
    chosen = ColumnNames(source_column, target_column, node_column)
    _check_arguments(source, nodes, attributes, scale, chosen)
    whole = _whole_graph(source, nodes, attributes, chosen)
    graph = whole.graph
    if graph.num_nodes < 2 or graph.num_edges == 0:
        raise GraphError(
            f"{graph.name}: {graph.num_nodes} nodes and {graph.num_edges} edges: "
            "a graph to search needs at least one edge"
        )
    kept = graph.largest_component_nodes()
    part = graph if len(kept) == graph.num_nodes else graph.subgraph(kept)
    if part is not graph:
        _log_dropped(graph, part, whole.level)
    return _scaled(part, kept, whole.columns, scale)


def _log_dropped(graph: Graph, part: Graph, level: int) -> None:
    _LOG.log(
        level,
        "%s: the largest connected component is taken; %d of %d nodes and %d of %d edges "
        "are dropped",
        graph.name,
        graph.num_nodes - part.num_nodes,
        graph.num_nodes,
        graph.num_edges - part.num_edges,
        graph.num_edges,
    )


def _scaled(
    part: Graph, kept: np.ndarray, columns: EncodedColumns | None, scale: bool | None
) -> Graph:
    if scale is False or (scale is None and columns is None) or not part.num_attributes:
        return part
    if not isinstance(part.attributes, np.ndarray):
        if scale:
            raise GraphError(f"{part.name}: a sparse table is never scaled: leave scale=True out")
        _LOG.info("%s: the table is sparse: its numbers are left as they are", part.name)
        return part
    if columns is None:
        columns, kept = plain_columns(part.attributes, part.attribute_names), np.arange(len(kept))
    table, names = standardised_table(columns, kept)
    if not names:
        return part
    _LOG.warning(
        "%s: numbers are scaled to mean 0 and variance 1 in %d %s (%s); "
        "`scale=False` leaves them as they are",
        part.name,
        len(names),
        "column" if len(names) == 1 else "columns",
        name_sample(names, count=3),
    )
    return replace(part, attributes=table)


def _check_arguments(
    source: Any, nodes: Any, attributes: Any, scale: Any, chosen: ColumnNames
) -> None:
    """Refuse what does not go with this source, whatever it holds."""
    if attributes is not None and not (sp.issparse(source) or isinstance(source, np.ndarray)):
        raise SpecError("attributes= goes with an adjacency matrix only: leave it out")
    if nodes is not None and not _is_table(source):
        raise SpecError("nodes= goes with a pandas frame or a table of edges only: leave it out")
    if nodes is not None and not _is_table(nodes):
        raise SpecError(f"nodes= must be a pandas frame, not {kind_of(nodes)}")
    if scale not in (None, True, False):
        raise SpecError(f"scale={short_repr(scale)}: expected True, False or None")
    if chosen == ColumnNames():
        return
    for argument, column in chosen.given.items():
        if not isinstance(column, str):
            raise SpecError(f"{argument}={short_repr(column)}: expected the name of a column")
        if not isinstance(source, str | Path) and not is_frame(source):
            raise SpecError(f"{argument} goes with tables only: leave it out")


def _is_table(source: Any) -> bool:
    return is_frame(source) or (isinstance(source, str | Path) and is_table_file(Path(source)))


def _table(source: Any, what: str) -> Table:
    is_nodes = what == "nodes"
    if is_frame(source):
        return table_of_frame(source, what, is_nodes)
    return read_table(Path(source), is_nodes)


def _whole_graph(source: Any, nodes: Any, attributes: Any, chosen: ColumnNames) -> _Whole:
    if isinstance(source, Graph):
        return _Whole(source)
    if isinstance(source, str | Path) and nodes is None:
        return _of_text(source, chosen) if isinstance(source, str) else _of_file(source, chosen)
    if nodes is not None or is_frame(source):
        name = "graph" if is_frame(source) else str(source)
        table = None if nodes is None else _table(nodes, "nodes")
        return _of_parsed(parse_tables(_table(source, "edges"), table, name, chosen))
    if sp.issparse(source):
        return _Whole(from_scipy(source, attributes))
    if isinstance(source, np.ndarray):
        return _Whole(from_numpy(source, attributes))
    if _comes_from(source, "networkx"):
        return _of_parsed(parse_networkx(source))
    if _comes_from(source, "igraph"):
        return _of_parsed(parse_igraph(source))
    if _comes_from(source, "torch_geometric"):
        return _Whole(from_pyg(source))
    raise SpecError(
        f"cannot make a graph of {kind_of(source)}: give a spec, a path, a Graph, "
        "a networkx.Graph, an igraph.Graph, a PyG Data, a pandas frame of edges, or an adjacency "
        "matrix (SciPy or NumPy)"
    )


def _of_parsed(parsed: ParsedGraph) -> _Whole:
    return _Whole(parsed.graph(), parsed.columns)


def _of_file(path: Path, chosen: ColumnNames) -> _Whole:
    found = parse_file(path, chosen)
    if isinstance(found, Graph):
        return _Whole(found)
    return _Whole(graph_in_file(found, path), found.columns)


def _comes_from(source: Any, package: str) -> bool:
    """Whether the object's class derives from one of this package, without importing it."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(source).__mro__)


def _of_text(text: str, chosen: ColumnNames) -> _Whole:
    head, colon, rest = text.partition(":")
    if head in _FAMILIES:
        if chosen != ColumnNames():
            raise SpecError(f"{text}: {next(iter(chosen.given))} goes with tables only")
        level = logging.WARNING if head in _FILE_FAMILIES else logging.INFO
        graph = _FAMILIES[head](text, rest if colon else None)
        return _Whole(graph.renamed(text), None, level)
    if _is_path(text):
        whole = _of_file(Path(text), chosen)
        return replace(whole, graph=whole.graph.renamed(text))
    close = difflib.get_close_matches(head, _FAMILIES, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    raise SpecError(
        f"{short_repr(text)} is neither a file nor a known graph: {meant}"
        f"the known ones are {', '.join(_EXAMPLES)}, or a path"
    )


def _is_path(text: str) -> bool:
    """Whether there is such a file, or the text can only be meant as one."""
    try:
        exists = bool(text) and Path(text).exists()
    except (OSError, ValueError):
        exists = False
    return exists or (":" not in text and ("/" in text or bool(Path(text).suffix)))


def _member(family: str, spec: str, rest: str | None) -> Graph:
    """A graph that its family's name does not determine: what stands after the colon does."""
    load_member, option_names, example = _MEMBERS[family]
    member, options = _parts(spec, rest, dict.fromkeys(option_names, str))
    if not member:
        raise SpecError(f"{spec}: which graph? Write it after a colon, such as {example}")
    return load_member(member, **options)


def _single(family: str, member: str, spec: str, rest: str | None) -> Graph:
    """The one graph of a dataset, which takes no options."""
    if rest is not None:
        raise SpecError(f"{spec}: {family} takes no options: write {family}")
    return load_public_graph(family, member)


def _generated(family: str, spec: str, rest: str | None) -> Graph:
    """A random graph: what stands after the colon are its parameters."""
    generator = GENERATORS[family]
    stray, options = _parts(spec, f",{rest}" if rest else "", generator.parameters)
    if stray:
        raise SpecError(f"{spec}: {stray.strip(',')!r} is no key=value, such as n=200")
    if options.get("seed", 0) < 0:
        raise SpecError(f"{spec}: seed={options['seed']}, but it must not be negative")
    return generator.graph(spec, options)


def _parts(
    spec: str, rest: str | None, known: Mapping[str, Callable[[str], Any]]
) -> tuple[str, dict[str, Any]]:
    """What stands first after the colon, and the options that follow."""
    first, *pairs = _OPTION.split(rest or "")
    options: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in known:
            allowed = f"use {', '.join(known)}" if known else "it takes none"
            raise SpecError(f"{spec}: unknown option {key!r}: {allowed}")
        if key in options:
            raise SpecError(f"{spec}: {key} stands twice: keep one")
        try:
            options[key] = known[key](value)
        except ValueError:
            kind = "whole number" if known[key] is int else "number"
            raise SpecError(f"{spec}: {key}={value} is not a {kind}") from None
    return first, options


_MEMBERS: Mapping[str, tuple[Callable[..., Graph], tuple[str, ...], str]] = {
    "facebook": (partial(load_public_graph, "facebook"), ("attributes",), "facebook:414"),
    "twitch": (partial(load_public_graph, "twitch"), (), "twitch:PTBR"),
    "snap": (read_snap, ("attributes",), "snap:DIR/107"),
    "collection": (load_collected, (), "collection:FAMILY/NAME"),
}
_FAMILIES: Mapping[str, Callable[[str, str | None], Graph]] = {
    **{family: partial(_member, family) for family in _MEMBERS},
    "musae-facebook": partial(_single, "musae-facebook", "facebook"),
    "wikispeedia": partial(_single, "wikispeedia", "wikispeedia"),
    **{family: partial(_generated, family) for family in GENERATORS},
}
_FILE_FAMILIES = {"snap"}  # people's own files, of which they should know what is dropped
_EXAMPLES = (
    "facebook:414",
    "twitch:PTBR",
    "musae-facebook",
    "wikispeedia",
    "kaiser-hilgetag:n=200,beta=0.1",
    "power-law:n=1000,degree=16",
    "small-world:n=1000,degree=10,rewired=0.05",
    "block-model:n=1000,degree=16,blocks=20,within=0.8",
    "geometric:n=1000,degree=16",
    "attributed:seed=0",
    "snap:DIR/107",
    "collection:FAMILY/NAME",
)
