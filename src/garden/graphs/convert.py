"""Graphs from and to other libraries: NetworkX, PyTorch Geometric and SciPy.

Nothing here imports those libraries at load time, and PyTorch Geometric is never imported at all:
its objects are read through their own methods. The whole graph is converted, not a component.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.errors import GraphError
from garden.graphs.columns import encode_columns
from garden.graphs.graph import AttributeTable, Graph

_LOG = logging.getLogger("garden")


def from_networkx(nx_graph: Any, name: str | None = None) -> Graph:
    """The graph with the nodes, edges and node attributes of a ``networkx.Graph``.

    Attributes may be numbers, booleans, vectors or categories (one-hot). Directions, parallel
    edges and edge data are forgotten.
    """
    name = name or str(getattr(nx_graph, "name", "")) or "graph"
    if nx_graph.is_directed():
        _LOG.info("%s: directed edges are taken in both directions", name)
    if any(data for _, _, data in nx_graph.edges(data=True)):
        _LOG.info("%s: edge weights and other edge data are ignored", name)
    nodes = list(nx_graph)
    position = {node: row for row, node in enumerate(nodes)}
    ends = [(position[edge[0]], position[edge[1]]) for edge in nx_graph.edges()]
    names = [str(node) for node in nodes]
    table, attribute_names = encode_columns(
        _columns_of(nx_graph), len(nodes), lambda row: f"{name}, node {names[row]!r}", name
    )
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(edges, len(nodes), table, names, attribute_names, name)


def to_networkx(graph: Graph) -> Any:
    """A ``networkx.Graph`` with the same names, each attribute a float under its own name.

    A sparse table leaves zeros out, but for the first node, and declares them as
    ``graph["node_default"]``, as NetworkX does for GraphML.
    """
    import networkx as nx

    nx_graph = nx.Graph(name=graph.name)
    if not isinstance(graph.attributes, np.ndarray):
        nx_graph.graph["node_default"] = dict.fromkeys(graph.attribute_names, 0.0)
    nx_graph.add_nodes_from(zip(graph.node_names, _profiles(graph), strict=True))
    names = graph.node_names
    nx_graph.add_edges_from((names[tail], names[head]) for tail, head in graph.edges().tolist())
    return nx_graph


def from_pyg(data: Any, name: str = "graph") -> Graph:
    """The graph of a ``torch_geometric.data.Data``: ``edge_index`` and, where there is one, ``x``.

    Nodes are named by their positions.
    """
    stored = data.to_dict()
    edge_index = stored.get("edge_index")
    if edge_index is None:
        raise GraphError(f"{name}: the Data object has no edge_index (a HeteroData will not do)")
    edges = _array_of(edge_index).T
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"{name}: edge_index has shape {edges.T.shape}: expected (2, num_edges)")
    table = None if stored.get("x") is None else _table_of_tensor(stored["x"], name)
    num_nodes = stored.get("num_nodes")
    if num_nodes is None:
        num_nodes = table.shape[0] if table is not None else int(edges.max(initial=-1)) + 1
    if _is_one_way(edges, int(num_nodes)):
        _LOG.info("%s: directed edges are taken in both directions", name)
    if stored.get("edge_attr") is not None or stored.get("edge_weight") is not None:
        _LOG.info("%s: edge weights and other edge data are ignored", name)
    return Graph.from_edges(edges, int(num_nodes), table, name=name)


def from_scipy(
    adjacency: Any,
    attributes: Any = None,
    node_names: Sequence[str] | None = None,
    attribute_names: Sequence[str] | None = None,
    name: str = "graph",
) -> Graph:
    """The graph whose edges are the non-zero entries of a square SciPy sparse matrix.

    ``attributes`` is anything array-like or sparse with one row for each node.
    """
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise GraphError(f"{name}: the adjacency matrix has shape {adjacency.shape}: not square")
    entries = sp.coo_array(adjacency)
    linked = entries.data != 0
    edges = np.stack([entries.coords[0][linked], entries.coords[1][linked]], axis=1)
    num_nodes = int(adjacency.shape[0])
    if _is_one_way(edges, num_nodes):
        _LOG.info("%s: directed edges are taken in both directions", name)
    if (entries.data[linked] != 1).any():
        _LOG.info("%s: edge weights are ignored", name)
    table = None if attributes is None else _table_of(attributes, name)
    return Graph.from_edges(edges, num_nodes, table, node_names, attribute_names, name)


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
            # Keys are known in the order in which nodes show them, so the first shows them all.
            **(dict.fromkeys(names, 0.0) if row == 0 else {}),
            **{names[column]: value for column, value in zip(columns, values, strict=True)},
        }


def _array_of(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)


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
    """Float32, too large numbers turned to infinities that the graph's own check then names."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(attributes):
                return sp.csr_array(attributes, dtype=np.float32)
            return np.array(attributes, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"{name}: the attributes are not a table of numbers ({error})") from None


def _is_one_way(edges: np.ndarray, num_nodes: int) -> bool:
    """Whether some edge stands in one direction only."""
    there = np.unique(edges[:, 0].astype(np.int64) * num_nodes + edges[:, 1])
    back = np.unique(edges[:, 1].astype(np.int64) * num_nodes + edges[:, 0])
    return not np.array_equal(there, back)
