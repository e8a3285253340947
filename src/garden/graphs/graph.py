"""The attributed graph: an immutable value that everything else reads.

A :class:`Graph` is undirected and unweighted, stored as sorted CSR with both directions of every
edge. It is checked once, when it is built; nobody downstream checks again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from garden.errors import ArgumentError, GraphError, first_repeated, name_sample, short_repr
from garden.notebook import properties_as_html

AttributeTable: TypeAlias = np.ndarray | sp.csr_array  # (num_nodes, num_attributes) float32

_MAX_NODES = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes, edges and attributes, by position; names translate to positions and back.

    Build one with :meth:`from_edges` unless you already hold clean CSR arrays. Its length is the
    number of nodes, ``in`` asks for a node by name, and graphs are equal where nodes, edges and
    attributes are, whatever they are called.

    >>> graph = Graph.from_edges(np.array([(0, 1), (1, 2)]), 3, node_names=["a", "b", "c"])
    >>> len(graph), "b" in graph, graph.neighbours(graph.position("b")).tolist()
    (3, True, [0, 2])
    """

    indptr: np.ndarray  # (num_nodes + 1,) int64
    indices: np.ndarray  # (2 * num_edges,) int32, ascending within each row
    attributes: AttributeTable  # (num_nodes, num_attributes); no columns when there are none
    node_names: tuple[str, ...]
    attribute_names: tuple[str, ...]
    name: str = field(default="graph")
    """What reports call this graph; a spec such as ``facebook:414`` where there is one."""

    def __post_init__(self) -> None:
        _check_structure(self.indptr, self.indices)
        _check_attributes(self.attributes, self.num_nodes, len(self.attribute_names))
        if len(self.node_names) != self.num_nodes:
            raise GraphError(
                f"{self.num_nodes} nodes but {len(self.node_names)} node names: give one each"
            )
        for kind, names in (("node", self.node_names), ("attribute", self.attribute_names)):
            repeated = first_repeated(names)
            if repeated is not None:
                raise GraphError(f"the {kind} name {short_repr(repeated)} stands twice: rename one")
        for array in self._arrays():
            array.setflags(write=False)

    @classmethod
    def from_edges(
        cls,
        edges: np.ndarray,
        num_nodes: int,
        attributes: AttributeTable | None = None,
        node_names: Sequence[str] | None = None,
        attribute_names: Sequence[str] | None = None,
        name: str = "graph",
    ) -> Graph:
        """The graph with these edges; directions, self-loops and repeats are dropped.

        Args:
            edges: Positions of nodes, (num_edges, 2).
            num_nodes: How many nodes there are; some may have no edge.
            attributes: (num_nodes, num_attributes), dense or sparse; none by default.
            node_names: One each, all different; their positions by default.
            attribute_names: One each, all different; ``x0``, ``x1``, … by default.
            name: What reports call the graph.

        Raises:
            GraphError: If an edge names no node, or the attributes do not fit.

        """
        indptr, indices = _csr_of_edges(np.asarray(edges), num_nodes)
        if attributes is None:
            attributes = np.zeros((num_nodes, 0), dtype=np.float32)
        table = _as_attribute_table(attributes)
        if attribute_names is None:
            attribute_names = [f"x{column}" for column in range(table.shape[1])]
        if node_names is None:
            node_names = [str(node) for node in range(num_nodes)]
        return cls(indptr, indices, table, tuple(node_names), tuple(attribute_names), name)

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """How many undirected edges there are."""
        return len(self.indices) // 2

    @property
    def num_attributes(self) -> int:
        """How many numbers a profile has."""
        return int(self.attributes.shape[1])

    @property
    def density(self) -> float:
        """The share of node pairs that are linked."""
        possible = self.num_nodes * (self.num_nodes - 1) / 2
        return self.num_edges / possible if possible else 0.0

    @cached_property
    def degrees(self) -> np.ndarray:
        """How many neighbours each node has, (num_nodes,) int64."""
        return np.diff(self.indptr)

    def neighbours(self, node: int) -> np.ndarray:
        """The positions of a node's neighbours, (degree,) int32, ascending."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def edges(self) -> np.ndarray:
        """Every edge once, as (num_edges, 2) positions with the smaller first."""
        sources = np.repeat(np.arange(self.num_nodes, dtype=np.int32), self.degrees)
        once = sources < self.indices
        return np.stack([sources[once], self.indices[once]], axis=1)

    def adjacency(self) -> sp.csr_array:
        """The 0/1 adjacency matrix, sharing this graph's index arrays."""
        ones = np.ones(len(self.indices), dtype=np.float64)
        shape = (self.num_nodes, self.num_nodes)
        return sp.csr_array((ones, self.indices, self.indptr), shape=shape)

    def dense_attributes(self) -> np.ndarray:
        """A copy of the attributes as a dense array, (num_nodes, num_attributes) float32."""
        table = self.attributes
        return np.array(table) if isinstance(table, np.ndarray) else np.asarray(table.toarray())

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.node_names)}

    def position(self, node: str | int) -> int:
        """The position of the node with this name; integers are read as names too."""
        try:
            return self._position_of[str(node)]
        except KeyError:
            if not isinstance(node, str | Integral):
                raise ArgumentError(
                    f"a node is named by text or a whole number, not {short_repr(node)}"
                ) from None
            raise GraphError(
                f"no node named {short_repr(str(node))} in {self.name}: its {self.num_nodes} nodes "
                f"are named {name_sample(self.node_names)}"
            ) from None

    def renamed(self, name: str) -> Graph:
        """The same graph under another name, sharing its arrays; nothing is checked again."""
        graph = copy(self)
        object.__setattr__(graph, "name", name)
        return graph

    def subgraph(self, nodes: np.ndarray) -> Graph:
        """The graph on these positions, (num_kept,), in this order, with the edges among them."""
        adjacency = self.adjacency()[nodes][:, nodes]
        return replace(
            self,
            indptr=adjacency.indptr.astype(np.int64),
            indices=_sorted_indices(adjacency).astype(np.int32),
            attributes=self.attributes[nodes],
            node_names=tuple(self.node_names[node] for node in nodes),
        )

    def components(self) -> np.ndarray:
        """The number of the connected component of each node, (num_nodes,)."""
        adjacency = self.adjacency()
        # Links go both ways, so that strong components are components, and take a third of the
        # time; they are numbered otherwise, which does not matter where there is one.
        count, labels = sp.csgraph.connected_components(adjacency, connection="strong")
        if count > 1:
            _, labels = sp.csgraph.connected_components(adjacency, directed=False)
        return np.asarray(labels)

    def largest_component_nodes(self) -> np.ndarray:
        """The positions of the nodes of :meth:`largest_component`, ascending."""
        labels = self.components()
        return np.flatnonzero(labels == np.bincount(labels).argmax())

    def largest_component(self) -> Graph:
        """The largest connected component, the first of them where several are equally large."""
        nodes = self.largest_component_nodes()
        return self if len(nodes) == self.num_nodes else self.subgraph(nodes)

    @cached_property
    def content_hash(self) -> str:
        """A digest of nodes, names, edges and attributes: equal graphs have equal digests."""
        digest = hashlib.sha256()
        attributes = sp.csr_array(self.attributes, copy=True)
        attributes.eliminate_zeros()
        digest.update(_name_bytes(self.node_names))
        digest.update(_name_bytes(self.attribute_names))
        for array, kind in (
            (self.indptr, "<i8"),
            (self.indices, "<i4"),
            (attributes.indptr, "<i8"),
            (_sorted_indices(attributes), "<i4"),
            (attributes.data, "<f4"),
        ):
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        return digest.hexdigest()

    def _arrays(self) -> list[np.ndarray]:
        if isinstance(self.attributes, np.ndarray):
            return [self.indptr, self.indices, self.attributes]
        table = self.attributes
        return [self.indptr, self.indices, table.data, table.indices, table.indptr]

    def __len__(self) -> int:
        """How many nodes there are."""
        return self.num_nodes

    def __contains__(self, node: object) -> bool:
        """Whether a node has this name; integers are read as names too."""
        return isinstance(node, str | Integral) and str(node) in self._position_of

    def __eq__(self, other: object) -> bool:
        """Whether nodes, names, edges and attributes are the same; what it is called is not."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        sizes = (self.num_nodes, self.num_edges, self.num_attributes)
        if sizes != (other.num_nodes, other.num_edges, other.num_attributes):
            return False
        return self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return (
            f"Graph({self.name!r}, {self.num_nodes} nodes, {self.num_edges} edges, "
            f"{self.num_attributes} attributes)"
        )

    def _repr_html_(self) -> str:
        properties = {
            "nodes": f"{self.num_nodes:,}",
            "edges": f"{self.num_edges:,}",
            "attributes": f"{self.num_attributes:,}",
            "mean degree": f"{self.degrees.mean():.1f}",
            "node names": name_sample(self.node_names),
            "attribute names": name_sample(self.attribute_names, "–"),
        }
        return properties_as_html(f"Graph {self.name}", properties)


def _csr_of_edges(edges: np.ndarray, num_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    if num_nodes < 1:
        raise GraphError("a graph needs at least one node")
    if num_nodes > _MAX_NODES:
        raise GraphError(
            f"{num_nodes} nodes are more than the {_MAX_NODES} that fit 32-bit indices"
        )
    edges = edges.reshape(-1, 2) if edges.size == 0 else edges
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"edges have shape {edges.shape}: expected (num_edges, 2)")
    edges = _whole_positions(edges, num_nodes)
    edges = edges[edges[:, 0] != edges[:, 1]]
    rows, columns = np.concatenate([edges, edges[:, ::-1]]).T
    ones = np.ones(len(rows), dtype=np.int8)
    matrix = sp.coo_array((ones, (rows, columns)), shape=(num_nodes, num_nodes)).tocsr()
    matrix.sum_duplicates()  # also sorts the rows
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _whole_positions(edges: np.ndarray, num_nodes: int) -> np.ndarray:
    """The ends as int64, or an error that names the one which is no position of a node."""
    if edges.dtype.kind not in "iuf":
        raise GraphError(f"edges are {edges.dtype}: expected integer positions")
    wrong = edges[(edges < 0) | (edges >= num_nodes) | (edges != np.floor(edges))]
    if wrong.size:
        raise GraphError(
            f"an edge names node {wrong[0]} of {num_nodes}: positions start at 0 and are whole"
        )
    return edges.astype(np.int64)


def _as_attribute_table(attributes: AttributeTable) -> AttributeTable:
    if sp.issparse(attributes):
        table = sp.csr_array(attributes, dtype=np.float32, copy=True)
        table.sum_duplicates()
        table.eliminate_zeros()
        return table
    return np.array(attributes, dtype=np.float32)


def _check_structure(indptr: np.ndarray, indices: np.ndarray) -> None:
    if indptr.ndim != 1 or len(indptr) < 2 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise GraphError("malformed CSR: indptr must start at 0 and end at the number of indices")
    if (np.diff(indptr) < 0).any():
        raise GraphError("malformed CSR: indptr must not decrease")
    num_nodes = len(indptr) - 1
    if len(indices) and (indices.min() < 0 or indices.max() >= num_nodes):
        raise GraphError(f"malformed CSR: an index lies outside 0 … {num_nodes - 1}")
    sources = np.repeat(np.arange(num_nodes, dtype=np.int64), np.diff(indptr))
    if (sources == indices).any():
        raise GraphError("a self-loop: use Graph.from_edges, which drops them")
    if (np.diff(sources * num_nodes + indices) <= 0).any():
        raise GraphError("malformed CSR: rows must be ascending and free of repeats")
    if not _is_symmetric(indptr, indices):
        raise GraphError("the edges are not symmetric: use Graph.from_edges, which mirrors them")


def _is_symmetric(indptr: np.ndarray, indices: np.ndarray) -> bool:
    """Whether each edge is there in both directions; transposing takes linear time."""
    shape = (len(indptr) - 1, len(indptr) - 1)
    ones = np.ones(len(indices), dtype=np.int8)
    mirrored = sp.csr_array((ones, indices, indptr), shape=shape).T.tocsr()
    return np.array_equal(mirrored.indptr, indptr) and np.array_equal(mirrored.indices, indices)


def _check_attributes(attributes: AttributeTable, num_nodes: int, num_names: int) -> None:
    if attributes.ndim != 2 or attributes.shape[0] != num_nodes:
        raise GraphError(
            f"attributes have shape {tuple(attributes.shape)}: expected one row for each of "
            f"{num_nodes} nodes"
        )
    if attributes.shape[1] != num_names:
        raise GraphError(f"{attributes.shape[1]} attributes but {num_names} attribute names")
    if attributes.dtype != np.float32:
        raise GraphError(f"attributes are {attributes.dtype}: expected float32")
    finite = np.isfinite(attributes.data if sp.issparse(attributes) else attributes)
    if not finite.all():
        raise GraphError(f"{(~finite).sum()} attribute values are NaN or infinite")


def _sorted_indices(matrix: sp.csr_array) -> np.ndarray:
    matrix.sort_indices()
    return matrix.indices


def _name_bytes(names: tuple[str, ...]) -> bytes:
    return "".join(f"{len(name)}:{name}" for name in names).encode("utf-8", "surrogatepass")
