"""The frozen tasks of the benchmark: which graphs, which pairs, and the hash of each.

Version 1 is the file ``tasks-1.json``. A task is a graph by its spec, split with a seed; its hash
is :attr:`garden.datasets.task.SearchTask.content_hash`, which covers the graph and the pairs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from garden.datasets.spec import load
from garden.datasets.task import SearchTask
from garden.errors import DataError, GardenError, one_line

VERSION = 1
SEED = 0
_FILE = Path(__file__).parent / f"tasks-{VERSION}.json"


@dataclass(frozen=True)
class BenchmarkTask:
    """One task of the benchmark."""

    spec: str
    """The graph."""

    task_hash: str
    """Of the graph, its split with seed 0 and its pairs."""

    quick: bool = False
    """Whether ``--quick`` plays it: it needs no data and little time."""

    def load(self) -> SearchTask:
        """The task itself.

        Raises:
            DataError: If the graph here is not the one that the benchmark was frozen with.
            GardenError: If there is no such graph on this machine.
        """
        task = SearchTask.split(load(self.spec), seed=SEED)
        if task.content_hash != self.task_hash:
            raise DataError(f"{self.spec}: its content differs from version {VERSION}'s")
        return task


@lru_cache(maxsize=1)
def benchmark_tasks() -> tuple[BenchmarkTask, ...]:
    """All tasks of this version, in their order."""
    listed = json.loads(_FILE.read_text(encoding="utf-8"))["tasks"]
    return tuple(BenchmarkTask(**one) for one in listed)


def tasks_to_play(quick: bool) -> tuple[BenchmarkTask, ...]:
    """Those that a run plays: all, or the quick ones."""
    return tuple(one for one in benchmark_tasks() if one.quick or not quick)


def frozen(specs: Sequence[str], quick: Sequence[str]) -> str:
    """The text of a file of tasks, for a new version of the benchmark.

    Args:
        specs: The graphs, all of which must be at hand.
        quick: Those of them that a quick run plays.
    """
    tasks = [
        {"spec": spec, "task_hash": SearchTask.split(load(spec), seed=SEED).content_hash}
        | ({"quick": True} if spec in quick else {})
        for spec in specs
    ]
    return json.dumps({"version": VERSION, "tasks": tasks}, indent=1) + "\n"


def why_missing(task: BenchmarkTask) -> tuple[SearchTask | None, str]:
    """The task, or None and the reason why it cannot be played here."""
    try:
        return task.load(), ""
    except GardenError as error:
        return None, one_line(error)
