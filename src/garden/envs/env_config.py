"""What every environment is made from: the task, its targets, the limit of hops, observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from garden.datasets.task import SearchTask, Split
from garden.envs.core import action_masks
from garden.envs.observations import Observer, observer_of
from garden.errors import TaskError, kind_of
from garden.graphs.graph import Graph
from garden.random_streams import MEASURED_TARGETS
from garden.search.config import MaxHops, limit_towards
from garden.search.episode_rng import next_streams, streams_of, uniforms_of
from garden.strategies.base import Strategy

MAX_MEASURED_NODES = 5000  # beyond, `auto` goes by the distances to some of the targets
NUM_MEASURED_TARGETS = 256


@dataclass(frozen=True, eq=False)
class EnvConfig:
    """A task, the part of its split whose targets are drawn, and what observations contain."""

    task: SearchTask
    split: Split = "train"
    max_hops: MaxHops = "auto"
    """T_max. `auto` becomes a number: 100; where the longest distance to the targets is above 50,
    ten times that, at most 10,000."""
    strategy: Strategy | None = None
    """Whose representations observations contain; attributes without one."""

    def __post_init__(self) -> None:
        if not isinstance(self.task, SearchTask):
            raise TaskError(
                f"an environment needs a SearchTask, not {kind_of(self.task)}: "
                "make one with garden.SearchTask.split(graph)"
            )
        if self.max_hops != "auto":
            check_count("max_hops", self.max_hops)
        limit = limit_towards(self.max_hops, self.graph, self._measured_targets())
        object.__setattr__(self, "max_hops", limit)

    @property
    def limit(self) -> int:
        """The hop at which an episode is truncated, T_max in the paper, as a number."""
        assert isinstance(self.max_hops, int)
        return self.max_hops

    @property
    def graph(self) -> Graph:
        """The graph that is searched."""
        return self.task.graph

    @cached_property
    def max_degree(self) -> int:
        """The number of slots, the largest degree."""
        return int(self.graph.degrees.max())

    @cached_property
    def targets(self) -> np.ndarray:
        """Positions of the nodes that may be targets, (num_targets,)."""
        return self.task.targets(self.split)

    @cached_property
    def observer(self) -> Observer:
        """Makes observations; built when first needed."""
        return observer_of(self.graph, self.strategy)

    def _measured_targets(self) -> np.ndarray:
        """The targets whose distances `auto` goes by: all, or a sample on a large graph."""
        targets = self.task.targets(self.split)  # refuses a part that there is not
        if self.graph.num_nodes <= MAX_MEASURED_NODES or len(targets) <= NUM_MEASURED_TARGETS:
            return targets
        draws = np.random.default_rng([self.task.seed, MEASURED_TARGETS])
        return np.sort(draws.choice(targets, NUM_MEASURED_TARGETS, replace=False))

    def action_masks(self, holders: np.ndarray) -> np.ndarray:
        """Which slots each holder has, (num_holders, max_degree) int8 of 0 and 1."""
        return action_masks(self.graph, holders, self.max_degree)

    def pairs(self, roots: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The pairs of episodes by number: a uniform target each, and a uniform other node.

        Thousands of environments need no generator each, and the k-th episode of a seed is the same
        in every environment, however many run at once. Pairs are drawn from the bitwise complement
        of the stream that a walk draws its hops from, so that the two are unrelated.

        Args:
            roots: The stream roots of the seeds, (num_episodes,) uint64.
            numbers: The number of each episode among those of its seed, (num_episodes,).

        Returns:
            Positions of source and target, (num_episodes, 2) int64.
        """
        first = next_streams(~streams_of(roots, numbers))
        second = next_streams(first)
        chosen = self.targets[(uniforms_of(first) * len(self.targets)).astype(np.int64)]
        sources = (uniforms_of(second) * (self.graph.num_nodes - 1)).astype(np.int64)
        sources += sources >= chosen  # skip over the target
        return np.stack([sources, chosen], axis=1)


def known_options(options: dict[str, Any] | None, *names: str) -> dict[str, Any]:
    """The options of a reset; names other than ``names`` are refused."""
    for name in options or {}:
        if name not in names:
            raise TaskError(f"reset: unknown option {name!r}: use {', '.join(names)}")
    return options or {}


def check_count(name: str, count: object) -> None:
    """Refuse a value that is not a whole number of at least 1.

    Args:
        name: What errors call the value.
        count: The value.
    """
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise TaskError(f"{name} is {count!r}: give a whole number of at least 1")
