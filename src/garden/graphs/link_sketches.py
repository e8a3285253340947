"""A sample of links by which a graph, or a good part of it, is recognised.

A link's hash comes from the profiles and degrees of its two ends, so that a graph that was
renumbered, reordered or stored in another file keeps its hashes. A :class:`LinkSketch` holds the
lowest of them: a random sample, and the same one for every graph with the same links (MinHash).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from garden.graphs.identity import GraphIdentity, link_words, words_of_ends

if TYPE_CHECKING:
    from garden.graphs.graph import Graph

SKETCH_SIZE = 512
MET_SHARE = 0.1
"""Two graphs have met where at least this share of the links of either are links of the other."""

_GLOBAL_IDS = ("facebook:", "snap:")  # SNAP's ego networks, where an id is one person everywhere
_FEWEST_SHARED = 8  # fewer shared links in a sample are no evidence
_FEWEST_SHARED_NAMES = 32  # small ids are used again and again, and dense graphs then share links


@dataclass(frozen=True, eq=False)
class LinkSketch:
    """The lowest hashes of a graph's links, and how many links there are to compare."""

    lowest: np.ndarray  # (at most SKETCH_SIZE,) uint32, ascending
    num_links: int  # distinct hashes in all

    @classmethod
    def of(cls, hashes: np.ndarray) -> LinkSketch:
        """The sketch of sorted, distinct hashes."""
        return cls(hashes[:SKETCH_SIZE], len(hashes))

    def is_met_by(self, hashes: np.ndarray, fewest: int = _FEWEST_SHARED) -> bool:
        """Whether the graph with these sorted hashes shares a tenth of the links of either.

        The lowest hashes are a random sample of the sketched graph's links, and the other's hashes
        up to the highest of them a sample of its own; which of both are shared is known exactly. A
        small part of a far larger graph has hardly a hash that low, and is not found: never where
        the larger has ``SKETCH_SIZE / fewest`` times as many links.

        Args:
            hashes: Sorted, distinct hashes of the other graph's links, uint32.
            fewest: The least number of shared links that counts.

        """
        if not len(self.lowest) or not len(hashes):
            return False
        positions = np.searchsorted(hashes, self.lowest)
        shared = int((hashes[positions % len(hashes)] == self.lowest).sum())
        whole = self.num_links == len(self.lowest)
        sampled = len(hashes) if whole else np.searchsorted(hashes, self.lowest[-1], "right")
        smaller = min(len(self.lowest), int(sampled))
        return shared >= max(MET_SHARE * smaller, min(fewest, self.num_links, len(hashes)))


@dataclass(frozen=True, eq=False)
class GraphSketch:
    """What is stored of a graph to recognise it, or a good part of it."""

    identity: GraphIdentity
    num_nodes: int
    links: LinkSketch
    named_links: LinkSketch
    """Links by the names of their ends; none where a name means something in one graph alone."""

    @classmethod
    def of(cls, graph: Graph) -> GraphSketch:
        """The sketch of a graph."""
        return cls(
            GraphIdentity.of(graph),
            graph.num_nodes,
            LinkSketch.of(link_hashes(graph)),
            LinkSketch.of(named_link_hashes(graph)),
        )


def first_met(sketches: Sequence[GraphSketch], graph: Graph) -> GraphSketch | None:
    """The first of some graphs that a graph is, or with which it shares a tenth of the links.

    Args:
        sketches: Of the graphs to look for, in their order.
        graph: The graph to recognise.

    Returns:
        Its sketch; None where there is none.
    """
    if not sketches:
        return None
    links, named = link_hashes(graph), named_link_hashes(graph)
    for sketch in sketches:
        if (
            sketch.links.is_met_by(links)
            or sketch.named_links.is_met_by(named, _FEWEST_SHARED_NAMES)
            or (sketch.num_nodes == graph.num_nodes and sketch.identity.has_content_of(graph))
        ):
            return sketch
    return None


def link_hashes(graph: Graph) -> np.ndarray:
    """The distinct hashes of links by profiles and degrees, ascending uint32.

    Links that cannot be identified are left out (:func:`garden.graphs.identity.link_words`).
    """
    return _distinct(link_words(graph))


def named_link_hashes(graph: Graph) -> np.ndarray:
    """The hashes of links by the names of their ends, ascending uint32.

    Only for SNAP's ego networks, where an id is one person everywhere; none for other graphs.
    """
    if not graph.name.startswith(_GLOBAL_IDS):
        return np.empty(0, dtype=np.uint32)
    words = b"".join(
        hashlib.blake2b(name.encode(), digest_size=8).digest() for name in graph.node_names
    )
    return _distinct(words_of_ends(np.frombuffer(words, "<u8").astype(np.uint64), graph.edges()))


def _distinct(words: np.ndarray) -> np.ndarray:
    return np.unique((words >> np.uint64(32)).astype(np.uint32))
