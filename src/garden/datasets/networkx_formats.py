"""GraphML, GML and GEXF, read through NetworkX; the first two are written too.

GML allows only letters, digits and underscores in keys, so other attribute names are written as
``x0``, ``x1``, … with the true names beside the graph.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import IO, Any

from garden.datasets.text_files import open_bytes, text_lines, unreadable
from garden.errors import DataError, one_line
from garden.graphs.convert import parse_networkx, to_networkx
from garden.graphs.graph import Graph
from garden.graphs.parsed_graph import ParsedGraph
from garden.storage import write_file

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GML_KEY = re.compile("[A-Za-z][0-9A-Za-z_]*")
_GEXF_OWN = {"viz", "pid", "start", "end", "spells", "slices", "parents"}  # not attributes
_TRUE_NAMES = "attribute_names"  # the graph-level GML key that maps written keys to true names


def read_graphml(path: Path) -> ParsedGraph:
    """The graph of a GraphML file; defaults declared for a node attribute are honoured."""
    import networkx as nx  # slow to import

    nx_graph = _read_xml(path, nx.read_graphml, "GraphML")
    return parse_networkx(_named_by_igraph(nx_graph), str(path))


def read_gexf(path: Path) -> ParsedGraph:
    """The graph of a GEXF file; nodes go by their labels where each has one of its own.

    What a viewer keeps beside the data (colours, positions on the screen, times) is passed over.
    """
    import networkx as nx  # slow to import

    nx_graph = _read_xml(path, nx.read_gexf, "GEXF")
    for _, data in nx_graph.nodes(data=True):
        for key in _GEXF_OWN & data.keys():
            del data[key]
    return parse_networkx(_named_by(nx_graph, "label"), str(path))


def _read_xml(path: Path, read: Callable[[IO[bytes]], Any], kind: str) -> Any:
    try:
        with open_bytes(path) as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about ports and untyped keys, which change nothing
            return read(stream)
    except OSError as error:
        raise unreadable(path, error) from None
    except Exception as error:  # NetworkX raises many kinds on damaged files
        raise DataError(f"{path}: cannot be read as {kind} ({one_line(error)})") from None


def write_graphml(graph: Graph, path: Path) -> None:
    """Write GraphML; a sparse table leaves out its zeros, which are declared the default.

    Args:
        graph: The graph.
        path: The file.
    """
    import networkx as nx  # slow to import

    for name in (*graph.node_names, *graph.attribute_names):
        if _NOT_XML.search(name):
            raise DataError(f"{path}: the name {name!r} holds a letter that XML cannot: rename it")
    nx_graph = to_networkx(graph)
    write_file(path, lambda temporary: nx.write_graphml_xml(nx_graph, temporary))


def read_gml(path: Path) -> ParsedGraph:
    """The graph of a GML file; nodes go by their labels where each has one of its own.

    Attributes that :func:`write_gml` had to rename get their true names back.
    """
    import networkx as nx  # slow to import

    lines = [line.rstrip("\r\n") for _, line in text_lines(path)]
    try:
        nx_graph = nx.parse_gml(lines, label="id")
        true_names = json.loads(nx_graph.graph.get(_TRUE_NAMES, "{}"))
        nx_graph = _with_true_names(_named_by(nx_graph, "label"), true_names)
    except Exception as error:  # NetworkX raises many kinds on damaged files
        raise DataError(f"{path}: cannot be read as GML ({one_line(error)})") from None
    return parse_networkx(nx_graph, str(path))


def write_gml(graph: Graph, path: Path) -> None:
    """Write GML, with every attribute of every node, in ASCII as GML asks for.

    Args:
        graph: The graph.
        path: The file.
    """
    import networkx as nx  # slow to import

    keys = _gml_keys(graph.attribute_names)
    nx_graph = nx.Graph()
    renamed = {
        key: name for key, name in zip(keys, graph.attribute_names, strict=True) if key != name
    }
    if renamed:
        nx_graph.graph[_TRUE_NAMES] = json.dumps(renamed)
    for row, name in enumerate(graph.node_names):
        profile = graph.attributes[[row]]
        numbers = profile.toarray() if hasattr(profile, "toarray") else profile
        nx_graph.add_node(name, **dict(zip(keys, numbers[0].tolist(), strict=True)))
    names = graph.node_names
    nx_graph.add_edges_from((names[tail], names[head]) for tail, head in graph.edges().tolist())
    text = "".join(f"{line}\n" for line in nx.generate_gml(nx_graph))
    write_file(path, lambda temporary: temporary.write_text(text, encoding="ascii"))


def _named_by_igraph(nx_graph: Any) -> Any:
    """Nodes by their ``name`` where igraph wrote the file, which calls them n0, n1, … itself."""
    by_igraph = all(node == f"n{row}" for row, node in enumerate(nx_graph))
    named = all(data.get("name") for _, data in nx_graph.nodes(data=True))
    return _named_by(nx_graph, "name") if by_igraph and named else nx_graph


def _named_by(nx_graph: Any, key: str) -> Any:
    """Nodes by this attribute, where each has one of its own."""
    import networkx as nx  # slow to import

    names = {node: data.get(key) for node, data in nx_graph.nodes(data=True)}
    texts = {node: str(name) for node, name in names.items()}
    if None in names.values() or len(set(texts.values())) != len(texts):
        return nx_graph
    for _, data in nx_graph.nodes(data=True):
        del data[key]
    return nx.relabel_nodes(nx_graph, texts)


def _with_true_names(nx_graph: Any, true_names: dict[str, str]) -> Any:
    for _, data in nx_graph.nodes(data=True):
        renamed = {str(true_names.get(key, key)): value for key, value in data.items()}
        data.clear()
        data.update(renamed)
    return nx_graph


def _gml_keys(names: tuple[str, ...]) -> list[str]:
    """A GML key for each attribute: its own name where GML allows it, ``x`` and a number if not."""
    allowed = {name for name in names if _GML_KEY.fullmatch(name)} - {"id", "label"}
    free = (key for number in count() if (key := f"x{number}") not in allowed)
    return [name if name in allowed else next(free) for name in names]
