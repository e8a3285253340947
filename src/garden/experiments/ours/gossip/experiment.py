"""What neighbours that talk gain, and what it costs: the parts of the experiment together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from garden.experiments.ours.gossip import (
    bars,
    beside_trellis,
    by_profile,
    cards,
    changes,
    million,
    paths,
    tradeoff_report,
    traffic,
)
from garden.experiments.report.sections import Findings
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work


def works(scope: Scope) -> Sequence[Work]:
    """Sizes and rivals, bars, a million nodes, paths, and whatever else is asked of sketches."""
    parts = (
        tradeoff_report,
        bars,
        million,
        paths,
        beside_trellis,
        cards,
        traffic,
        changes,
        by_profile,
    )
    return [work for part in parts for work in part.works(scope)]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """The findings of all parts.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where the figure is written; results of other experiments lie beside it.
    """
    size_claims, size_tables, figures = tradeoff_report.findings(scope, result_of, folder)
    bar_claims, bar_tables = bars.findings(scope, result_of)
    profile_claims, profile_tables = by_profile.findings(scope, result_of)
    return Findings(
        claims=(*bar_claims, *size_claims, *profile_claims),
        tables=(
            *bar_tables,
            *million.tables(scope, result_of),
            *million.size_tables(scope, result_of),
            *size_tables,
            *paths.tables(scope, result_of),
            *beside_trellis.tables(scope, result_of, folder),
            *cards.tables(scope, result_of),
            *traffic.tables(scope, result_of),
            *changes.tables(scope, result_of),
            *profile_tables,
        ),
        figures=tuple(figures),
    )


EXPERIMENT = Experiment("gossip", "Agents that talk before they search", works, report)
