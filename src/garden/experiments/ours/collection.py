"""Trellis, settings untouched, on graphs of the collection that it was never designed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from garden.experiments.ours.trellis_memories import CHOSEN, MemoryTrials, Trial, claim_about_choice
from garden.experiments.report.intervals import Pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import BEST_RULE
from garden.training.config import TrainingOptions
from garden.training.methods.config import GuidedConfig

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


def specs() -> dict[str, str]:
    """Every graph's spec by ``FAMILY/NAME``."""
    return {
        f"{family}/{name}": f"collection:{family}/{name}"
        for family, names in FAMILIES.items()
        for name in names
    }


TRIALS = MemoryTrials(
    "collection",
    "Trellis on graphs of a collection",
    {
        name: Trial(spec, range(FIRST_SEED, FIRST_SEED + 3), _OPTIONS, all_validation_pairs=False)
        for name, spec in specs().items()
    },
    quick=tuple(specs())[:1],
)
works = TRIALS.works


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A row per family, and one per graph.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    pools = TRIALS.pools(scope, result_of)
    return Findings(claims=(claim_about_choice(pools, BEST_RULE),), tables=_tables(pools))


_SHOWN = (BEST_RULE, MEMORYLESS, CHOSEN)


def _tables(pools: Mapping[str, Pooled]) -> tuple[Table, Table]:
    pool = next(iter(pools.values()))
    footing = (
        f"{pool.num_seeds} splits of each graph, trained as one stack, "
        f"{pool.num_pairs // pool.num_seeds} test pairs each; default settings of `garden train`."
    )
    families: dict[str, list[Pooled]] = {}
    for name, one in pools.items():
        families.setdefault(name.partition("/")[0], []).append(one)
    by_family = [
        (name, str(len(of)), *(_cell(of, label) for label in _SHOWN))
        for name, of in {**families, "all": [*pools.values()]}.items()
    ]
    by_graph = [
        (name, *(one.estimate("ratio", label).text(3) for label in _SHOWN))
        for name, one in pools.items()
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


def _cell(pools: Sequence[Pooled], label: str) -> str:
    mean = np.mean([pool.mean("ratio", label) for pool in pools])
    return f"{mean:.3f} ({max(pool.worst('ratio', label) for pool in pools):.3f})"


EXPERIMENT = Experiment(TRIALS.name, TRIALS.title, works, report)
