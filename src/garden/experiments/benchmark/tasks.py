"""The frozen tasks of the benchmark: which graphs, which pairs, and the hash of each.

Version 1 is the file ``tasks-1.json``. A task is a graph by its spec, split with a seed; its hash
is :attr:`garden.datasets.task.SearchTask.content_hash`, which covers the graph and the pairs. A
task of newcomers also has the hash of the graph that a policy is trained on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from garden.datasets.spec import load
from garden.datasets.task import SearchTask
from garden.errors import DataError, GardenError, SpecError, did_you_mean, one_line
from garden.experiments.benchmark.newcomers import newcomer_split, newcomer_task
from garden.graphs.graph import Graph

VERSION = 1
SEED = 0
Track = Literal["trained", "zero-shot", "newcomers", "gossip"]
_PREFIX = "newcomers:"
_FILE = Path(__file__).parent / f"tasks-{VERSION}.json"


@dataclass(frozen=True)
class BenchmarkTask:
    """One task of the benchmark."""

    spec: str
    """The graph, after `newcomers:` where the targets are newcomers of it."""

    task_hash: str
    """Of the graph, its split with seed 0 and its pairs."""

    quick: bool = False
    """Whether ``--quick`` plays it: it needs no data and little time."""

    train_hash: str | None = None
    """Of the graph without its newcomers, which a policy is trained on."""

    @property
    def of_newcomers(self) -> bool:
        """Whether the targets are newcomers."""
        return self.spec.startswith(_PREFIX)

    def load(self) -> SearchTask:
        """The task with its graph, checked against the hash that it was frozen with.

        Raises:
            DataError: If the graph here is not the one that the benchmark was frozen with.
            GardenError: If there is no such graph on this machine.
        """
        task = _made(self.spec)
        if task.content_hash != self.task_hash:
            raise DataError(f"{self.spec}: its content differs from version {VERSION}'s")
        return task

    def training_graph(self) -> Graph:
        """The graph that a policy for this task is trained on."""
        graph = load(self.spec.removeprefix(_PREFIX))
        if not self.of_newcomers:
            return graph
        before = newcomer_split(graph, SEED).before
        if before.content_hash != self.train_hash:
            raise DataError(f"{self.spec}: its content differs from version {VERSION}'s")
        return before


@lru_cache(maxsize=1)
def benchmark_tasks() -> tuple[BenchmarkTask, ...]:
    """All tasks of this version, in their order."""
    listed = json.loads(_FILE.read_text(encoding="utf-8"))["tasks"]
    return tuple(BenchmarkTask(**one) for one in listed)


def tasks_to_play(quick: bool, track: str = "zero-shot") -> tuple[BenchmarkTask, ...]:
    """Those that a run plays.

    Args:
        quick: Whether only the quick ones are played.
        track: Newcomers are the targets of their own track alone.
    """
    return tuple(
        one
        for one in benchmark_tasks()
        if (one.quick or not quick) and one.of_newcomers == (track == "newcomers")
    )


def task_named(name: str) -> BenchmarkTask:
    """The task of this name.

    Raises:
        SpecError: If this version has none.
    """
    for one in benchmark_tasks():
        if one.spec == name:
            return one
    names = [one.spec for one in benchmark_tasks()]
    meant = did_you_mean(name, names)
    raise SpecError(
        f"{name!r} is no task of version {VERSION}: {meant}see docs/benchmark-entries.md"
    )


def newcomer_hashes() -> frozenset[str]:
    """The graphs without newcomers: a policy that was trained on one plays the newcomers."""
    return frozenset(one.train_hash for one in benchmark_tasks() if one.train_hash is not None)


def why_missing(task: BenchmarkTask) -> tuple[SearchTask | None, str]:
    """The task, or None and the reason why it cannot be played here."""
    try:
        return task.load(), ""
    except GardenError as error:
        return None, one_line(error)


def _made(spec: str) -> SearchTask:
    graph = load(spec.removeprefix(_PREFIX))
    if spec.startswith(_PREFIX):
        return newcomer_task(graph, SEED)
    return SearchTask.split(graph, seed=SEED)
