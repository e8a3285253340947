"""Playing the benchmark: a strategy on every task that is at hand, as an entry.

The track follows from the strategy. ``gossip``: its agents talk first. ``trained``: it was trained
on a graph, and plays the test pairs of its own split alone. ``newcomers``: it was trained on a
graph without the newcomers, who are its targets. Everything else is ``zero-shot``. Pairs of
``gossip`` and ``zero-shot`` have targets drawn from all nodes.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from garden.datasets.task import SearchTask
from garden.errors import GardenError, SpecError, one_line
from garden.experiments.benchmark.entry import FORMAT
from garden.experiments.benchmark.tasks import (
    VERSION,
    BenchmarkTask,
    Track,
    newcomer_hashes,
    tasks_to_play,
    why_missing,
)
from garden.experiments.run.executors import versions_and_command
from garden.graphs.ego_extraction import ego_graphs
from garden.provenance import has_met
from garden.resolve import contenders_named
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.metrics import oracle_ratio_interval
from garden.search.progress import Progress, silent
from garden.search.report import Report, StrategyResult
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.protocols import Trained

WIN_GROUP = ("random", "distance", "bidirectional+visited")
"""Who else plays for wins; those that cannot read a graph (without attributes) stay away."""

NUM_PAIRS, NUM_QUICK_PAIRS = 1000, 200
_SAMPLE = 256  # nodes whose rows are weighed


def benchmark_entry(
    strategies: Sequence[str],
    quick: bool = False,
    training_seconds: float | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """An entry, as plain values that follow the schema.

    Args:
        strategies: A name with its memory; several only where each was trained on another graph.
        quick: Play small generated tasks alone, with few pairs.
        training_seconds: How long the strategy was trained, where it was.
        progress: Called as tasks pass.

    Raises:
        SpecError: If the strategies are of several tracks or memories, or no task can be played.
    """
    contenders = contenders_named(strategies)
    track = _track_of(contenders)
    tasks, missing = [], []
    listed = tasks_to_play(quick, track)
    for number, one in enumerate(listed):
        progress(one.spec, number, len(listed))
        result, why = _played(one, contenders, track, quick)
        if result is None:
            missing.append({"spec": one.spec, "why": why})
        else:
            tasks.append(result)
    if not tasks:
        raise SpecError(f"no task can be played: {missing[0]['spec']}: {missing[0]['why']}")
    made = versions_and_command()
    return {
        "format": FORMAT,
        "version": VERSION,
        "quick": quick,
        "strategy": contenders[0].label if len(contenders) == 1 else contenders[0].strategy.name,
        "memory": contenders[0].memory.name,
        "track": track,
        "win_group": list(WIN_GROUP),
        "versions": made["versions"],
        "device": f"cpu, {platform.machine()}",
        "command": made["command"],
        "training_seconds": training_seconds,
        "tasks": tasks,
        "missing": missing,
    }


def _track_of(contenders: Sequence[Contender]) -> Track:
    """The one track of these; several strategies must be trained ones with one memory."""
    tracks = {_track(one) for one in contenders}
    memories = {one.memory.name for one in contenders}
    of_graphs = tracks in ({"trained"}, {"newcomers"})
    if len(contenders) > 1 and (not of_graphs or len(memories) > 1):
        raise SpecError(
            "an entry is one strategy with one memory: several are for policies that were each "
            "trained on a graph of their own"
        )
    return tracks.pop()


def _track(contender: Contender) -> Track:
    strategy = contender.strategy
    if isinstance(strategy, GossipStrategy):
        return "gossip"
    if not isinstance(strategy, Trained):
        return "zero-shot"
    return "newcomers" if strategy.trained_graph in newcomer_hashes() else "trained"


def _played(
    one: BenchmarkTask, contenders: Sequence[Contender], track: str, quick: bool
) -> tuple[dict[str, Any] | None, str]:
    """What came of a task, or None and why it was not played."""
    fitting = [each for each in contenders if _fits(each, one)]
    if not fitting:
        lacking = "on the graph without its newcomers" if one.of_newcomers else "on this split"
        return None, f"no policy was trained {lacking}"
    task, why = why_missing(one)
    if task is None:
        return None, why
    began = time.monotonic()
    pairs = NUM_QUICK_PAIRS if quick else NUM_PAIRS
    own_targets = track in ("trained", "newcomers")
    config = EvaluationConfig(split="test" if own_targets else "all", pairs=pairs)
    try:
        report = compare(task, [fitting[0], *_opponents(task)], config)
    except GardenError as error:
        return None, one_line(error)
    seconds = round(time.monotonic() - began, 2)
    return _outcome(one, task, fitting[0], report) | {"seconds": seconds}, ""


def _fits(contender: Contender, one: BenchmarkTask) -> bool:
    strategy = contender.strategy
    if not isinstance(strategy, Trained):
        return True
    if one.of_newcomers:
        return strategy.trained_graph == one.train_hash
    return strategy.trained_task == one.task_hash


def _opponents(task: SearchTask) -> list[Contender]:
    named = contenders_named(WIN_GROUP)
    if task.graph.num_attributes > 0:
        return named
    return [one for one in named if not getattr(one.strategy, "needs_attributes", True)]


def _outcome(
    one: BenchmarkTask, task: SearchTask, contender: Contender, report: Report
) -> dict[str, Any]:
    result, targets = report.results[0], report.pairs[:, 1]
    size = _row_bytes(contender, task, result)
    return {
        "spec": one.spec,
        "task_hash": one.task_hash,
        "num_pairs": len(report.pairs),
        "max_hops": report.config.max_hops,
        "oracle_ratio": result.oracle_ratio,
        "oracle_ratio_ci": _ends(result.oracle_ratio_ci, low=1.0),
        "truncation_rate": result.truncation_rate,
        "truncation_rate_ci": _ends(oracle_ratio_interval(result.outcomes.truncation, targets)),
        "win_rate": result.win_rate,
        "win_rate_ci": _ends(oracle_ratio_interval(result.outcomes.wins, targets)),
        "evaluation": result.evaluation,
        "seen_in_training": has_met(contender.strategy, task.graph),
        "bytes_per_node": size,
        "bytes_per_message": size,  # the target's row; what a memory carries is not counted
    }


def _ends(ends: tuple[float, float] | None, low: float = 0.0) -> list[float] | None:
    """An interval as JSON holds it, with rounding below its least possible value taken back."""
    return None if ends is None else [max(low, ends[0]), max(low, ends[1])]


def _row_bytes(contender: Contender, task: SearchTask, result: StrategyResult) -> float:
    """The mean bytes of a row: what a node keeps, and what a message carries of its target."""
    if result.gossip is not None:
        return float(result.gossip.bytes_per_node)
    nodes = np.linspace(0, task.graph.num_nodes - 1, min(_SAMPLE, task.graph.num_nodes))
    egos = ego_graphs(task.graph, np.unique(nodes.astype(int)))
    strategy = contender.strategy
    if getattr(strategy, "temperature", 1.0) is None and hasattr(strategy, "with_temperature"):
        contender = replace(contender, strategy=strategy.with_temperature(1.0))
    return round(float(contender.strategy.represent(egos).bytes_per_row.mean()), 1)
