"""The actor that holds one shard; Ray starts it, and starts it again where it dies."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from garden.cluster.config import ClusterConfig
from garden.cluster.shard_files import Manifest, Shard, local_graph, read_names, read_shard
from garden.cluster.shard_messages import ShardMessages
from garden.cluster.shard_rounds import PlainRounds, ShardRounds
from garden.errors import GardenError
from garden.strategies.base import Strategy
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations

KnownT = TypeVar("KnownT")


class ForgottenError(GardenError):
    """The actor was started again and has not been brought up to date."""


class Usage(NamedTuple):
    """What the process of an actor has used so far."""

    cpu_seconds: float
    peak_bytes: int
    """The most memory that it has held, shared memory included."""


@dataclass(eq=False)
class ShardActor:
    """One shard: its rounds, then its messages.

    Calls that give something for other shards give a summary first, then one thing for each shard,
    None in its own place.
    """

    folder: Path
    manifest: Manifest
    number: int  # of the shard
    strategy: Strategy
    memory: Memory
    config: ClusterConfig
    _shard: Shard | None = None
    _rounds: ShardRounds[Any] | None = None
    _rows: Representations | None = None
    _messages: ShardMessages | None = None

    def load(self) -> int:
        """Read the shard, unless that is done; the id of the actor's process."""
        if self._shard is None:
            self._shard = read_shard(self.folder, self.manifest, self.number)
        return os.getpid()

    def begin(self) -> tuple[Any, ...]:
        """The rows before the first round; the summary is the number of bytes told."""
        shard = self._loaded()
        self._rows = self._messages = None
        self._rounds = self._new_rounds(shard)
        return self._with_bytes(0, self._rounds.begin())

    def hear(self, *told: Any) -> tuple[Any, ...]:
        """One round; the summary is how many rows changed, and the number of bytes told."""
        return self._with_bytes(*self._begun().hear(told))

    def finish(self, *told: Any) -> tuple[int, int]:
        """The rounds are over; how many entries own rows hold, and their bytes."""
        self._rows = self._begun().finish(told)
        shard, width = self._loaded(), len(self.manifest.attribute_names)
        self._messages = ShardMessages(shard, self._rows, self.strategy, self.memory, width)
        own = self._rows.take(np.arange(shard.num_own))
        entries = own.ragged["keys"].values if "keys" in own.ragged else ()
        return len(entries), int(own.bytes_per_row.sum())

    def told_so_far(self, shard: int, rounds: int) -> Any:
        """What was told to a shard that has died, at the beginning and in so many rounds.

        Args:
            shard: The one that has died.
            rounds: How many rounds it has to hear again.

        Returns:
            One thing for the beginning, then one for each round.
        """
        told = self._begun().told_so_far(shard, rounds)
        return self._known(told, "does not know what it has told")

    def catch_up(self, rounds: int, finished: bool, *told: Any) -> tuple[Any, ...]:
        """Begin, and hear what others told in so many rounds; then finish, where they have.

        Args:
            rounds: How many the others have heard.
            finished: Whether the others have finished.
            *told: What each shard told this one so far, as :meth:`told_so_far` gives it; None in
                the own place.

        Returns:
            What :meth:`hear` gives after the last of these rounds.
        """
        reply = self.begin()
        for number in range(rounds):
            reply = self.hear(*(one if one is None else one[number] for one in told))
        if finished:
            self.finish(*(one if one is None else one[rounds] for one in told))
        return reply

    def step(self, *batches: bytes) -> tuple[Any, ...]:
        """Move messages on; the summary says what happened."""
        outcome, sent = self._known(self._messages, "has not settled").step(batches)
        return outcome, *sent

    def rows_of(self, keys: np.ndarray) -> Representations:
        """The settled rows of own nodes by their keys."""
        rows = self._known(self._rows, "has not settled")
        return rows.take(self._loaded().own_rows(keys))

    def names_of(self, keys: np.ndarray) -> list[str]:
        """The names of own nodes by their keys."""
        names = read_names(self.folder, self.manifest, self.number)
        return [names[row] for row in self._loaded().own_rows(keys).tolist()]

    def usage(self) -> Usage:
        """What this process has used so far."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Usage(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)

    def _loaded(self) -> Shard:
        return self._known(self._shard, "has not been read")

    def _begun(self) -> ShardRounds[Any]:
        return self._known(self._rounds, "has not begun")

    def _known(self, value: KnownT | None, otherwise: str) -> KnownT:
        """What is there; else the actor has forgotten it."""
        if value is None:
            raise ForgottenError(f"shard {self.number} {otherwise}")
        return value

    def _new_rounds(self, shard: Shard) -> ShardRounds[Any]:
        if self.config.compiles(self.strategy):
            assert isinstance(self.strategy, Beacons)
            from garden.cluster.beacon_rounds import BeaconRounds

            return BeaconRounds(shard, self.strategy, self.manifest.num_nodes)
        graph = local_graph(self.folder, self.manifest, shard)
        return PlainRounds(shard, graph, self.strategy)

    def _with_bytes(self, changed: int, told: list[Any]) -> tuple[Any, ...]:
        """The summary, then what is told, with nothing in the own place."""
        others = [None if home == self.number else one for home, one in enumerate(told)]
        num_bytes = sum(one.num_bytes for one in others if one is not None)
        return (changed, num_bytes), *others
