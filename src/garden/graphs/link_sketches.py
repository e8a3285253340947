"""A sample of links by which a graph, or a good part of it, is recognised.

A link's hash comes from the profiles and degrees of its two ends, so that a graph that was
renumbered, reordered or stored in another file keeps its hashes. A :class:`LinkSketch` holds the
lowest of them: a random sample, and the same one for every graph with the same links (MinHash).
Sketches are stored in one ``.npz`` file, never pickled: hashes and names of graphs alone.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from garden.errors import DataError
from garden.graphs.identity import GraphIdentity, link_words, words_of_ends
from garden.storage import write_file

if TYPE_CHECKING:
    from garden.graphs.graph import Graph

SKETCH_SIZE = 512
MET_SHARE = 0.1
"""Two graphs have met where at least this share of the links of either are links of the other."""

_GLOBAL_IDS = ("facebook:", "snap:")  # SNAP's ego networks, where an id is one person everywhere
_TEXTS = ("name", "content_hash", "names_hash", "shape_hash")  # of an identity
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


def write_sketches(sketches: Sequence[GraphSketch], path: Path) -> None:
    """Write some sketches into one ``.npz`` file, atomically.

    Args:
        sketches: The sketches, in an order that stays.
        path: The file.
    """
    arrays = {
        **{text: np.array([getattr(one.identity, text) for one in sketches]) for text in _TEXTS},
        "num_nodes": np.array([one.num_nodes for one in sketches], dtype="<i8"),
        **_packed("links", [one.links for one in sketches]),
        **_packed("named_links", [one.named_links for one in sketches]),
    }
    write_file(path, lambda temporary: _save(temporary, arrays))


def read_sketches(path: Path) -> tuple[GraphSketch, ...]:
    """The sketches of a file that :func:`write_sketches` wrote."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        identities = [
            GraphIdentity(*map(str, texts))
            for texts in zip(*(arrays[text] for text in _TEXTS), strict=True)
        ]
        links, named = _unpacked("links", arrays), _unpacked("named_links", arrays)
        sizes = arrays["num_nodes"].tolist()
        return tuple(
            GraphSketch(*parts) for parts in zip(identities, sizes, links, named, strict=True)
        )
    except (OSError, ValueError, KeyError, IndexError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not readable as sketches of graphs ({error})") from None


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with path.open("wb") as stream:  # given a path, NumPy would add a suffix of its own
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _packed(name: str, sketches: Sequence[LinkSketch]) -> dict[str, np.ndarray]:
    sizes = [len(sketch.lowest) for sketch in sketches]
    return {
        name: np.concatenate([sketch.lowest for sketch in sketches]).astype("<u4"),
        f"{name}_kept": np.array(sizes, dtype="<i4"),
        f"{name}_in_all": np.array([sketch.num_links for sketch in sketches], dtype="<i8"),
    }


def _unpacked(name: str, arrays: dict[str, np.ndarray]) -> list[LinkSketch]:
    ends = np.cumsum(arrays[f"{name}_kept"])
    if not np.issubdtype(arrays[name].dtype, np.unsignedinteger) or ends[-1] != len(arrays[name]):
        raise ValueError(f"{name}: other hashes than were counted")
    parts = np.split(arrays[name].astype(np.uint32), ends[:-1])
    totals = arrays[f"{name}_in_all"].tolist()
    return [LinkSketch(part, total) for part, total in zip(parts, totals, strict=True)]


def _distinct(words: np.ndarray) -> np.ndarray:
    return np.unique((words >> np.uint64(32)).astype(np.uint32))
