"""Graphs, tasks and trained policies of experiments, each made once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from garden.datasets.spec import load
from garden.datasets.task import SearchTask
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training
from garden.graphs.graph import Graph
from garden.resolve import contender_of, strategy_named
from garden.search.compare import Contender, compare
from garden.search.report import Report, StrategyResult
from garden.strategies.base import Strategy

if TYPE_CHECKING:
    from garden.models.policy import Policy

_SUMMARY = "summary.json"


@lru_cache(maxsize=8)
def graph_of(spec: str) -> Graph:
    """The graph of a spec, loaded once per process."""
    return load(spec)


@lru_cache(maxsize=32)
def task_of(spec: str, seed: int) -> SearchTask:
    """The split of a graph, made once per process.

    Args:
        spec: The graph's spec.
        seed: Of the split.

    Returns:
        The task, with the serialized pairs of its seed.
    """
    return SearchTask.split(graph_of(spec), seed=seed)


@dataclass(frozen=True)
class PolicyCache:
    """Trained policies by the address of their training: loaded where they are, else trained."""

    policies: Path
    """The folder of trained policies, a folder each, named by address."""
    device: str = "auto"

    def policy(self, training: Training) -> Policy:
        """The policy of a training: from its folder, or trained now.

        Args:
            training: The graph, the split, the model and the method.

        Returns:
            The policy, on the CPU.
        """
        folder = self.folder_of(training)
        if not self.is_trained(training):
            self.train([training])
        from garden.models.policy_files import load_policy

        return load_policy(folder)

    def folder_of(self, training: Training) -> Path:
        """Where a policy lies, or will."""
        return self.policies / training.key[:20]

    def is_trained(self, training: Training) -> bool:
        """Whether the policy is there and was trained to its end, or as long as it may be."""
        try:
            summary = json.loads((self.folder_of(training) / _SUMMARY).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        ends = {"finished", "early"} | ({"time"} if training.max_minutes is not None else set())
        return summary.get("stopped") in ends

    def train(self, trainings: Sequence[Training]) -> None:
        """Train policies that differ in their seed alone, as one stack."""
        from garden.training.config import RunOptions
        from garden.training.run import train_seeds

        first = trainings[0]
        train_seeds(
            [task_of(one.graph, one.seed) for one in trainings],
            first.full_options,
            first.size,
            RunOptions(device=self.device, max_minutes=first.max_minutes),
            folders=[self.folder_of(one) for one in trainings],
            force=True,
        )

    def compare(self, comparison: Comparison) -> dict[str, Any]:
        """What comes of a comparison on its test pairs.

        Args:
            comparison: The graph, the split and the contenders.

        Returns:
            Outcomes target by target, how policies were trained, and the win rates of each group.
        """
        task = task_of(comparison.graph, comparison.seed)
        contenders = self._contenders(comparison.contenders)
        result = outcomes_of(compare(task, contenders, comparison.evaluation))
        result["trained"] = {
            one.label: self._how_trained(one.strategy)
            for one in comparison.contenders
            if isinstance(one.strategy, Training)
        }
        result["win_groups"] = {}
        for name, labels in comparison.win_groups:
            few = [contender for contender in contenders if contender.label in labels]
            among = compare(task, few, comparison.evaluation)
            result["win_groups"][name] = {one.name: one.win_rate for one in among.results}
        return result

    def _contenders(self, specs: Sequence[ContenderSpec]) -> list[Contender]:
        """The contenders; those who play one strategy share it, which is then scored once."""
        strategies: dict[tuple[str, bool], Strategy] = {}
        contenders = []
        for spec in specs:
            name = spec.strategy if isinstance(spec.strategy, str) else spec.strategy.key
            key = (name, spec.argmax)
            if key not in strategies:
                strategies[key] = self._strategy(spec)
            contenders.append(contender_of(spec.label, strategies[key], spec.memory))
        return contenders

    def _strategy(self, spec: ContenderSpec) -> Strategy:
        if isinstance(spec.strategy, str):
            return strategy_named(spec.strategy)
        policy = self.policy(spec.strategy)
        return policy.as_argmax() if spec.argmax else policy

    def _how_trained(self, training: Training) -> dict[str, Any]:
        folder = self.folder_of(training)
        summary = json.loads((folder / _SUMMARY).read_text(encoding="utf-8"))
        how = self.policy(training).info.training
        kept: tuple[str, ...]
        kept = ("seconds", "updates", "best_update", "validation_ratio", "temperature")
        if training.max_minutes is not None:
            kept = (*kept, "episodes", "stopped")
        return {
            "key": training.key,
            "device": how.get("device"),
            "stack": how.get("stack"),
            "versions": how.get("versions"),
            **{name: summary.get(name) for name in kept},
        }


def outcomes_of(report: Report) -> dict[str, Any]:
    """What is stored of a comparison.

    Args:
        report: The comparison.

    Returns:
        The task's hash, the targets, the number of pairs, and by contender what :func:`by_target`
        gives.
    """
    return {
        "task_hash": report.task_hash,
        "targets": np.unique(report.pairs[:, 1]).tolist(),
        "num_pairs": len(report.pairs),
        "contenders": {one.name: by_target(report, one) for one in report.results},
    }


def by_target(report: Report, result: StrategyResult) -> dict[str, Any]:
    """One contender's outcomes, target by target.

    Args:
        report: The comparison.
        result: The contender's part of it.

    Returns:
        How it was evaluated, its parameters, and lists of (num_targets,): the number of pairs, and
        the means of ratio, truncation, wins and hops over them.
    """
    assert not report.num_pairs_beyond_limit  # in a mean they would have no ratio
    _, number = np.unique(report.pairs[:, 1], return_inverse=True)
    counts = np.bincount(number)

    def mean(values: np.ndarray) -> list[float]:
        return [round(float(x), 6) for x in np.bincount(number, weights=values) / counts]

    return {
        "evaluation": result.evaluation,
        "parameters": {name: _jsonable(value) for name, value in result.parameters.items()},
        "pairs": counts.tolist(),
        "ratio": mean(result.outcomes.hops / report.distances),
        "truncated": mean(result.outcomes.truncation),
        "wins": mean(result.outcomes.wins),
        "hops": mean(result.outcomes.hops),
    }


def _jsonable(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def groups_to_train(trainings: Sequence[Training]) -> list[list[Training]]:
    """Trainings that can go as one stack: all alike but for the seed, each once.

    Args:
        trainings: In any order, some of them perhaps twice.

    Returns:
        A list per stack, in the order of their first training.
    """
    stacks: dict[str, list[Training]] = {}
    for training in {one.key: one for one in trainings}.values():
        content = training.to_json()
        del content["seed"]
        stacks.setdefault(json.dumps(content, sort_keys=True), []).append(training)
    return list(stacks.values())
