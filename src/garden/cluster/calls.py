"""Calls to the actors of a cluster: side by side, with those told apart that have died."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garden.cluster.actor import ForgottenError, ShardActor
from garden.cluster.config import ClusterConfig
from garden.cluster.shard_files import Manifest
from garden.errors import GardenError
from garden.search.spread import imported_ray
from garden.strategies.base import Strategy
from garden.strategies.memory import Memory

START_SECONDS = 120  # in which an actor that died must have been started again
_CORES_SECONDS = 10  # in which actors that have ended give back their cores
_PAUSE = 0.2  # seconds between two looks at either
_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class Reply:
    """What an actor answered: a summary, and references to what it has for each shard."""

    summary: Any
    parts: Sequence[Any]


class Actors:
    """The actors of a cluster, by the numbers of their shards.

    An actor whose process dies is started again by Ray; it has forgotten everything then.

    Attributes:
        deaths: How often an actor died so far.

    """

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        strategy: Strategy,
        memory: Memory,
        config: ClusterConfig,
    ) -> None:
        """Start one actor for each shard, in the Ray cluster that this process has joined."""
        self._ray = imported_ray()
        self._num_shards = manifest.num_shards
        self._max_restarts = config.max_restarts
        self.deaths = 0
        self._check_cores(config.cpus_per_actor * manifest.num_shards)
        remote = self._ray.remote(
            num_cpus=config.cpus_per_actor, max_restarts=-1, max_task_retries=0
        )(ShardActor)
        self._handles = [
            remote.remote(folder.resolve(), manifest, number, strategy, memory, config)
            for number in range(self._num_shards)
        ]

    def __len__(self) -> int:
        return self._num_shards

    def of_all(
        self, method: str, arguments: Mapping[int, Sequence[Any]], shared: bool = True
    ) -> tuple[dict[int, Reply], list[int]]:
        """Call a method of several actors side by side.

        Args:
            method: Its name.
            arguments: What each actor is given, by shard.
            shared: Whether it gives something for each shard after its summary.

        Returns:
            The replies by shard, and the shards whose actors have died.
        """
        count = self._num_shards + 1 if shared else 1
        started = {
            shard: self._call(shard, method, given, count) for shard, given in arguments.items()
        }
        replies, dead = {}, []
        for shard, references in started.items():
            try:
                replies[shard] = Reply(self.result(references[0]), references[1:])
            except ForgottenError:
                dead.append(shard)
        return replies, dead

    def reference(self, shard: int, method: str, *arguments: Any) -> Any:
        """A reference to what one actor will answer.

        Args:
            shard: The actor's.
            method: The name of one that gives a single value.
            *arguments: What it is given.
        """
        return self._call(shard, method, arguments, 1)[0]

    def answers(self, method: str, arguments: Mapping[int, Sequence[Any]]) -> list[Any]:
        """What several actors answer, which work side by side.

        Args:
            method: The name of one that gives a single value.
            arguments: What each actor is given, by shard.

        Returns:
            The answers, in the order of the shards that were named.

        Raises:
            ForgottenError: If one has died.
            GardenError: What one raised.
        """
        started = [self.reference(shard, method, *given) for shard, given in arguments.items()]
        return [self.result(reference) for reference in started]

    def result(self, reference: Any) -> Any:
        """What an actor answered to a call; waits for it.

        Raises:
            ForgottenError: If it has died, or if what it was given is lost.
            GardenError: What it raised.
        """
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, GardenError):
                raise cause from None
            if isinstance(cause, exceptions.RayError):
                raise ForgottenError("what an actor was given is lost") from None
            raise
        except (exceptions.RayActorError, exceptions.ObjectLostError):
            raise ForgottenError("an actor died") from None

    def load(self, shards: Sequence[int]) -> list[int]:
        """Let actors read their shards, where they have not; the ids of their processes.

        An actor that Ray is starting again is waited for.
        """
        give_up = time.monotonic() + START_SECONDS
        while True:
            loaded, dead = self.of_all("load", dict.fromkeys(shards, ()), shared=False)
            if not dead:
                return [loaded[shard].summary for shard in shards]
            if time.monotonic() > give_up:
                raise GardenError(
                    f"the actor of shard {dead[0]} has not come up again in {START_SECONDS} s: "
                    "memory may have run out; cut the graph into more shards"
                )
            time.sleep(_PAUSE)

    def revive(self, dead: Sequence[int]) -> None:
        """Let actors that died read their shards again."""
        self.deaths += len(dead)
        for shard in dead:
            _LOG.warning("the actor of shard %d died: it begins anew from its shard", shard)
        if self.deaths > self._max_restarts:
            raise GardenError(
                f"actors died {self.deaths} times, of shard {dead[0]} last: memory may have run "
                "out; cut the graph into more shards, or raise `max_restarts`"
            )
        self.load(dead)

    def close(self) -> None:
        """End the processes of all actors; calls under way are lost."""
        for handle in self._handles:
            self._ray.kill(handle)

    def _check_cores(self, needed: float) -> None:
        """Refuse to wait for cores that are not there, or that others do not give back."""
        give_up = time.monotonic() + _CORES_SECONDS
        while needed > (free := self._ray.available_resources().get("CPU", 0)):
            if time.monotonic() > give_up or needed > self._ray.cluster_resources().get("CPU", 0):
                raise GardenError(
                    f"{self._num_shards} actors need {needed:g} cores and {free:g} are free in the "
                    "Ray cluster: start more, or set `cpus_per_actor` lower"
                )
            time.sleep(_PAUSE)

    def _call(self, shard: int, method: str, given: Sequence[Any], count: int) -> list[Any]:
        called = getattr(self._handles[shard], method).options(num_returns=count)
        references = called.remote(*given)
        return references if count > 1 else [references]
