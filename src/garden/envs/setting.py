"""What every view of the process is made from: the task, its targets, the limit, the observer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from garden.datasets.task import SearchTask, Split
from garden.envs.core import action_masks
from garden.envs.draws import drawn_pairs
from garden.envs.observations import Observer, observer_of
from garden.errors import TaskError
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy

DEFAULT_MAX_HOPS = 100


@dataclass(frozen=True, eq=False)
class Setting:
    """A task, the part of its split whose targets are drawn, and what holders are shown."""

    task: SearchTask
    split: Split = "train"
    max_hops: int = DEFAULT_MAX_HOPS
    """T_max."""
    strategy: Strategy | None = None
    """Whose representations are shown; attributes where there is none."""

    def __post_init__(self) -> None:
        if not isinstance(self.task, SearchTask):
            raise TaskError(
                f"an environment needs a SearchTask, not a {type(self.task).__name__}: "
                "make one with garden.SearchTask.split(graph)"
            )
        check_count("max_hops", self.max_hops)
        self.task.targets(self.split)  # refuses a part that there is not

    @property
    def graph(self) -> Graph:
        """The graph that is searched."""
        return self.task.graph

    @cached_property
    def max_degree(self) -> int:
        """How many slots an action chooses from."""
        return int(self.graph.degrees.max())

    @cached_property
    def targets(self) -> np.ndarray:
        """The nodes that may be targets."""
        return self.task.targets(self.split)

    @cached_property
    def observer(self) -> Observer:
        """What lays out observations; made when first needed."""
        return observer_of(self.graph, self.strategy)

    def action_masks(self, holders: np.ndarray) -> np.ndarray:
        """Which slots each holder has, (num_holders, max_degree) int8 of 0 and 1."""
        return action_masks(self.graph, holders, self.max_degree)

    def pairs(self, roots: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The pairs of these episodes, (num_episodes, 2)."""
        return drawn_pairs(self.targets, self.graph.num_nodes, roots, numbers)


def known_options(options: dict[str, Any] | None, *names: str) -> dict[str, Any]:
    """The options of a reset, or an error where one of them means nothing here."""
    for name in options or {}:
        if name not in names:
            raise TaskError(f"reset: unknown option {name!r}: use {', '.join(names)}")
    return options or {}


def check_count(name: str, count: object) -> None:
    """Refuse what is not a whole number of at least one."""
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise TaskError(f"{name} is {count!r}: give a whole number of at least 1")
