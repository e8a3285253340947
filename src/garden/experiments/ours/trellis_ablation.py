"""The ablation of trellis: its parts, its method and what training masks, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from garden.experiments.paper.published import by_name, title_of
from garden.experiments.report.claims import MORE_HOPS, claim_of_comparison
from garden.experiments.report.intervals import pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import footing_of, mean_and_worst
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training, Work
from garden.models.registry import ModelConfig
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.training.config import TrainingOptions

EGOS = ("414", "0", "3437")
NUM_SEEDS = 3
_QUICK_UPDATES = 40
_AS_PUBLISHED = ",attributes=as-published"
_EVALUATION = EvaluationConfig(all_pairs=True, max_hops=PAPERS_LIMIT)
WHOLE = "trellis"


def variants() -> dict[str, tuple[TrainingOptions, ModelConfig]]:
    """Every variant by its label: how it is trained, and its parts."""
    whole = ModelConfig()

    def guided(**options: float) -> tuple[TrainingOptions, ModelConfig]:
        return TrainingOptions(model="trellis", method="guided", **options), whole  # type: ignore[arg-type]

    return {
        WHOLE: guided(),
        "embeddings only": (TrainingOptions(), ModelConfig(parts="embeddings")),
        "matching only": (TrainingOptions(), ModelConfig(parts="matching")),
        "no distance codes": (TrainingOptions(), ModelConfig(parts="no-distance-codes")),
        "with the return": guided(return_coef=1.0),
        "return only": guided(imitation_coef=0.0, return_coef=1.0, return_targets=16),
        "a2c": (TrainingOptions(method="a2c", learning_rate=1e-3), whole),
        "target embedding never masked": guided(target_embedding_dropout=0.0),
        "links never hidden": guided(hidden_link_rate=0.0),
        "nothing masked": guided(target_embedding_dropout=0.0, hidden_link_rate=0.0),
    }


def comparison(graph: str, seed: int, names: Sequence[str], quick: bool) -> Comparison:
    """Variants on one split of one graph.

    Args:
        graph: The graph's spec.
        seed: Of the split.
        names: Of the variants.
        quick: Whether trainings are cut short.
    """
    contenders = []
    for name in names:
        options, size = variants()[name]
        if quick:
            options = replace(options, updates=_QUICK_UPDATES)
        contenders.append(ContenderSpec(name, Training(graph, seed, options, size)))
    return Comparison(graph, seed, tuple(contenders), _EVALUATION)


def works(scope: Scope) -> Sequence[Work]:
    """All variants joined by id, and the whole as published."""
    return [work for plan in _plans(scope) for of in plan.values() for work in of]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table of ratios with a row per variant, one of differences to the whole, and claims.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    pools, published = (
        {ego: pooled([result_of(work) for work in of]) for ego, of in plan.items()}
        for plan in _plans(scope)
    )
    whole = (mean_and_worst(pool, WHOLE) for pool in published.values())
    rows = (
        *((name, *(mean_and_worst(pool, name) for pool in pools.values())) for name in variants()),
        (f"{WHOLE}, attributes as published", *whole),
    )
    others = [name for name in variants() if name != WHOLE]
    differences = (
        (name, *(pool.difference("ratio", name, WHOLE).text(3) for pool in pools.values()))
        for name in others
    )
    named = by_name(pools)
    columns = ("variant", *map(title_of, pools))
    footing = footing_of(named)
    return Findings(
        claims=tuple(claim_of_comparison(named, name, WHOLE, side=MORE_HOPS) for name in others),
        tables=(
            Table(
                "variants",
                "Test oracle ratio, memoryless, all sources × test targets (worst seed)",
                columns,
                rows,
                footing,
            ),
            Table(
                "differences",
                f"How much more each variant needs than the whole {WHOLE}, pair by pair",
                columns,
                tuple(differences),
                footing,
            ),
        ),
    )


def _plans(scope: Scope) -> tuple[dict[str, list[Comparison]], dict[str, list[Comparison]]]:
    """All variants with attributes joined by id, and the whole as published."""

    def plan(suffix: str, names: Sequence[str]) -> dict[str, list[Comparison]]:
        return {
            ego: [
                comparison(f"facebook:{ego}{suffix}", seed, names, scope.quick)
                for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
            ]
            for ego in scope.graphs_among(EGOS)
        }

    return plan("", tuple(variants())), plan(_AS_PUBLISHED, (WHOLE,))


EXPERIMENT = Experiment("trellis", "What makes trellis", works, report)
