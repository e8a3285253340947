"""Trellis, settings untouched, on graphs of the collection that it was never designed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from garden.experiments.ours.memory_choice import CHOSEN, with_chosen
from garden.experiments.ours.trellis_memories import (
    Trial,
    on_test_targets,
    on_validation_targets,
)
from garden.experiments.report.claims import claim_of_differences
from garden.experiments.report.headline import BEST_RULE
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.training.config import TrainingOptions
from garden.training.methods.config import GuidedConfig

NUM_SEEDS = 3
MEMORYLESS = "trellis"
_USUAL = GuidedConfig()
# As `garden train` ends by itself; experiments otherwise train to the end of the schedule.
_OPTIONS = TrainingOptions(patience=_USUAL.patience, cooldown=_USUAL.cooldown)
_NAMES = {
    # drawn by default_rng(0) from the 70, ids in order
    "circles": (
        "0 850 1357 2976 5212 5744 6726 8890 10793 11014 12178 12800 13353 15672 17497 17748 19788 "
        "20518 22364 22650 23157 23978 24857 25568 26492"
    ),
    "web": "texas cornell",
    "citation": "acm cora cora_ml",
    "wikipedia": "chameleon",
    "twitch": "ZHTW",
    "fb100": "Haverford76 Simmons81 Swarthmore42 Amherst41 Bowdoin47 USFCA72",
}
FAMILIES = {family: tuple(names.split()) for family, names in _NAMES.items()}
"""The graphs of the collection below 3,000 nodes, of the many in `circles` 25."""


@final
@dataclass(frozen=True, eq=False)
class _Played:
    """One graph: its splits pooled."""

    family: str
    name: str
    pool: Pooled


def specs() -> dict[str, str]:
    """Every graph's spec by ``FAMILY/NAME``."""
    return {
        f"{family}/{name}": f"collection:{family}/{name}"
        for family, names in FAMILIES.items()
        for name in names
    }


def trial_of(spec: str) -> Trial:
    """How trellis is trained on a graph."""
    seeds = range(FIRST_SEED, FIRST_SEED + NUM_SEEDS)
    return Trial(spec, seeds, _OPTIONS, all_validation_pairs=False)


def works(scope: Scope) -> Sequence[Work]:
    """Every graph and split: test pairs, and validation pairs, which choose the memory."""
    return [
        make(trial_of(specs()[name]), seed, scope.quick)
        for name in _names(scope)
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
        for make in (on_test_targets, on_validation_targets)
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A row per family, and one per graph.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    played = [_played(scope, name, result_of) for name in _names(scope)]
    return Findings(
        claims=(
            claim_of_differences(
                f"trellis, memory chosen on validation: fewer hops than {BEST_RULE}",
                {
                    f"{one.family}/{one.name}": one.pool.difference("ratio", CHOSEN, BEST_RULE)
                    for one in played
                },
                side=-1,
            ),
        ),
        tables=_tables(played),
    )


def _names(scope: Scope) -> tuple[str, ...]:
    names = tuple(specs())
    return scope.graphs_among(names, quick=names[:1])


def _played(scope: Scope, name: str, result_of: ResultOf) -> _Played:
    trial = trial_of(specs()[name])
    results = [
        with_chosen(
            result_of(on_test_targets(trial, seed, scope.quick)),
            result_of(on_validation_targets(trial, seed, scope.quick)),
        )
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    ]
    family, _, graph = name.partition("/")
    return _Played(family, graph, pooled(results))


_SHOWN = (BEST_RULE, MEMORYLESS, CHOSEN)


def _tables(played: Sequence[_Played]) -> tuple[Table, Table]:
    pool = played[0].pool
    footing = (
        f"{pool.num_seeds} splits of each graph, trained as one stack, "
        f"{pool.num_pairs // pool.num_seeds} test pairs each; default settings of `garden train`."
    )
    families: dict[str, list[_Played]] = {}
    for one in played:
        families.setdefault(one.family, []).append(one)
    by_family = [
        (name, str(len(of)), *(_cell(of, label) for label in _SHOWN))
        for name, of in {**families, "all": played}.items()
    ]
    by_graph = [
        (
            f"{one.family}/{one.name}",
            *(one.pool.estimate("ratio", label).text(3) for label in _SHOWN),
        )
        for one in played
    ]
    return (
        Table(
            "collection",
            "Oracle ratio on test pairs: mean over graphs (worst training of any graph)",
            ("family", "graphs", *_SHOWN),
            tuple(by_family),
            footing,
        ),
        Table(
            "collection-graphs",
            "The same graph by graph (95 % interval)",
            ("graph", *_SHOWN),
            tuple(by_graph),
            footing,
        ),
    )


def _cell(played: Sequence[_Played], label: str) -> str:
    mean = np.mean([one.pool.mean("ratio", label) for one in played])
    return f"{mean:.3f} ({max(one.pool.worst('ratio', label) for one in played):.3f})"


EXPERIMENT = Experiment("collection", "Trellis on graphs of a collection", works, report)
