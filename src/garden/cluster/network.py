"""A network in shards: actors settle together, then pass messages to each other.

:class:`Cluster` keeps the actors in step and learns how messages end. It moves references alone:
rows, entries and messages go from actor to actor. Importing this module needs Ray and msgspec.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from garden.cluster.actor import Usage
from garden.cluster.calls import Actors
from garden.cluster.config import ClusterConfig
from garden.cluster.sending import Sending, Sent
from garden.cluster.settling import SettleReport, Settling
from garden.cluster.shard_files import Manifest, read_manifest, shard_of
from garden.errors import GraphError, SpecError, StrategyError
from garden.peers.envelopes import MAX_HOPS
from garden.peers.message_memory import check_memory
from garden.resolve import contender_named
from garden.search.progress import Progress, silent
from garden.search.rounds import keys_of_names
from garden.search.spread import imported_ray, start_ray
from garden.strategies.base import Strategy, is_ready
from garden.strategies.gossip.directory import Directory
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations, concatenated


class Cluster:
    """The actors that hold a sharded dataset.

    Attributes:
        manifest: What the dataset says about itself.
        message_bytes: Bytes that messages cost between shards so far, cards included.

    Example::

        with Cluster("shards", "beacons:paths=0+backtrack") as cluster:
            cluster.settle()
            cluster.send([("12", "345")])
    """

    def __init__(
        self,
        folder: str | Path,
        strategy: str | Strategy = "beacons:paths=0+backtrack",
        memory: str = "none",
        config: ClusterConfig | None = None,
        progress: Progress = silent,
    ) -> None:
        """Start an actor for each shard, which reads it.

        The Ray cluster is the one that this process has joined, else the one that ``RAY_ADDRESS``
        names, else a local one, which ends with this object.

        Args:
            folder: A sharded dataset, at the same path on every machine that holds its shards.
            strategy: What the nodes run: a name, with ``+MEMORY`` or without, or a strategy that
                is fitted and tuned.
            memory: The memory, where the name holds none.
            config: The limits.
            progress: Called as rounds and messages go on.
        """
        self.manifest = read_manifest(Path(folder))
        self._config = config or ClusterConfig()
        contender = contender_named(strategy, memory)
        _check(contender.strategy, self.manifest)
        check_memory(contender.memory)
        self._progress = progress
        self.message_bytes = 0
        ray = imported_ray()
        self._ours = not ray.is_initialized()
        if self._ours:
            num_cpus = self._config.cpus_per_actor * self.manifest.num_shards
            start_ray(ray, int(np.ceil(num_cpus)))
        try:
            self._actors = Actors(
                Path(folder), self.manifest, contender.strategy, contender.memory, self._config
            )
            self._actors.load(range(len(self._actors)))
        except BaseException:
            self._stop_ray()
            raise
        replays = self._config.compiles(contender.strategy)
        self._settling = Settling(self._actors, self.manifest.num_nodes, replays, progress)

    def __enter__(self) -> Self:
        """The cluster itself; its actors end with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the actors, whether the block succeeded or not."""
        self.close()

    @property
    def deaths(self) -> int:
        """How often an actor died so far."""
        return self._actors.deaths

    @property
    def processes(self) -> list[int]:
        """The id of each actor's process."""
        return self._actors.load(range(len(self._actors)))

    def settle(self) -> SettleReport:
        """Let neighbours tell each other until nothing changes; what that took."""
        return self._settling.settle()

    def send(
        self,
        pairs: Sequence[tuple[str, str]],
        max_hops: int = 100,
        entry: int | None = None,
        ids: Sequence[bytes] | None = None,
    ) -> list[Sent]:
        """Send messages, and wait for how they end.

        Args:
            pairs: Names of source and target.
            max_hops: The hop at which a message is given up.
            entry: The shard that is asked; one after another by default.
            ids: 16 bytes for each message, which all random choices come from; random ones by
                default.
        """
        if not 1 <= max_hops <= MAX_HOPS:
            raise SpecError(f"max_hops is {max_hops}: choose 1 to {MAX_HOPS}")
        if entry is not None and not 0 <= entry < len(self._actors):
            raise SpecError(f"entry is {entry}: the shards are 0 to {len(self._actors) - 1}")
        if not self._settling.is_settled:
            self.settle()
        keys = keys_of_names([name for pair in pairs for name in pair], self.manifest.key_seed)
        if ids is None:
            ids = [secrets.token_bytes(16) for _ in pairs]
        sending = Sending(
            list(pairs), keys.reshape(-1, 2).tolist(), list(ids), max_hops, self._config.attempts
        )
        while requests := sending.next_requests(len(self._actors), entry):
            self._pass_on(requests, sending)
            self._progress("searching", sending.num_ended, len(pairs))
        self.message_bytes += sending.num_bytes
        return sending.results()

    def rows_of(self, names: Sequence[str]) -> Representations:
        """The settled rows of some nodes, from the shards that hold them."""
        keys = keys_of_names(names, self.manifest.key_seed)
        order = np.argsort(shard_of(keys, len(self._actors)), kind="stable")
        rows = concatenated(self._actors.answers("rows_of", self._by_home(keys)))
        return rows.take(np.argsort(order))

    def names_of(self, keys: Sequence[int]) -> list[str]:
        """The names of some nodes by their keys, from the shards that hold them."""
        wanted = self._by_home(np.array(sorted(set(keys)), dtype=np.uint64))
        found = self._actors.answers("names_of", wanted)
        names: dict[int, str] = {}
        for (here,), given in zip(wanted.values(), found, strict=True):
            names |= dict(zip(here.tolist(), given, strict=True))
        return [names[key] for key in keys]

    def usage(self) -> list[Usage]:
        """What each actor's process has used so far: processor time and memory."""
        return self._actors.answers("usage", dict.fromkeys(range(len(self._actors)), ()))

    def close(self) -> None:
        """End the actors, and the Ray cluster where it was started here."""
        self._actors.close()
        self._stop_ray()

    def _by_home(self, keys: np.ndarray) -> dict[int, tuple[np.ndarray]]:
        """Keys by the shard that holds them, in their order, as what its actor is given."""
        homes = shard_of(keys, len(self._actors))
        return {home: (keys[homes == home],) for home in np.unique(homes).tolist()}

    def _pass_on(self, requests: dict[int, bytes], sending: Sending) -> None:
        """Pass messages on until none is under way; those in an actor that dies are lost."""
        inboxes: dict[int, list[Any]] = {home: [batch] for home, batch in requests.items()}
        while inboxes:
            replies, dead = self._actors.of_all("step", inboxes)
            inboxes = {}
            for shard in sorted(replies):
                outcome = replies[shard].summary
                sending.note(outcome)
                for home in outcome.receivers:
                    inboxes.setdefault(home, []).append(replies[shard].parts[home])
            if dead:
                self._settling.bring_back(dead)

    def _stop_ray(self) -> None:
        if self._ours and not os.environ.get("RAY_ADDRESS"):
            imported_ray().shutdown()


def _check(strategy: Strategy, manifest: Manifest) -> None:
    """Refuse a strategy that the shards are not cut for."""
    if isinstance(strategy, Directory):
        raise StrategyError("directory leaves cards, which shards do not hold: choose beacons")
    if not is_ready(strategy):
        raise StrategyError(f"{strategy.name} has to be fitted or tuned first: hand it over ready")
    if isinstance(strategy, GossipStrategy) and strategy.key_seed != manifest.key_seed:
        raise StrategyError(
            f"the shards of {manifest.graph} are cut for seed {manifest.key_seed}, and "
            f"{strategy.name} has seed {strategy.key_seed}: cut them with "
            f"`key_seed={strategy.key_seed}`"
        )
    if strategy.needs_attributes and not manifest.attribute_names:
        raise GraphError(f"{strategy.name} compares attributes and {manifest.graph} has none")
