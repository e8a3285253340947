"""Trellis with every memory, on further splits and on larger graphs: two experiments as data.

The validation targets of each split choose its memory, its test targets report it. Splits of one
graph share targets: what is a test target of one is a validation target of another. A choice that
pooled splits would be made on test targets; each split therefore chooses for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from garden.experiments.paper.published import GRAPHS
from garden.experiments.report.claims import Claim, claim_of_comparison
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import footing_of, labels_of, mean_and_worst
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import BEST_RULE, Comparison, ContenderSpec, Training, Work
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.registry import RULES
from garden.training.config import TrainingOptions

CHOSEN = "memory chosen on validation"
Result = Mapping[str, Any]
_QUICK_UPDATES = 10
_TEST = EvaluationConfig(max_hops=PAPERS_LIMIT)
_SOME_VALIDATION_PAIRS = EvaluationConfig(split="validation", max_hops=PAPERS_LIMIT)
_ALL_VALIDATION_PAIRS = EvaluationConfig(split="validation", all_pairs=True, max_hops=PAPERS_LIMIT)


@final
@dataclass(frozen=True)
class Trial:
    """A graph, its splits, and how trellis is trained on them."""

    spec: str
    seeds: range
    options: TrainingOptions
    all_validation_pairs: bool = True
    """Whether all validation pairs choose the memory; else as many as are tested on."""


@final
@dataclass(frozen=True)
class MemoryTrials:
    """An experiment: trials by the names of their columns."""

    name: str
    title: str
    trials: Mapping[str, Trial]
    quick: tuple[str, ...] | None = None
    """The trials of a quick run; all of them where this is left out."""

    def experiment(self) -> Experiment:
        """The experiment, as `garden reproduce` knows it."""
        return Experiment(self.name, self.title, self.works, self.report)

    def works(self, scope: Scope) -> Sequence[Work]:
        """Every graph, every seed: test targets, and validation targets, which choose."""
        return [
            make(self.trials[graph], seed, scope.quick)
            for graph, seeds in self._seeds(scope).items()
            for seed in seeds
            for make in (on_test_targets, on_validation_targets)
        ]

    def report(self, scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
        """One table: every memory on every graph, and the one that validation chose.

        Args:
            scope: How much of the experiment was made.
            result_of: Gives what came of a unit of work.
            folder: Not needed: there is no figure.
        """
        choices = self._results(on_validation_targets, scope, result_of)
        words = {graph: choices_in_words(of) for graph, of in choices.items()}
        pools = self.pools(scope, result_of)
        return Findings(
            claims=tuple(claim_about_choice(pools, other) for other in (BEST_RULE, "trellis")),
            tables=(_table(self.name, pools, words),),
        )

    def pools(self, scope: Scope, result_of: ResultOf) -> dict[str, Pooled]:
        """The test targets of every graph, the memory that each split chose among the contenders.

        Args:
            scope: How much of the experiment was made.
            result_of: Gives what came of a unit of work.
        """
        choices = self._results(on_validation_targets, scope, result_of)
        return {
            graph: pooled([with_chosen(*one) for one in zip(of, choices[graph], strict=True)])
            for graph, of in self._results(on_test_targets, scope, result_of).items()
        }

    def _results(
        self, make: Callable[[Trial, int, bool], Comparison], scope: Scope, result_of: ResultOf
    ) -> dict[str, list[dict[str, Any]]]:
        return {
            graph: [result_of(make(self.trials[graph], seed, scope.quick)) for seed in seeds]
            for graph, seeds in self._seeds(scope).items()
        }

    def _seeds(self, scope: Scope) -> dict[str, tuple[int, ...]]:
        return {
            graph: scope.seeds_or(len(self.trials[graph].seeds), self.trials[graph].seeds.start)
            for graph in scope.graphs_among(tuple(self.trials), self.quick)
        }


def claim_about_choice(pools: Mapping[str, Pooled], other: str) -> Claim:
    """That trellis with the memory that validation chose needs fewer hops than another.

    Args:
        pools: The comparisons, by graph.
        other: The label of the other contender.
    """
    text = f"trellis, {CHOSEN}: fewer hops than {other}"
    return claim_of_comparison(pools, CHOSEN, other, text=text)


def chosen_label(validation: Result) -> str:
    """The contender with the least validation ratio, the first of several.

    Args:
        validation: What came of a comparison on one split's validation targets.
    """
    return pooled([validation]).best()


def with_chosen(test: Result, validation: Result) -> dict[str, Any]:
    """A split's test outcomes and, under :data:`CHOSEN`, those of the contender it chose.

    Args:
        test: Outcomes on test targets, the contenders of ``validation`` among them.
        validation: Outcomes on validation targets of the same split.
    """
    contenders = test["contenders"]
    chosen = contenders[chosen_label(validation)]
    return {**test, "contenders": {**contenders, CHOSEN: chosen}}


def with_every_memory(training: Training) -> tuple[ContenderSpec, ...]:
    """Trellis with each rule of memory, the contenders that validation chooses among."""
    return tuple(ContenderSpec(f"trellis+{memory}", training, memory) for memory in RULES)


def choices_in_words(validations: Iterable[Result]) -> str:
    """Which memories the splits chose, and how many of them each where they differ.

    Args:
        validations: Outcomes on validation targets, a split each.
    """
    labels = [chosen_label(one).partition("+")[2] for one in validations]
    count = Counter(labels)
    if len(count) == 1:
        return labels[0]
    return ", ".join(f"{name} {times}" for name, times in count.most_common())


def on_test_targets(trial: Trial, seed: int, quick: bool) -> Comparison:
    """The best rule without training, trellis alone and with every memory.

    Args:
        trial: The graph and how trellis is trained on it.
        seed: Of the split.
        quick: Whether the training is cut short.
    """
    training = _training(trial, seed, quick)
    contenders = (
        ContenderSpec(BEST_RULE, "bidirectional", "visited"),
        ContenderSpec("trellis", training),
        *with_every_memory(training),
    )
    return Comparison(trial.spec, seed, contenders, _TEST)


def on_validation_targets(trial: Trial, seed: int, quick: bool) -> Comparison:
    """Every memory, on the targets that choose one.

    Args:
        trial: The graph, how trellis is trained on it, and how many pairs choose.
        seed: Of the split.
        quick: Whether the training is cut short.
    """
    contenders = with_every_memory(_training(trial, seed, quick))
    pairs = _ALL_VALIDATION_PAIRS if trial.all_validation_pairs else _SOME_VALIDATION_PAIRS
    return Comparison(trial.spec, seed, contenders, pairs)


def _training(trial: Trial, seed: int, quick: bool) -> Training:
    options = replace(trial.options, updates=_QUICK_UPDATES) if quick else trial.options
    return Training(trial.spec, seed, options)


def _table(name: str, pools: Mapping[str, Pooled], words: Mapping[str, str]) -> Table:
    def cell(pool: Pooled, label: str) -> str:
        return f"{mean_and_worst(pool, label)}, {100 * pool.mean('truncated', label):.2f} %"

    rows = [
        *((label, *(cell(pool, label) for pool in pools.values())) for label in labels_of(pools)),
        ("… which, split by split", *words.values()),
    ]
    caption = "Oracle ratio on test pairs, mean over seeds (worst seed), and how many are truncated"
    return Table(name, caption, ("strategy", *pools), tuple(rows), footing_of(pools))


SPLITS = MemoryTrials(
    "splits",
    "Trellis on ten further splits",
    # Splits of lower seeds were looked at while the model was made; these were opened when it was
    # settled.
    {
        name: Trial(
            f"facebook:{ego}",
            range(FIRST_SEED + 30, FIRST_SEED + 40),
            TrainingOptions(model="trellis", method="guided"),
        )
        for ego, name in GRAPHS.items()
    },
)
LARGER = MemoryTrials(
    "larger",
    "Trellis on larger graphs",  # of thousands of nodes, where no table of all pairs fits
    {
        "twitch:PTBR": Trial(
            "twitch:PTBR",
            range(FIRST_SEED, FIRST_SEED + 10),
            TrainingOptions(updates=1200, validate_every=100),
        ),
        "musae-facebook": Trial(
            "musae-facebook",
            range(FIRST_SEED, FIRST_SEED + 3),
            TrainingOptions(updates=2500, validate_every=250),
            all_validation_pairs=False,  # they are fifty millions
        ),
    },
)
