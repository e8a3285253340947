"""The small graphs on which a strategy is checked, and changes that must not matter.

Among them are a leaf, a hub, a pair of nodes, equal profiles, a profile of zeros, real numbers,
sparse tables and, where a strategy can do without attributes, none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import networkx as nx
import numpy as np
import scipy.sparse as sp

from garden.graphs.ego import EgoGraphs
from garden.graphs.graph import Graph
from garden.testing.equality import dense
from garden.testing.findings import counted

_NEWCOMERS = 3  # nodes that join outside


@dataclass(frozen=True)
class Probe:
    """A graph to check on, and its name in sentences."""

    graph: Graph
    name: str

    @property
    def where(self) -> str:
        """The end of a sentence."""
        kind = "sparse" if sp.issparse(self.graph.attributes) else "dense"
        width = counted(self.graph.num_attributes, f"{kind} attribute")
        return f"(on {self.name}: {self.graph.num_nodes} nodes, {width})"


def probes(num_attributes: int | None, without_attributes: bool) -> list[Probe]:
    """The graphs to check on.

    Args:
        num_attributes: The width of all of them; by default several.
        without_attributes: Whether a graph without attributes is among them.

    """
    shapes = [
        ("a star", nx.star_graph(8), 3, "binary"),
        ("a ring with chords", _ring_with_chords(23), 6, "sparse"),
        ("a clique with a tail", nx.lollipop_graph(6, 4), 4, "real"),
        ("a pair", nx.path_graph(2), 1, "binary"),
        ("a tree", nx.full_rary_tree(2, 14), 40, "sparse"),
    ]
    made = [
        Probe(_graph(drawn, num_attributes or width, kind, seed), name)
        for seed, (name, drawn, width, kind) in enumerate(shapes)
    ]
    if without_attributes and num_attributes is None:
        made.append(
            Probe(_graph(nx.full_rary_tree(2, 11), 0, "binary", 9), "a tree without attributes")
        )
    return made


def sibling(graph: Graph) -> Graph:
    """Another graph of the same width, in the same kind of table."""
    kind = "sparse" if sp.issparse(graph.attributes) else "real"
    return _graph(_ring_with_chords(15), graph.num_attributes, kind, 77)


def some_nodes(graph: Graph) -> list[int]:
    """A node of the fewest neighbours, one of the most, and the last; each once."""
    degrees = graph.degrees
    return sorted({int(degrees.argmin()), int(degrees.argmax()), len(degrees) - 1})


def some_in_another_order(count: int) -> np.ndarray:
    """Two thirds of so many positions, in another order."""
    return np.random.default_rng(1).permutation(count)[: 2 * count // 3 + 1]


def within(graph: Graph, centre: int, hops: int) -> set[int]:
    """The nodes that are near another.

    Args:
        graph: The graph.
        centre: A node, which is among them.
        hops: How far they may be.
    """
    inside = {centre}
    for _ in range(hops):
        inside |= {other for node in inside for other in graph.neighbours(node).tolist()}
    return inside


def changed_outside(graph: Graph, centre: int, hops: int = 1) -> Graph:
    """Another graph with the same nodes and edges around one node.

    Elsewhere attributes differ, nodes have joined, and edges are rewired.

    Args:
        graph: The graph, which stays as it is.
        centre: The node whose surroundings do not change.
        hops: How far those reach; with 1 they are its ego graph.
    """
    inside = within(graph, centre, hops)
    num_nodes = graph.num_nodes + _NEWCOMERS
    outside = np.array([node for node in range(num_nodes) if node not in inside])
    joined = np.zeros((_NEWCOMERS, graph.num_attributes))
    attributes = np.concatenate([dense(graph.attributes), joined])
    attributes[outside] = 1 - attributes[outside]
    kept = [edge for edge in graph.edges().tolist() if set(edge) <= inside]
    moved = np.stack([outside, np.roll(outside, 1)], axis=1)
    edges = np.array(kept + moved.tolist())
    table = sp.csr_array(attributes) if sp.issparse(graph.attributes) else attributes
    return Graph.from_edges(edges, num_nodes, table)


def renumbered(egos: EgoGraphs) -> EgoGraphs:
    """The same ego graphs over a table of profiles in another order, with a few more rows."""
    num_profiles = int(egos.profiles.shape[0])
    order = np.random.default_rng(3).permutation(num_profiles + 2)
    padded = np.concatenate([dense(egos.profiles), np.ones((2, egos.num_attributes))])
    table = padded[order].astype(np.float32)
    profiles = sp.csr_array(table) if sp.issparse(egos.profiles) else table
    return replace(egos, profiles=profiles, members=np.argsort(order)[egos.members].astype("i4"))


def reordered(egos: EgoGraphs) -> EgoGraphs:
    """The same ego graphs with their neighbours, and their edges, in another order."""
    rng = np.random.default_rng(4)
    order = np.lexsort((rng.random(len(egos.members)), ~egos.is_centre, egos.owner))
    edge_owner = np.repeat(np.arange(len(egos)), np.diff(egos.edge_offsets))
    edge_order = np.lexsort((rng.random(len(edge_owner)), edge_owner))
    edges = np.argsort(order)[egos.edges][:, edge_order]
    return replace(egos, members=egos.members[order], edges=edges.astype(np.int32))


def copied(egos: EgoGraphs) -> EgoGraphs:
    """A copy in arrays that can be written to, so that a strategy that does is found."""
    return EgoGraphs(
        egos.offsets.copy(),
        egos.members.copy(),
        egos.edge_offsets.copy(),
        egos.edges.copy(),
        egos.profiles.copy(),
    )


def changed_fields(before: EgoGraphs, after: EgoGraphs) -> list[str]:
    """Which fields of the ego graphs are no longer as they were.

    Args:
        before: The ego graphs as they were.
        after: The same that a strategy was given.
    """
    fields = ("offsets", "members", "edge_offsets", "edges")
    changed = [
        name for name in fields if not np.array_equal(getattr(before, name), getattr(after, name))
    ]
    same = np.array_equal(dense(before.profiles), dense(after.profiles))
    return changed if same else [*changed, "profiles"]


def _graph(drawn: nx.Graph, width: int, kind: str, seed: int) -> Graph:
    num_nodes = drawn.number_of_nodes()
    rng = np.random.default_rng(seed)
    if kind == "real":
        attributes = rng.normal(size=(num_nodes, width))
    else:
        attributes = (rng.random((num_nodes, width)) < 0.4).astype(float)
    if num_nodes > 4:  # small as they are, profiles would hardly repeat by chance
        attributes[num_nodes - 1] = attributes[0]
        attributes[num_nodes - 2] = attributes[1]
        attributes[2] = 0
    table = sp.csr_array(attributes) if kind == "sparse" else attributes
    return Graph.from_edges(np.array(drawn.edges), num_nodes, table)


def _ring_with_chords(num_nodes: int) -> nx.Graph:
    drawn = nx.cycle_graph(num_nodes)
    drawn.add_edges_from((node, (node + 2) % num_nodes) for node in range(0, num_nodes, 2))
    drawn.add_edges_from((0, other) for other in range(4, num_nodes, 3))
    return drawn
