"""Trellis with every memory on some graphs; validation targets choose the memory to recommend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from garden.experiments.report.headline import BEST_RULE
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Section, Table
from garden.experiments.report.tables import Row, footing_of
from garden.experiments.run.config import MAX_HOPS, Scope
from garden.experiments.run.experiment import Experiment, ResultOf, caveat
from garden.experiments.run.jobs import Comparison, Entrant, Training, Work
from garden.search.config import EvaluationConfig
from garden.strategies.memory import RULES
from garden.training.config import TrainingOptions

_QUICK_UPDATES = 10
_TEST = EvaluationConfig(max_hops=MAX_HOPS)
_SOME_VALIDATION_PAIRS = EvaluationConfig(split="validation", max_hops=MAX_HOPS)
_ALL_VALIDATION_PAIRS = EvaluationConfig(split="validation", all_pairs=True, max_hops=MAX_HOPS)


@final
@dataclass(frozen=True)
class Trial:
    """A graph, its splits, and how trellis is trained on them."""

    spec: str
    seeds: range
    options: TrainingOptions
    all_validation_pairs: bool = True  # choose the memory; else as many as are tested on


@final
@dataclass(frozen=True)
class MemoryTrials:
    """What makes an experiment of trials, by the names of their columns."""

    name: str
    title: str
    claim: str
    trials: Mapping[str, Trial]

    def experiment(self) -> Experiment:
        """The experiment."""
        return Experiment(self.name, self.title, self.works, self.report)

    def works(self, scope: Scope) -> Sequence[Work]:
        """Every graph, every seed: test targets, and validation targets, which choose."""
        return [
            make(self.trials[graph], seed, scope.quick)
            for graph in scope.graphs_among(tuple(self.trials))
            for seed in self._seeds(scope, graph)
            for make in (on_test_targets, on_validation_targets)
        ]

    def report(self, scope: Scope, result_of: ResultOf, folder: Path) -> Section:
        """One table."""
        graphs = scope.graphs_among(tuple(self.trials))
        pools, chosen = {}, {}
        for graph in graphs:
            trial, seeds = self.trials[graph], self._seeds(scope, graph)
            test = [result_of(on_test_targets(trial, seed, scope.quick)) for seed in seeds]
            choice = [result_of(on_validation_targets(trial, seed, scope.quick)) for seed in seeds]
            pools[graph], chosen[graph] = pooled(test), chosen_of(pooled(choice))
        return Section(
            name=self.name,
            title=self.title,
            command=scope.command(self.name),
            claim=self.claim,
            findings=(
                *caveat(scope),
                *(_finding(graph, pools[graph], chosen[graph]) for graph in graphs),
            ),
            tables=(_table(self.name, pools, chosen),),
        )

    def _seeds(self, scope: Scope, graph: str) -> tuple[int, ...]:
        seeds = self.trials[graph].seeds
        return scope.seeds_or(len(seeds), seeds.start)


def on_test_targets(trial: Trial, seed: int, quick: bool) -> Comparison:
    """The best rule without training, trellis alone and with every memory."""
    training = _training(trial, seed, quick)
    entrants = (
        Entrant(BEST_RULE, "bidirectional", "visited"),
        Entrant("trellis", training),
        *_with_memories(training),
    )
    return Comparison(trial.spec, seed, entrants, _TEST)


def on_validation_targets(trial: Trial, seed: int, quick: bool) -> Comparison:
    """Every memory, on the targets that choose one."""
    entrants = _with_memories(_training(trial, seed, quick))
    pairs = _ALL_VALIDATION_PAIRS if trial.all_validation_pairs else _SOME_VALIDATION_PAIRS
    return Comparison(trial.spec, seed, entrants, pairs)


def _training(trial: Trial, seed: int, quick: bool) -> Training:
    options = replace(trial.options, updates=_QUICK_UPDATES) if quick else trial.options
    return Training(trial.spec, seed, options)


def _with_memories(training: Training) -> tuple[Entrant, ...]:
    return tuple(Entrant(f"trellis+{memory}", training, memory) for memory in RULES)


def chosen_of(pool: Pooled) -> str:
    """Who needs the fewest hops."""
    return min(pool.labels, key=lambda label: pool.estimate("ratio", label).mean)


def _table(name: str, pools: Mapping[str, Pooled], chosen: Mapping[str, str]) -> Table:
    first = next(iter(pools.values()))
    rows: list[Row] = [
        (label, *(_cell(pool, label) for pool in pools.values())) for label in first.labels
    ]
    with_chosen = (_cell(pool, chosen[graph]) for graph, pool in pools.items())
    rows.append(("memory chosen on validation", *with_chosen))
    rows.append(("… which", *(chosen[graph].partition("+")[2] for graph in pools)))
    caption = "Oracle ratio on test pairs, mean over seeds (worst seed), and how many are truncated"
    return Table(name, caption, ("strategy", *pools), tuple(rows), footing_of(pools))


def _cell(pool: Pooled, label: str) -> str:
    truncated = 100 * pool.estimate("truncated", label).mean
    ratio = f"{pool.estimate('ratio', label).mean:.3f} ({pool.worst('ratio', label):.3f})"
    return f"{ratio}, {truncated:.2f} %"


def _finding(graph: str, pool: Pooled, chosen: str) -> str:
    def ratio(label: str) -> str:
        return pool.estimate("ratio", label).text(3)

    gap = pool.difference("ratio", chosen, BEST_RULE)
    words = {-1: "fewer hops than", 0: "not to be told from", 1: "more hops than"}
    return (
        f"{graph}: trellis needs {ratio('trellis')} times the shortest path without a memory and "
        f"{ratio(chosen)} with the one that validation chose, {words[gap.sign]} the best rule "
        f"without training ({ratio(BEST_RULE)}; difference {gap.text(3)})."
    )
