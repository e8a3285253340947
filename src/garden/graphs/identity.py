"""Recognising nodes and graphs by what they hold: keys of profiles, digests of graphs.

A node is recognised by its profile, since ids are no part of an ego graph. A graph is recognised
under other attributes, another numbering, or from another file. Integers alone decide (SplitMix64
over the bits of profiles, no sums of floats), so that every machine comes to the same hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from garden.graphs.ego import ProfileTable, row_offsets
from garden.splitmix import GOLDEN, mixed

if TYPE_CHECKING:
    from garden.graphs.graph import Graph

_COMMON = 10  # a profile that more than one in so many nodes share identifies no link
_ATTRIBUTE_OPTION = ",attributes="


def profile_keys(profiles: ProfileTable) -> np.ndarray:
    """A 64-bit key per profile, (num_profiles,) uint64: equal profiles have equal keys.

    key(x) = Σ_{j: x_j ≠ 0} mix(mix(j + 1) ⊕ bits(x_j)) modulo 2^64, mix being SplitMix64: the same
    for a dense and a sparse table. Among a million differing profiles, two share a key with a
    chance below one in ten million.
    """
    return keys_of_entries(profile_entries(profiles))


class ProfileEntries(NamedTuple):
    """The non-zero entries of some profiles, row by row, columns ascending."""

    columns: np.ndarray  # int64
    values: np.ndarray  # float32
    offsets: np.ndarray  # (num_profiles + 1,) int64


def profile_entries(profiles: ProfileTable) -> ProfileEntries:
    """The non-zero entries of a table, dense or sparse."""
    if isinstance(profiles, np.ndarray):
        rows, columns = np.nonzero(profiles)
        offsets = row_offsets(np.bincount(rows, minlength=len(profiles)))
        return ProfileEntries(columns, profiles[rows, columns], offsets)
    table = sp.csr_array(profiles, copy=True)
    table.eliminate_zeros()
    table.sort_indices()
    return ProfileEntries(table.indices.astype(np.int64), table.data, table.indptr.astype(np.int64))


def keys_of_entries(entries: ProfileEntries) -> np.ndarray:
    """The key of each profile from its entries, (num_profiles,) uint64."""
    columns = entries.columns.astype(np.uint64)
    values = entries.values.astype("<f4").view("<u4").astype(np.uint64)
    return word_sums(mixed(mixed(columns + np.uint64(1)) ^ values), entries.offsets)


def word_sums(words: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The sum of each row's words modulo 2^64, (num_rows,) uint64.

    Args:
        words: Those of all rows, (num_words,) uint64.
        offsets: Where each row begins, (num_rows + 1,).

    """
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words, dtype=np.uint64)])
    return total[offsets[1:]] - total[offsets[:-1]]


@dataclass(frozen=True)
class GraphIdentity:
    """What is stored of a graph to recognise it: its name and three digests."""

    name: str
    content_hash: str
    names_hash: str = ""
    """Of node names and links, without attributes; empty where it is unknown."""

    shape_hash: str = ""
    """Of links by profiles and degrees, without names; empty where profiles identify no link."""

    @classmethod
    def of(cls, graph: Graph) -> GraphIdentity:
        """The identity of a graph."""
        return cls(graph.name, graph.content_hash, names_hash(graph), shape_hash(graph))

    @property
    def marks(self) -> dict[str, str]:
        """The digests beside that of the content, by name, for JSON."""
        return {"names_hash": self.names_hash, "shape_hash": self.shape_hash}

    @classmethod
    def stored(cls, name: str, content_hash: str, marks: Mapping[str, str]) -> GraphIdentity:
        """The identity from what was stored.

        Args:
            name: The graph's name.
            content_hash: The digest of its content.
            marks: What :attr:`marks` gave; digests may be missing.

        """
        return cls(name, content_hash, marks.get("names_hash", ""), marks.get("shape_hash", ""))

    def is_of(self, graph: Graph) -> bool:
        """Whether the graph has the same nodes and links, whatever its attributes and its order.

        Either names or profiles may differ, not both. Where neither was stored, it is a graph of
        the same content, or of the same spec but for the way of joining attributes.
        """
        if self.has_content_of(graph):
            return True
        if not self.names_hash:
            return self.name != graph.name and _base(self.name) == _base(graph.name)
        return self.names_hash == names_hash(graph)

    def has_content_of(self, graph: Graph) -> bool:
        """Whether the graph has the same content, or the same but for names and order."""
        if self.content_hash == graph.content_hash:
            return True
        return bool(self.shape_hash) and self.shape_hash == shape_hash(graph)


def names_hash(graph: Graph) -> str:
    """A SHA-256 digest of node names and links, in any order of nodes; attributes do not count."""
    order = sorted(range(graph.num_nodes), key=graph.node_names.__getitem__)
    rank = np.empty(graph.num_nodes, dtype=np.int64)
    rank[order] = np.arange(graph.num_nodes)
    ends = np.sort(rank[graph.edges()], axis=1)
    keys = np.sort(ends[:, 0] * graph.num_nodes + ends[:, 1])
    digest = hashlib.sha256(keys.astype("<i8").tobytes())
    for node in order:
        name = graph.node_names[node]
        digest.update(f"{len(name)}:{name}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def shape_hash(graph: Graph) -> str:
    """A SHA-256 digest of links by profiles and degrees, whatever nodes and columns are called.

    Empty where no link can be identified (:func:`link_words`).
    """
    words = np.sort(link_words(graph, columns_by_content=True))
    if not len(words):
        return ""
    sizes = np.array([graph.num_nodes, graph.num_edges], dtype="<i8")
    return hashlib.sha256(sizes.tobytes() + words.astype("<u8").tobytes()).hexdigest()


def link_words(graph: Graph, columns_by_content: bool = False) -> np.ndarray:
    """A 64-bit hash of each link that can be identified by its ends, (num_identified,) uint64.

    An end counts by its degree and its profile: which columns are not 0, and their values. Links
    are left out where the profile of an end is empty or more than a tenth of the nodes share it.

    Args:
        graph: The graph.
        columns_by_content: Hash columns by their values in the whole graph, not by position.

    """
    table = sp.csr_array(graph.attributes, copy=True)
    table.eliminate_zeros()
    degrees = graph.degrees.astype(np.uint64)
    columns = np.arange(table.shape[1], dtype=np.uint64)
    if columns_by_content:
        columns = _column_words(table, degrees)
    cells = mixed(_value_words(table) + columns[table.indices] * GOLDEN)
    profiles = word_sums(cells, table.indptr)  # the same whatever the order of the columns
    _, kind, counts = np.unique(profiles, return_inverse=True, return_counts=True)
    identifies = (np.diff(table.indptr) > 0) & (counts[kind] <= max(1, graph.num_nodes // _COMMON))
    edges = graph.edges()
    edges = edges[identifies[edges].all(axis=1)]
    return words_of_ends(mixed(profiles + degrees * GOLDEN), edges)


def words_of_ends(ends: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """A hash of each edge, (num_edges,) uint64, the same in either direction.

    Args:
        ends: The word of each node, (num_nodes,) uint64.
        edges: Positions of nodes, (num_edges, 2).
    """
    pairs = ends[edges]
    return mixed(mixed(pairs.min(axis=1)) + pairs.max(axis=1))


def _column_words(table: sp.csr_array, degrees: np.ndarray) -> np.ndarray:
    """A hash of each column: its values, each with the degree of the node that has it."""
    holders = np.repeat(degrees, np.diff(table.indptr))
    words = np.zeros(table.shape[1], dtype=np.uint64)
    np.add.at(words, table.indices, mixed(_value_words(table) + holders * GOLDEN))
    return mixed(words)


def _value_words(table: sp.csr_array) -> np.ndarray:
    return mixed(table.data.astype("<f4").view("<u4").astype(np.uint64) + GOLDEN)


def _base(name: str) -> str:
    return name.partition(_ATTRIBUTE_OPTION)[0]
