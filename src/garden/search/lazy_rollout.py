"""Sampled walks on large graphs: only the neighbours of nodes that held a message are scored.

The walks towards one target run on the part of the graph that they have met so far
(:class:`MetGraph`), by the compiled kernels of :mod:`garden.search.rollout`. A walk stops at a node
whose neighbours are not known there; they are added and scored, and the walk is made again from its
source. Its random stream makes it repeat its hops, so that it is hop for hop the walk on the whole
graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.datasets.task import pairs_by_target
from garden.graphs.ego import row_offsets
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads
from garden.search.config import PAPERS_LIMIT
from garden.search.episode_rng import episode_streams
from garden.search.lazy_rows import LazyRows, RowSource
from garden.search.link_tables import LinkTable
from garden.search.rollout import Kernel, Rollout, compiled_kernel, with_links
from garden.strategies.base import Strategy, checked_scores
from garden.strategies.explore import ExploreMemory
from garden.strategies.memory import Memory

MIN_NODES = 20_000  # of a graph on which anything is lazy
MAX_TABLE_BYTES = 1e10  # of rows that a table of scores reads, for all targets
_PART = 2  # walks are lazy where they may meet less than one in so many nodes


def few_are_met(graph: Graph, pairs: np.ndarray, episodes_per_pair: int, max_hops: int) -> bool:
    """Whether the walks towards one target can meet only a small part of the graph.

    A walk of h hops has at most h · d candidates, d being the mean degree of the end of a link: so
    hubs count as often as walks come by. At most 100 hops are reckoned with.

    Args:
        graph: The graph.
        pairs: Positions of source and target, (num_pairs, 2).
        episodes_per_pair: How often each pair is walked.
        max_hops: The limit of hops.
    """
    if graph.num_nodes < MIN_NODES:
        return False
    degrees = graph.degrees.astype(np.float64)
    at_link_end = (degrees**2).sum() / max(1.0, degrees.sum())
    walks = len(pairs) / len(np.unique(pairs[:, 1])) * episodes_per_pair
    return bool(walks * min(max_hops, PAPERS_LIMIT) * at_link_end * _PART <= graph.num_nodes)


def is_dear_to_score(rows: RowSource, pairs: np.ndarray) -> bool:
    """Whether reading all rows once for each target takes minutes.

    Args:
        rows: One row per node.
        pairs: Positions of source and target, (num_pairs, 2).
    """
    if isinstance(rows, LazyRows):
        return True
    num_targets = len(np.unique(pairs[:, 1]))
    return bool(num_targets * float(rows.bytes_per_row.sum()) > MAX_TABLE_BYTES)


class MetGraph:
    """What walks towards one target have met, under numbers of its own.

    Nodes that have held a message have all of their neighbours here, in the order of the graph;
    the others have none.
    """

    def __init__(self, target: int) -> None:
        self.number_of = {target: 0}  # by position in the graph
        self.nodes = np.array([target])  # (num_met,) positions in the graph
        self.scores = np.array([np.nan])  # (num_met,); NaN where a node was no candidate yet
        self.links: LinkTable | None = None  # of the first of these nodes, where a memory asks
        self._num_linked = 0
        self._rows: dict[int, np.ndarray] = {}  # neighbours of holders, all by number

    def add(self, positions: np.ndarray) -> np.ndarray:
        """The numbers of these nodes, (num_positions,); new ones are appended."""
        known = len(self.number_of)
        for position in positions.tolist():
            if position not in self.number_of:
                self.number_of[position] = len(self.number_of)
        numbers = np.array([self.number_of[position] for position in positions.tolist()], dtype=int)
        new = len(self.number_of) - known
        if new:
            appended = np.empty(new, dtype=np.int64)
            fresh = numbers >= known
            appended[numbers[fresh] - known] = positions[fresh]
            self.nodes = np.concatenate([self.nodes, appended])
            self.scores = np.concatenate([self.scores, np.full(new, np.nan)])
        return numbers

    def hold(self, graph: Graph, holders: np.ndarray) -> np.ndarray:
        """Add the neighbours of these holders; the numbers of those without a score, once each.

        Args:
            graph: The graph.
            holders: Positions of nodes, (num_holders,).
        """
        for holder, number in zip(holders.tolist(), self.add(holders).tolist(), strict=True):
            if number not in self._rows:
                self._rows[number] = self.add(graph.neighbours(holder)).astype(np.int32)
        wanted = np.concatenate([self._rows[self.number_of[holder]] for holder in holders.tolist()])
        unscored: np.ndarray = np.unique(wanted[np.isnan(self.scores[wanted])])
        return unscored

    def linked(self, memory: ExploreMemory, rows: RowSource) -> LinkTable:
        """The links of all of these nodes.

        Args:
            memory: Whose walks want them.
            rows: The rows of the graph's nodes.
        """
        if self.links is None:
            self.links = LinkTable(memory)
        if self._num_linked < len(self.nodes):
            self.links.add(rows.take(self.nodes[self._num_linked :]))
            self._num_linked = len(self.nodes)
        return self.links

    def csr(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets and neighbours, by number."""
        degrees = np.zeros(len(self.nodes), dtype=np.int64)
        for number, row in self._rows.items():
            degrees[number] = len(row)
        return row_offsets(degrees), np.concatenate(
            [self._rows[number] for number in sorted(self._rows)]
        )


@dataclass(eq=False)
class _Walks:
    """The walks towards one target."""

    met: MetGraph
    target: int
    sources: np.ndarray  # (num_walks,)
    streams: np.ndarray  # (num_walks,) uint64
    hops: np.ndarray  # (num_walks,) int64
    paths: np.ndarray  # (num_walks, max_hops + 1) positions, −1 after the end
    unfinished: np.ndarray  # (num_unfinished,) numbers of walks
    holders: np.ndarray  # positions where those stopped, whose neighbours are wanted
    unscored: np.ndarray  # numbers of those of them that have no score


def lazy_rollout(
    graph: Graph,
    strategy: Strategy,
    rows: RowSource,
    pairs: np.ndarray,
    memory: Memory,
    max_hops: int,
    episodes_per_pair: int,
    seed: int,
    first_episode: int = 0,
    met: dict[int, MetGraph] | None = None,
) -> Rollout:
    """What :func:`garden.search.rollout.rollout` gives with paths, without a table of scores.

    Args:
        graph: The graph that messages travel on.
        strategy: Whose scores and selection decide.
        rows: The rows of its nodes.
        pairs: Positions of source and target, (num_pairs, 2).
        memory: One with a compiled kernel.
        max_hops: The hop at which an episode is truncated.
        episodes_per_pair: How often each pair is walked.
        seed: With an episode's number, the seed of that episode's random stream.
        first_episode: The number of the first episode.
        met: What other walks of this strategy have met, by target; it grows.
    """
    kernel = compiled_kernel(memory)
    assert kernel is not None
    met = {} if met is None else met
    count = len(pairs) * episodes_per_pair
    streams = episode_streams(seed, first_episode, count).reshape(len(pairs), episodes_per_pair)
    targets, rows_of = pairs_by_target(pairs)
    batches = []
    for target, chosen in zip(targets.tolist(), rows_of, strict=True):
        sources = np.repeat(pairs[chosen, 0], episodes_per_pair).astype(np.int64)
        batches.append(
            _Walks(
                met.setdefault(target, MetGraph(target)),
                target,
                sources,
                streams[chosen].ravel(),
                np.empty(len(sources), dtype=np.int64),
                np.full((len(sources), max_hops + 1), -1, dtype=np.int32),
                np.arange(len(sources)),
                np.unique(sources),
                np.empty(0, dtype=np.int64),
            )
        )

    def run(walks: _Walks) -> None:
        _score(walks, strategy, rows)
        own = kernel
        if isinstance(memory, ExploreMemory):
            own = with_links(kernel, walks.met.linked(memory, rows))
        _walk(walks, own, strategy.selection == "argmax", max_hops)

    under_way = batches
    while under_way:
        for walks in under_way:
            walks.unscored = walks.met.hold(graph, walks.holders)
        if isinstance(rows, LazyRows):
            wanted = [walks.met.nodes[walks.unscored] for walks in under_way]
            rows.prepare(np.concatenate([targets, *wanted, *(one.holders for one in under_way)]))
        map_in_threads(run, under_way)
        under_way = [walks for walks in under_way if len(walks.unfinished)]
    hops = np.empty((len(pairs), episodes_per_pair), dtype=np.int64)
    paths = np.empty((len(pairs), episodes_per_pair, max_hops + 1), dtype=np.int32)
    for walks, chosen in zip(batches, rows_of, strict=True):
        hops[chosen] = walks.hops.reshape(len(chosen), -1)
        paths[chosen] = walks.paths.reshape(len(chosen), episodes_per_pair, -1)
    return Rollout(hops, paths)


def _score(walks: _Walks, strategy: Strategy, rows: RowSource) -> None:
    """Score the candidates that have none."""
    unscored = walks.unscored
    if len(unscored):
        candidates = rows.take(walks.met.nodes[unscored])
        table = strategy.score(candidates, rows.take(np.array([walks.target])))
        scores = checked_scores(table, (1, len(unscored)), strategy.name)
        walks.met.scores[unscored] = scores[0]


def _walk(walks: _Walks, kernel: Kernel, argmax: bool, max_hops: int) -> None:
    """Make the unfinished walks again, on what was met; note where they stopped."""
    met, chosen = walks.met, walks.unfinished
    hops = np.empty(len(chosen), dtype=np.int64)
    paths = np.full((len(chosen), max_hops + 1), -1, dtype=np.int32)
    sources = met.add(walks.sources[chosen])
    streams = walks.streams[chosen]
    indptr, indices = met.csr()
    kernel(indptr, indices, met.scores, argmax, 0, sources, streams, max_hops, hops, paths)
    lengths = (paths >= 0).sum(axis=1)
    last = paths[np.arange(len(chosen)), lengths - 1]
    unknown = np.diff(indptr)[last] == 0
    stopped = (last != 0) & (lengths <= max_hops) & unknown
    walks.hops[chosen] = hops
    walks.paths[chosen] = np.where(paths >= 0, met.nodes[paths], -1)
    walks.unfinished = chosen[stopped]
    walks.holders = np.unique(met.nodes[last[stopped]])
