"""Graphs from and to other libraries: NetworkX, igraph, PyTorch Geometric, SciPy and NumPy.

Nothing here imports those libraries at load time, and igraph and PyTorch Geometric are never
imported at all: their objects are read through their own methods. The whole graph is converted,
not a component, and numbers stay as they are; ``garden.load`` does more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.errors import GraphError, expect, kind_of, short_repr
from garden.graphs.attribute_encoding import encode_columns
from garden.graphs.graph import AttributeTable, Graph
from garden.graphs.parsed_graph import ParsedGraph, edge_notes, is_missing

_LOG = logging.getLogger("garden")


_IGRAPH_NAMES = ("name", "_nx_name", "id")  # igraph's own, from NetworkX, and from GraphML


def from_networkx(nx_graph: Any, name: str | None = None) -> Graph:
    """The graph with the nodes, edges and node attributes of a ``networkx.Graph``.

    Attributes may be numbers, booleans, vectors or categories (one-hot). Directions, parallel
    edges and edge data are dropped.

    Args:
        nx_graph: Any NetworkX graph; nodes are named by the text of their keys.
        name: What the graph is called; NetworkX' own name by default.

    """
    return parse_networkx(nx_graph, name).graph()


def parse_networkx(nx_graph: Any, name: str | None = None) -> ParsedGraph:
    """What a ``networkx.Graph`` holds, directions and repeats included.

    Args:
        nx_graph: Any NetworkX graph; nodes are named by the text of their keys.
        name: What the graph is called; NetworkX' own name by default.
    """
    if not (hasattr(nx_graph, "is_directed") and hasattr(nx_graph, "nodes")):
        raise GraphError(f"expected a networkx.Graph, not {kind_of(nx_graph)}")
    name = name or str(getattr(nx_graph, "name", "")) or "graph"
    if any(data for _, _, data in nx_graph.edges(data=True)):
        _LOG.info("%s: edge weights and other edge data are ignored", name)
    nodes = list(nx_graph)
    position = {node: row for row, node in enumerate(nodes)}
    ends = [(position[edge[0]], position[edge[1]]) for edge in nx_graph.edges()]
    if any(isinstance(node, float) and node != node for node in nodes):
        raise GraphError(f"{name}: a node is called NaN: give it a name")
    names = [str(node) for node in nodes]
    return _draft(name, ends, names, _columns_of(nx_graph), bool(nx_graph.is_directed()))


def from_igraph(ig_graph: Any, name: str | None = None) -> Graph:
    """The graph with the vertices, edges and vertex attributes of an ``igraph.Graph``.

    Directions, parallel edges and edge attributes are dropped.

    Args:
        ig_graph: The graph; vertices go by their ``name`` where each has one of its own, by their
            positions otherwise.
        name: What the graph is called; the graph attribute ``name`` by default.

    """
    return parse_igraph(ig_graph, name).graph()


def parse_igraph(ig_graph: Any, name: str | None = None) -> ParsedGraph:
    """What an ``igraph.Graph`` holds, directions and repeats included.

    Args:
        ig_graph: The graph.
        name: What it is called; the graph attribute ``name`` by default.
    """
    if not (hasattr(ig_graph, "vs") and hasattr(ig_graph, "get_edgelist")):
        raise GraphError(f"expected an igraph.Graph, not {kind_of(ig_graph)}")
    given = str(ig_graph["name"] or "") if "name" in ig_graph.attributes() else ""
    name = name or given or "graph"
    if ig_graph.es.attributes():
        _LOG.info("%s: edge weights and other edge data are ignored", name)
    columns = {str(key): list(ig_graph.vs[key]) for key in ig_graph.vs.attributes()}
    key = next((key for key in _IGRAPH_NAMES if _names_all(columns.get(key))), None)
    names = map(str, range(ig_graph.vcount()) if key is None else map(node_name, columns.pop(key)))
    return _draft(name, ig_graph.get_edgelist(), list(names), columns, bool(ig_graph.is_directed()))


def node_name(cell: object) -> str:
    """The name that a cell gives a node: a whole number without its point, else its text.

    >>> node_name(3.0), node_name("3.0")
    ('3', '3.0')
    """
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))  # a column of integers becomes one of floats where one is missing
    return str(cell)


def _names_all(cells: list[object] | None) -> bool:
    """Whether every cell is a name of its own."""
    if cells is None or any(is_missing(cell) for cell in cells):
        return False
    return len(set(map(node_name, cells))) == len(cells)


def _draft(
    name: str,
    ends: Sequence[tuple[int, int]],
    names: list[str],
    columns: dict[str, list[object]],
    directed: bool,
) -> ParsedGraph:
    encoded = encode_columns(
        columns, len(names), lambda row: f"{name}, node {short_repr(names[row])}", name
    )
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return ParsedGraph(name, edges, names, encoded, directed)


def to_networkx(graph: Graph) -> Any:
    """A ``networkx.Graph`` with the same names, each attribute a float under its own name.

    A sparse table leaves zeros out, but for the first node, and declares them as
    ``graph["node_default"]``, as NetworkX does for GraphML.
    """
    import networkx as nx

    expect("graph", graph, Graph)
    nx_graph = nx.Graph(name=graph.name)
    if not isinstance(graph.attributes, np.ndarray):
        nx_graph.graph["node_default"] = dict.fromkeys(graph.attribute_names, 0.0)
    nx_graph.add_nodes_from(zip(graph.node_names, _profiles(graph), strict=True))
    names = graph.node_names
    nx_graph.add_edges_from((names[tail], names[head]) for tail, head in graph.edges().tolist())
    return nx_graph


def from_pyg(data: Any, name: str = "graph") -> Graph:
    """The graph of a ``torch_geometric.data.Data``: ``edge_index`` and, where there is one, ``x``.

    Args:
        data: The object; ``edge_index`` is (2, num_edges), ``x`` (num_nodes, num_attributes),
            dense or sparse. Nodes are named by their positions.
        name: What the graph is called.

    """
    if not hasattr(data, "to_dict"):
        raise GraphError(f"expected a torch_geometric Data, not {kind_of(data)}")
    stored = data.to_dict()
    edge_index = stored.get("edge_index")
    if edge_index is None:
        raise GraphError(f"{name}: the Data object has no edge_index (a HeteroData will not do)")
    edges = np.asarray(edge_index.detach().cpu() if hasattr(edge_index, "detach") else edge_index).T
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"{name}: edge_index has shape {edges.T.shape}: expected (2, num_edges)")
    table = None if stored.get("x") is None else _table_of_tensor(stored["x"], name)
    num_nodes = stored.get("num_nodes")
    if num_nodes is None:
        num_nodes = table.shape[0] if table is not None else int(edges.max(initial=-1)) + 1
    if stored.get("edge_attr") is not None or stored.get("edge_weight") is not None:
        _LOG.info("%s: edge weights and other edge data are ignored", name)
    graph = Graph.from_edges(edges, int(num_nodes), table, name=name)
    _warn(name, edges)
    return graph


def from_scipy(
    adjacency: Any,
    attributes: Any = None,
    node_names: Sequence[str] | None = None,
    attribute_names: Sequence[str] | None = None,
    name: str = "graph",
) -> Graph:
    """The graph whose edges are the non-zero entries of a square SciPy sparse matrix.

    Args:
        adjacency: (num_nodes, num_nodes); weights are ignored, directions dropped.
        attributes: Anything array-like or sparse, (num_nodes, num_attributes).
        node_names: One each; their positions by default.
        attribute_names: One each; ``x0``, ``x1``, … by default.
        name: What the graph is called.

    """
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise GraphError(f"{name}: the adjacency matrix has shape {adjacency.shape}: not square")
    entries = sp.coo_array(adjacency)
    entries.sum_duplicates()
    if entries.dtype.kind == "f" and not np.isfinite(entries.data).all():
        raise GraphError(f"{name}: the adjacency matrix holds NaN or infinity: use 0 for no edge")
    linked = entries.data != 0
    edges = np.stack([entries.coords[0][linked], entries.coords[1][linked]], axis=1)
    if (entries.data[linked] != 1).any():
        _LOG.info("%s: edge weights are ignored", name)
    table = None if attributes is None else _table_of(attributes, name)
    num_nodes = int(adjacency.shape[0])
    graph = Graph.from_edges(edges, num_nodes, table, node_names, attribute_names, name)
    _warn(name, edges)
    return graph


def from_numpy(adjacency: Any, attributes: Any = None, name: str = "graph") -> Graph:
    """The graph of a dense square adjacency matrix, otherwise as :func:`from_scipy`.

    Args:
        adjacency: (num_nodes, num_nodes) of numbers or booleans.
        attributes: Anything array-like or sparse, (num_nodes, num_attributes).
        name: What the graph is called.

    """
    matrix = np.asarray(adjacency)
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"{name}: the adjacency matrix holds {matrix.dtype}: expected numbers")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(
            f"{name}: the adjacency matrix has shape {matrix.shape}: not square (a list of edges "
            "goes into a pandas frame of two columns)"
        )
    return from_scipy(sp.coo_array(matrix), attributes, name=name)


def _warn(name: str, edges: np.ndarray) -> None:
    """Log what is lost of edges that should stand in both directions."""
    for note in edge_notes(edges, True):
        _LOG.warning("%s: %s", name, note)


def _columns_of(nx_graph: Any) -> dict[str, list[object]]:
    """One list of cells for each attribute key, in the order in which the keys turn up."""
    defaults = nx_graph.graph.get("node_default") or {}  # where NetworkX keeps GraphML's defaults
    profiles = [data for _, data in nx_graph.nodes(data=True)]
    keys = dict.fromkeys(key for data in (*profiles, defaults) for key in data)
    columns: dict[str, list[object]] = {}
    for key in keys:
        if str(key) in columns:
            raise GraphError(f"two node attributes are called {str(key)!r}: rename one of them")
        default = defaults.get(key)
        columns[str(key)] = [data.get(key, default) for data in profiles]
    return columns


def _profiles(graph: Graph) -> Iterator[dict[str, float]]:
    names, table = graph.attribute_names, graph.attributes
    if isinstance(table, np.ndarray):
        for row in table.tolist():
            yield dict(zip(names, row, strict=True))
        return
    for row, (start, stop) in enumerate(pairwise(table.indptr.tolist())):
        columns, values = table.indices[start:stop].tolist(), table.data[start:stop].tolist()
        yield {
            # Readers learn keys in the order in which they turn up, so the first node has all.
            **(dict.fromkeys(names, 0.0) if row == 0 else {}),
            **{names[column]: value for column, value in zip(columns, values, strict=True)},
        }


def _table_of_tensor(tensor: Any, name: str) -> AttributeTable:
    if hasattr(tensor, "is_sparse") and str(tensor.layout) != "torch.strided":
        tensor = tensor.detach().cpu().float().to_sparse_coo().coalesce()
        rows, columns = tensor.indices().numpy()
        shape = tuple(tensor.shape)
        return _table_of(
            sp.coo_array((tensor.values().numpy(), (rows, columns)), shape=shape), name
        )
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().float()  # NumPy has no bfloat16
    table = np.asarray(tensor)
    return _table_of(table[:, None] if table.ndim == 1 else table, name)


def _table_of(attributes: Any, name: str) -> AttributeTable:
    """Float32, NaN as 0; too large numbers become infinities that the graph's own check names."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(attributes):
                table = sp.csr_array(attributes, dtype=np.float32, copy=True)
            else:
                table = np.array(attributes, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise GraphError(f"{name}: the attributes are not a table of numbers ({reason})") from None
    numbers = table.data if sp.issparse(table) else table
    num_missing = int(np.isnan(numbers).sum())
    if num_missing:
        numbers[np.isnan(numbers)] = 0
        _LOG.warning("%s: %d missing numbers count as zeros", name, num_missing)
    return table
