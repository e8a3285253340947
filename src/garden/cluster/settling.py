"""How a cluster settles: rounds of all shards in step, and actors that die among them.

An actor that dies has forgotten its rows. With the compiled rounds of ``beacons`` it hears again
what each other shard told it, round by round; otherwise all shards begin anew, as they do where
several actors die at once.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garden.cluster.calls import Actors, Reply
from garden.search.progress import Progress

_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class SettleReport:
    """What it took until nothing changed any more."""

    rounds: int
    """Rounds in which something changed."""

    entries_per_node: float
    """Entries that a settled row holds, on average; 0 where rows have none."""

    bytes_per_node: float
    """The bytes of a settled row, on average."""

    bytes_between_shards: int
    """Bytes that shards told each other."""

    bytes_between_shards_per_node: float
    """The same for each node of the network."""


class _BeginAnewError(Exception):
    """More was lost than the other actors can make good."""


class Settling:
    """The rounds of all shards."""

    def __init__(self, actors: Actors, num_nodes: int, replays: bool, progress: Progress) -> None:
        """The settling of a whole network, before its first round.

        Args:
            actors: The actors, which have read their shards.
            num_nodes: Of the network.
            replays: Whether shards can tell again what they told.
            progress: Called as rounds go on.
        """
        self._actors = actors
        self._num_nodes = num_nodes
        self._replays = replays
        self._progress = progress
        self._heard: int | None = None  # rounds until nothing changed, the last one included

    @property
    def is_settled(self) -> bool:
        """Whether all shards have settled."""
        return self._heard is not None

    def settle(self) -> SettleReport:
        """All rounds, from the beginning."""
        while True:
            try:
                return self._settled()
            except _BeginAnewError:
                _LOG.warning("too much was lost: all shards begin anew")

    def bring_back(self, dead: Sequence[int]) -> None:
        """Let actors that died after all had settled settle again."""
        assert self._heard is not None
        try:
            self._caught_up(dead, self._heard, finished=True)
        except _BeginAnewError:
            self.settle()

    def _settled(self) -> SettleReport:
        self._heard = None
        shards = range(len(self._actors))
        replies, dead = self._actors.of_all("begin", dict.fromkeys(shards, ()))
        if dead:
            self._actors.revive(dead)
            raise _BeginAnewError
        told, rounds, changed = _bytes_of(replies), 0, 1
        while changed:
            heard, dead = self._actors.of_all("hear", self._inboxes(replies))
            rounds += 1
            replies = {**heard, **self._caught_up(dead, rounds, finished=False)}
            changed = sum(reply.summary[0] for reply in replies.values())
            told += _bytes_of(replies)
            self._progress("settling", rounds, rounds + 1)
        finished, dead = self._actors.of_all("finish", self._inboxes(replies), shared=False)
        self._heard = rounds
        if dead:
            self._actors.revive(dead)
            raise _BeginAnewError
        entries, num_bytes = (sum(one.summary[i] for one in finished.values()) for i in range(2))
        nodes = self._num_nodes
        return SettleReport(rounds - 1, entries / nodes, num_bytes / nodes, told, told / nodes)

    def _caught_up(self, dead: Sequence[int], rounds: int, finished: bool) -> dict[int, Reply]:
        """The replies of actors that died, once they have heard the others' rounds again."""
        if not dead:
            return {}
        self._actors.revive(dead)
        (shard, *more) = dead
        if more or not self._replays:
            raise _BeginAnewError
        told = [
            None if other == shard else self._actors.reference(other, "told_so_far", shard, rounds)
            for other in range(len(self._actors))
        ]
        replies, lost = self._actors.of_all("catch_up", {shard: (rounds, finished, *told)})
        if lost:
            self._actors.revive(lost)
            raise _BeginAnewError
        return replies

    def _inboxes(self, replies: Mapping[int, Reply]) -> dict[int, list[Any]]:
        """What each shard is told by all: the parts of the replies, the other way round."""
        shards = range(len(self._actors))
        return {one: [replies[other].parts[one] for other in shards] for one in shards}


def _bytes_of(replies: Mapping[int, Reply]) -> int:
    """The bytes told by all shards in a round."""
    return sum(reply.summary[1] for reply in replies.values())
