"""Table 2: what the node representation contributes, on dense synthetic graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from garden.errors import SpecError
from garden.experiments.paper.published import ABLATION, PublishedResult
from garden.experiments.report.claims import Claim, claim_of_comparison, claim_of_differences
from garden.experiments.report.intervals import Pooled, over_seeds, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import Result, Row, group_win_rates
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training
from garden.experiments.run.synthetic_graphs import graph_spec, trained
from garden.training.config import TrainingOptions

NUM_SEEDS = 5
BETA = 5.0
_LEARNED: Mapping[str, TrainingOptions] = {
    # As many episodes as by default, in many small steps: with the default ones, made for
    # Facebook, garden does not get near its best here.
    "garden": TrainingOptions(
        model="garden",
        method="a2c",
        dropout=0.0,
        learning_rate=2e-4,
        walks_per_target=1,
        updates=8000,
        validate_every=200,
    ),
    "mlpa2cwd": TrainingOptions(model="mlpa2cwd", method="a2c"),
    "mlpa2c": TrainingOptions(model="mlpa2c", method="a2c"),
    "trellis": TrainingOptions(model="trellis", method="guided", dropout=0.0),
}
QUICK: Mapping[str, TrainingOptions] = {
    "garden": replace(_LEARNED["garden"], updates=300, validate_every=100),
    "mlpa2cwd": replace(_LEARNED["mlpa2cwd"], updates=200),
    "mlpa2c": replace(_LEARNED["mlpa2c"], updates=200),
    "trellis": replace(_LEARNED["trellis"], updates=100),
}
_PAPER = "paper"
_COMPARISONS = (
    *pairwise(ABLATION),
    ("garden", "mlpa2c"),
    *((name, "distance") for name in ABLATION),
    ("trellis", "garden"),
)


def comparison(seed: int, quick: bool) -> Comparison:
    """The paper's three, trellis, and the walker that reads attributes alone, on one graph.

    Args:
        seed: Of the graph and of the split.
        quick: Whether trainings are cut short.
    """
    graph = graph_spec(BETA, seed)
    learned = (QUICK if quick else _LEARNED).items()
    contenders = (
        *(ContenderSpec(name, Training(graph, seed, options)) for name, options in learned),
        ContenderSpec("distance", "distance"),
    )
    return Comparison(graph, seed, contenders, win_groups=((_PAPER, tuple(ABLATION)),))


def works(scope: Scope) -> list[Comparison]:
    """A comparison for every seed, each on a graph and a split of its own."""
    if scope.graphs is not None:
        raise SpecError(
            f"ablation: its graphs are one for each seed, all of β = {BETA:g}: leave out `graphs`"
        )
    return [comparison(seed, scope.quick) for seed in scope.seeds_or(NUM_SEEDS)]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Table 2 beside the paper's, and the paired differences.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    results = [result_of(work) for work in works(scope)]
    pool = pooled(results)
    footing = f"{pool.footing}. A seed is a graph, a split and an initialisation."
    learned = QUICK if scope.quick else _LEARNED
    rows = [
        *(_published_row(name, paper) for name, paper in ABLATION.items()),
        *(_row(pool, results, label) for label in pool.labels),
    ]
    return Findings(
        claims=_claims(pool, results),
        tables=(
            Table(
                "ablation",
                f"The ablation, β = {BETA:g} (95 % interval)",
                ("agent", "oracle ratio", "truncated, %", "wins among the three, %"),
                tuple(rows),
                f"{footing} Among the three the intervals resample seeds alone. {trained(learned)}",
            ),
            Table(
                "ablation-differences",
                "Paired differences (95 % interval)",
                ("comparison", "oracle ratio", "truncated, percentage points"),
                tuple(_difference_row(pool, mine, other) for mine, other in _COMPARISONS),
                footing,
            ),
        ),
    )


def _published_row(name: str, paper: PublishedResult) -> Row:
    rates = (f"{100 * rate:.2f}" for rate in (paper.truncation_rate, paper.win_rate))
    return (f"paper: {name}", paper.ratio_text(), *rates)


def _row(pool: Pooled, results: Sequence[Result], label: str) -> Row:
    estimates = [pool.estimate("ratio", label), pool.estimate("truncated", label).scaled(100)]
    if label not in ABLATION:
        return (label, *(one.text() for one in estimates), "–")
    wins = over_seeds(group_win_rates(results, _PAPER, label)).scaled(100)
    return (label, *(one.text() for one in (*estimates, wins)))


def _difference_row(pool: Pooled, mine: str, other: str) -> Row:
    truncated = pool.difference("truncated", mine, other).scaled(100)
    return (f"{mine} − {other}", pool.difference("ratio", mine, other).text(), truncated.text())


def _claims(pool: Pooled, results: Sequence[Result]) -> tuple[Claim, ...]:
    """The paper's claims, each on the one density of the table."""
    case = f"β = {BETA:g}"
    others = [name for name in ABLATION if name != "garden"]
    rates = {name: group_win_rates(results, _PAPER, name) for name in ABLATION}
    lead = [mine - garden for mine, garden in zip(rates["mlpa2c"], rates["garden"], strict=True)]
    return (
        *(
            claim_of_comparison({case: pool}, "garden", other, metric)
            for metric in ("ratio", "truncated")
            for other in others
        ),
        claim_of_differences(
            "mlpa2c: more wins among the three than garden", {case: over_seeds(lead)}
        ),
        claim_of_comparison({case: pool}, "trellis", "garden"),
        claim_of_comparison({case: pool}, "trellis", "distance"),
    )


EXPERIMENT = Experiment(
    "ablation",
    "What the node representation contributes (Table 2)",
    works,
    report,
    paper=(
        "Embeddings of ego graphs help: GARDEN needs fewer hops and is truncated "
        "less often than agents that read attributes and degree, or attributes alone. In wins "
        "the three are close, and the one with attributes alone is a little ahead."
    ),
)
