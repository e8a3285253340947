"""Walks by sketches on large graphs: only the neighbours of holders are ever scored.

Rows are those of ``beacons`` (:mod:`garden.strategies.gossip.beacons`), or others of the same
arrays, such as random landmarks; hubs may have a price. :func:`sketch_walks` repeats
:func:`garden.search.walk.walk` hop for hop; its compiled loop is in :mod:`.sketch_walk_kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from garden.datasets.task import pairs_by_target
from garden.graphs.ego import EgoGraphs
from garden.graphs.graph import Graph
from garden.resolve import memory_named
from garden.search.episode_rng import episode_streams
from garden.search.rollout import Rollout
from garden.search.rounds import node_keys, settle
from garden.search.walk import walk
from garden.strategies.base import Selection, Strategy
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.sketches import own_entries
from garden.strategies.representations import Representations

TIES_ONLY = 2.0**30
"""A price per class that counts before the bound and never weighs a hop of the sum: classes are
below 64, one hop is 2³⁶, and 1,024 hops of the bound weigh as much as one class."""


@final
@dataclass(frozen=True)
class PricedBeacons(Strategy):
    """The score of ``beacons`` less a price for each class of the candidate; the target is free.

    A row's own entry holds its class, so that a holder knows the prices of its neighbours.
    """

    beacons: Beacons
    price: float = 0.0  # of one class, in units of the score

    name: ClassVar[str] = "priced beacons"
    selection: ClassVar[Selection] = "argmax"
    needs_attributes: ClassVar[bool] = False

    def represent(self, egos: EgoGraphs) -> Representations:
        """Refuses, as `beacons` do: rows come from rounds, not from ego graphs alone."""
        return self.beacons.represent(egos)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """As ``beacons``, less the price; a candidate at sum 0 is the target.

        Args:
            candidates: Rows of a holder's neighbours.
            targets: Rows of the targets, which are their cards.

        Returns:
            (num_targets, num_candidates) float64.
        """
        scores = self.beacons.score(candidates, targets)
        return np.where(scores > 0, scores, scores - self.prices(candidates))

    def prices(self, rows: Representations) -> np.ndarray:
        """What each row's score is lowered by, (num_rows,) float64."""
        return self.price * own_entries(rows).classes.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Searchers:
    """Agents with settled rows, and how they score."""

    graph: Graph
    strategy: PricedBeacons
    rows: Representations  # one per node
    keys: np.ndarray  # (num_nodes,) uint64

    @classmethod
    def settled(cls, graph: Graph, beacons: Beacons, price: float = 0.0) -> Searchers:
        """Agents that have talked until nobody had anything to say.

        Args:
            graph: The graph.
            beacons: Who keeps what.
            price: Of one degree class of a candidate, in units of the score.
        """
        keys = node_keys(graph, beacons.key_seed)
        return cls(graph, PricedBeacons(beacons, price), settle(graph, beacons).rows, keys)


@dataclass(frozen=True)
class Walks:
    """By which memory and limit pairs are walked, how often, and what is kept of it."""

    memory: str = "none"  # or `backtrack`
    max_hops: int = 100
    per_pair: int = 1
    seed: int = 0
    keep_paths: bool = False


def sketch_walks(searchers: Searchers, pairs: np.ndarray, walks: Walks) -> Rollout:
    """The walks of every pair, each with a random stream of its own.

    Args:
        searchers: The graph, the rows and the scores.
        pairs: Positions of source and target, (num_pairs, 2).
        walks: How they are walked; the seed and a walk's number give its random stream.

    Returns:
        As :func:`garden.search.rollout.rollout` gives them.
    """
    streams = episode_streams(walks.seed, 0, len(pairs) * walks.per_pair)
    streams = streams.reshape(len(pairs), walks.per_pair)
    try:
        from garden.experiments.ours.gossip.sketch_walk_kernel import walk_by_sketches
    except ImportError:  # no numba on this machine
        return plain_sketch_walks(searchers, pairs, walks, streams)
    graph, order = searchers.graph, np.argsort(pairs[:, 1], kind="stable")
    targets, of_target = pairs_by_target(pairs)
    ends = np.cumsum([len(rows) * walks.per_pair for rows in of_target])
    cards = searchers.strategy.beacons.card(searchers.rows.take(targets))
    found = _empty(len(pairs), walks)
    walk_by_sketches(
        (graph.indptr, graph.indices),
        _arrays(searchers.rows, searchers.keys),
        _arrays(cards, searchers.keys),
        searchers.strategy.prices(searchers.rows),
        targets.astype(np.int64),
        (
            np.concatenate([[0], ends]).astype(np.int64),
            np.repeat(pairs[order, 0], walks.per_pair).astype(np.int64),
            streams[order].ravel(),
        ),
        walks.memory == "backtrack",
        walks.max_hops,
        found.hops.reshape(-1),
        found.paths.reshape(-1, found.paths.shape[2])
        if walks.keep_paths
        else np.empty((0, 0), dtype=np.int32),
    )
    back = np.argsort(order)
    return Rollout(found.hops[back], found.paths[back])


def plain_sketch_walks(
    searchers: Searchers, pairs: np.ndarray, walks: Walks, streams: np.ndarray
) -> Rollout:
    """One plain walk after another: what the compiled loop equals.

    Args:
        searchers: The graph, the rows and the scores.
        pairs: Positions of source and target, (num_pairs, 2).
        walks: How they are walked.
        streams: The random state of each walk, (num_pairs, per_pair) uint64.
    """
    found = _empty(len(pairs), walks)
    memory = memory_named(walks.memory)
    for row, (source, target) in enumerate(pairs.tolist()):
        for number, stream in enumerate(streams[row].tolist()):
            trip = walk(
                searchers.graph,
                searchers.strategy,
                searchers.rows,
                source,
                target,
                memory,
                walks.max_hops,
                stream,
            )
            found.hops[row, number] = trip.hops if trip.delivered else walks.max_hops + 1
            if walks.keep_paths:
                found.paths[row, number, : len(trip.nodes)] = trip.nodes
    return found


def _empty(num_pairs: int, walks: Walks) -> Rollout:
    length = walks.max_hops + 1 if walks.keep_paths else 0
    return Rollout(
        np.empty((num_pairs, walks.per_pair), dtype=np.int64),
        np.full((num_pairs, walks.per_pair, length), -1, dtype=np.int32),
    )


def _arrays(rows: Representations, keys: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rows with nodes in place of keys: entries, distances, offsets, neighbours, offsets."""
    order = np.argsort(keys).astype(np.int32)
    ranked = keys[order]
    sketch, others = rows.ragged["keys"], rows.ragged["neighbours"]
    return (
        order[np.searchsorted(ranked, sketch.values)],
        rows.ragged["distances"].values,
        sketch.offsets,
        order[np.searchsorted(ranked, others.values)],
        others.offsets,
    )
