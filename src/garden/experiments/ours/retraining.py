"""The same splits trained again: how far ratios spread over initialisations, and over splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import numpy as np

from garden.experiments.ours.trellis_memories import CHOSEN, with_chosen, with_every_memory
from garden.experiments.paper.published import GRAPHS
from garden.experiments.report.claims import claim_by_case
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training, Work
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.training.config import TrainingOptions

NUM_SEEDS = 10
INITIALISATIONS = (1001, 1002, 1003)
_QUICK_UPDATES = 10
_MEMORYLESS = "trellis"
_TEST = EvaluationConfig(max_hops=PAPERS_LIMIT)
_VALIDATION = EvaluationConfig(split="validation", max_hops=PAPERS_LIMIT)


@final
@dataclass(frozen=True, eq=False)
class Spread:
    """The ratios of one graph, (num_initialisations, num_splits), in one way of playing."""

    ratios: np.ndarray

    @property
    def over_initialisations(self) -> float:
        """The standard deviation over the trainings of a split, averaged over splits."""
        return float(np.sqrt(self.ratios.var(axis=0, ddof=1).mean()))

    @property
    def over_splits(self) -> float:
        """The standard deviation of splits' means over their trainings."""
        means = self.ratios.mean(axis=0)
        return float(means.std(ddof=1)) if len(means) > 1 else 0.0

    @property
    def widest(self) -> float:
        """The greatest difference between two trainings of one split."""
        return float((self.ratios.max(axis=0) - self.ratios.min(axis=0)).max())


def comparison(graph: str, seed: int, init_seed: int, validates: bool, quick: bool) -> Comparison:
    """One training of one split, memoryless and with every memory.

    Args:
        graph: The graph's spec.
        seed: Of the split.
        init_seed: Of the initial weights.
        validates: Whether validation pairs are played, in place of test pairs.
        quick: Whether the training is cut short.
    """
    options = TrainingOptions(init_seed=init_seed)
    training = Training(graph, seed, replace(options, updates=_QUICK_UPDATES) if quick else options)
    contenders = with_every_memory(training)
    if validates:
        return Comparison(graph, seed, contenders, _VALIDATION)
    return Comparison(graph, seed, (ContenderSpec(_MEMORYLESS, training), *contenders), _TEST)


def works(scope: Scope) -> Sequence[Work]:
    """Every graph, initialisation and split, on test and on validation pairs."""
    return [
        comparison(f"facebook:{ego}", seed, init_seed, validates, scope.quick)
        for ego in scope.graphs_among(tuple(GRAPHS))
        for init_seed in INITIALISATIONS
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
        for validates in (False, True)
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Means with their spread over trainings of the same split, and over splits.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    pools = {
        GRAPHS[ego]: [_pooled(scope, ego, init_seed, result_of) for init_seed in INITIALISATIONS]
        for ego in scope.graphs_among(tuple(GRAPHS))
    }
    spreads = {
        (name, label): Spread(np.stack([pool.of_seeds("ratio", label) for pool in of]))
        for name, of in pools.items()
        for label in (_MEMORYLESS, CHOSEN)
    }
    return Findings(
        claims=(
            claim_by_case(
                "memoryless: initialisation moves the ratio less than the split does",
                {
                    name: spread.over_initialisations < spread.over_splits
                    for (name, label), spread in spreads.items()
                    if label == _MEMORYLESS
                },
            ),
        ),
        tables=(_table(spreads, _footing(pools)),),
    )


def _pooled(scope: Scope, ego: str, init_seed: int, result_of: ResultOf) -> Pooled:
    def result(seed: int, validates: bool) -> dict[str, object]:
        return result_of(comparison(f"facebook:{ego}", seed, init_seed, validates, scope.quick))

    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    return pooled([with_chosen(result(seed, False), result(seed, True)) for seed in seeds])


def _table(spreads: Mapping[tuple[str, str], Spread], footing: str) -> Table:
    rows = [
        (
            ("graph", name),
            ("memory", "none" if label == _MEMORYLESS else "chosen on validation"),
            ("mean ratio", f"{spread.ratios.mean():.4f}"),
            ("worst of all trainings", f"{spread.ratios.max():.3f}"),
            ("deviation over initialisations", f"{spread.over_initialisations:.4f}"),
            ("deviation over splits", f"{spread.over_splits:.4f}"),
            ("widest gap within a split", f"{spread.widest:.3f}"),
        )
        for (name, label), spread in spreads.items()
    ]
    caption = "trellis trained three times on each split: oracle ratio on test pairs"
    return Table.of_cells("retraining", caption, rows, footing)


def _footing(pools: Mapping[str, Sequence[Pooled]]) -> str:
    first = next(iter(pools.values()))[0]
    return (
        f"{first.num_seeds} splits of each graph and {len(INITIALISATIONS)} initialisations of "
        "each split; the splits of a graph train as one stack. Over initialisations: the root of "
        "the mean variance within a split; over splits: the deviation of the splits' means."
    )


EXPERIMENT = Experiment("retraining", "trellis trained again on the same splits", works, report)
