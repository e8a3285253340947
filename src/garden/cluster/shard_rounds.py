"""The rounds of one shard: what it tells other shards, and what it makes of what they tell.

Shards go in step: all begin, all hear what was told, until nothing has changed anywhere. What a
shard tells another is about its nodes that border it, each once, however many links lead there.
:class:`PlainRounds` drives ``begin`` and ``hear`` of any strategy and gives the rows that
:func:`garden.search.rounds.settle` gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from garden.cluster.shard_files import Shard
from garden.graphs.ego import ragged_rows
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.rounds import heard_rows
from garden.strategies.base import Strategy, checked_representations
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations, concatenated, differing_rows


class Told(Protocol):
    """What one shard tells another in one round."""

    @property
    def num_bytes(self) -> int:
        """The bytes of its arrays."""


ToldT = TypeVar("ToldT", bound=Told)


class ShardRounds(Protocol[ToldT]):
    """The rounds of one shard; lists of what is told have a place for each shard."""

    def begin(self) -> list[ToldT]:
        """The own rows before the first round."""

    def hear(self, told: Sequence[ToldT]) -> tuple[int, list[ToldT]]:
        """One round; how many own rows changed, and what that tells.

        Args:
            told: What each shard told in the round before; its own place counts for nothing.
        """

    def finish(self, told: Sequence[ToldT]) -> Representations:
        """The settled rows of all local nodes, once nothing changes any more."""

    def told_so_far(self, shard: int, rounds: int) -> list[ToldT] | None:
        """What was told to a shard at the beginning and in so many rounds.

        Args:
            shard: The shard.
            rounds: How many.

        Returns:
            One thing for the beginning, then one for each round; None where it is lost.
        """


@dataclass(frozen=True, eq=False)
class ToldRows:
    """Rows that changed in one round."""

    which: np.ndarray  # (num_told,) int32 positions among the nodes that border that shard
    rows: Representations

    @property
    def num_bytes(self) -> int:
        """The positions and the rows."""
        return self.which.nbytes + int(self.rows.bytes_per_row.sum())


class PlainRounds:
    """Rounds by a strategy's own ``begin`` and ``hear``, or none where it has no rounds."""

    def __init__(self, shard: Shard, graph: Graph, strategy: Strategy) -> None:
        """The rounds of one shard, before the first of them.

        Args:
            shard: The shard.
            graph: Of its local nodes; ego graphs of its own nodes are whole in it.
            strategy: The strategy, fitted and tuned.
        """
        self._shard = shard
        self._graph = graph
        self._strategy = strategy
        self._changed = np.arange(shard.num_own)  # own rows that changed in the last round

    def begin(self) -> list[ToldRows]:
        """The rows from ego graphs alone."""
        egos = ego_graphs(self._graph, np.arange(self._shard.num_own))
        if isinstance(self._strategy, GossipStrategy):
            rows = self._strategy.begin(egos, self._shard.keys[egos.members])
        else:
            rows = self._strategy.represent(egos)
        self._own = checked_representations(rows, self._shard.num_own, self._strategy.name)
        self._borders: Representations | None = None
        return self._told()

    def hear(self, told: Sequence[ToldRows]) -> tuple[int, list[ToldRows]]:
        """One round of all own nodes with a neighbour whose row changed."""
        changed = np.concatenate([self._changed, self._take(told)])
        self._changed = np.empty(0, dtype=np.int64)
        if isinstance(self._strategy, GossipStrategy) and len(changed):
            rows = self._rows
            listening = self._listening(changed)
            if len(listening):
                heard = heard_rows(self._graph, self._strategy, rows, listening)
                differs = np.flatnonzero(differing_rows(self._own.take(listening), heard))
                self._changed = listening[differs]
                self._own = self._own.replaced(self._changed, heard.take(differs))
        return len(self._changed), self._told()

    def finish(self, told: Sequence[ToldRows]) -> Representations:
        """The rows of own nodes and borders."""
        self._take(told)
        return self._rows

    def told_so_far(self, shard: int, rounds: int) -> list[ToldRows] | None:
        """None: a strategy may tell anything, so that all shards begin anew.

        Args:
            shard: Counts for nothing.
            rounds: Counts for nothing.
        """
        return None

    @property
    def _rows(self) -> Representations:
        return self._own if self._borders is None else concatenated([self._own, self._borders])

    def _told(self) -> list[ToldRows]:
        place = np.full(self._shard.num_own, False)
        place[self._changed] = True
        which = [np.flatnonzero(place[nodes]) for nodes in self._shard.told_to]
        return [
            ToldRows(positions.astype(np.int32), self._own.take(nodes[positions]))
            for positions, nodes in zip(which, self._shard.told_to, strict=True)
        ]

    def _take(self, told: Sequence[ToldRows]) -> np.ndarray:
        """Note the rows of borders; their local numbers."""
        bounds = self._shard.border_bounds
        others = [home for home in range(len(told)) if home != self._shard.number]
        told_rows = [told[home].rows for home in others if len(told[home].which)]
        numbers = [bounds[home] + told[home].which.astype(np.int64) for home in others]
        all_numbers = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
        if told_rows:
            rows = concatenated(told_rows)
            if self._borders is None:  # the first time all borders are told of
                self._borders = rows
            else:
                self._borders = self._borders.replaced(all_numbers - self._shard.num_own, rows)
        return all_numbers

    def _listening(self, changed: np.ndarray) -> np.ndarray:
        positions, _ = ragged_rows(self._graph.indptr, changed)
        near = np.unique(self._graph.indices[positions])
        return near[near < self._shard.num_own].astype(np.int64)
