"""Tables of pooled comparisons: a row for each strategy, a column for each graph or family.

Pools stand under whatever names their columns; all of a table have the same entrants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garden.experiments.report.intervals import Pooled

Row = tuple[str, ...]
Result = Mapping[str, Any]


def labels_of(pools: Mapping[str, Pooled]) -> tuple[str, ...]:
    """The entrants, in their order."""
    return next(iter(pools.values())).labels


def ratio_rows(pools: Mapping[str, Pooled]) -> list[Row]:
    """The oracle ratio of every entrant, with its interval."""
    return [
        (label, *(pool.estimate("ratio", label).text() for pool in pools.values()))
        for label in labels_of(pools)
    ]


def percent_rows(
    pools: Mapping[str, Pooled], metric: str, suffix: str = "", intervals: bool = False
) -> list[Row]:
    """A rate of every entrant in per cent, with or without its interval."""

    def cell(pool: Pooled, label: str) -> str:
        rate = pool.estimate(metric, label).scaled(100)
        return rate.text(1) if intervals else f"{rate.mean:.1f}"

    return [
        (f"{label}{suffix}", *(cell(pool, label) for pool in pools.values()))
        for label in labels_of(pools)
    ]


def difference_rows(
    pools: Mapping[str, Pooled], duels: Sequence[tuple[str, str]], metric: str = "ratio"
) -> list[Row]:
    """Paired differences, the first of each duel minus the second."""
    return [
        (
            f"{mine} − {other}",
            *(pool.difference(metric, mine, other).text() for pool in pools.values()),
        )
        for mine, other in duels
    ]


def footing_of(pools: Mapping[str, Pooled]) -> str:
    """What stands under a table: once, where all columns have it in common."""
    texts = {name: pool.footing for name, pool in pools.items()}
    if len(pools) > 1 and len(set(texts.values())) == 1:
        return f"Each column: {next(iter(texts.values()))}."
    return ". ".join(f"{name}: {text}" for name, text in texts.items()) + "."


def circle_rates(results: Sequence[Result], circle: str, label: str) -> list[float]:
    """The share of wins within a circle, seed by seed."""
    return [float(result["circles"][circle][label]) for result in results]
