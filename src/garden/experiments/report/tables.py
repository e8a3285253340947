"""Tables of pooled comparisons: a row for each strategy, a column for each graph or family.

Pools stand under whatever names their columns; all of a table have the same contenders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garden.experiments.report.intervals import Pooled

Row = tuple[str, ...]
Result = Mapping[str, Any]


def labels_of(pools: Mapping[str, Pooled]) -> tuple[str, ...]:
    """The contenders, in their order."""
    return next(iter(pools.values())).labels


def ratio_rows(pools: Mapping[str, Pooled], metric: str = "ratio") -> list[Row]:
    """The oracle ratio, or another metric, of every contender with its interval.

    Args:
        pools: The comparisons, by column.
        metric: Which metric the cells have.
    """
    return [
        (label, *(pool.estimate(metric, label).text() for pool in pools.values()))
        for label in labels_of(pools)
    ]


def mean_and_worst(pool: Pooled, label: str) -> str:
    """The mean oracle ratio of one contender and, in brackets, that of its worst seed.

    Args:
        pool: The comparisons of all seeds.
        label: The contender.
    """
    return f"{pool.mean('ratio', label):.3f} ({pool.worst('ratio', label):.3f})"


def percent_rows(
    pools: Mapping[str, Pooled], metric: str, suffix: str = "", intervals: bool = False
) -> list[Row]:
    """A rate of every contender in per cent.

    Args:
        pools: The comparisons, by column.
        metric: ``truncated`` or ``wins``, fractions.
        suffix: What follows a contender's label in its row.
        intervals: Whether cells have 95 % intervals.

    Returns:
        A row for each contender.
    """

    def cell(pool: Pooled, label: str) -> str:
        rate = pool.estimate(metric, label).scaled(100)
        return rate.text(1) if intervals else f"{rate.mean:.1f}"

    return [
        (f"{label}{suffix}", *(cell(pool, label) for pool in pools.values()))
        for label in labels_of(pools)
    ]


def difference_rows(
    pools: Mapping[str, Pooled],
    comparisons: Sequence[tuple[str, str]],
    metric: str = "ratio",
    digits: int = 2,
) -> list[Row]:
    """Paired differences of a metric, the first of each comparison minus the second.

    Args:
        pools: The comparisons, one per column.
        comparisons: Pairs of contenders' labels, one per row.
        metric: Which metric is compared.
        digits: After the decimal point.

    Returns:
        A row per comparison: what is compared, then a cell per column.
    """
    return [
        (
            f"{mine} − {other}",
            *(pool.difference(metric, mine, other).text(digits) for pool in pools.values()),
        )
        for mine, other in comparisons
    ]


def footing_of(pools: Mapping[str, Pooled]) -> str:
    """What stands under a table: once, where all columns have it in common."""
    texts = {name: pool.footing for name, pool in pools.items()}
    if len(pools) > 1 and len(set(texts.values())) == 1:
        return f"Each column: {next(iter(texts.values()))}."
    return ". ".join(f"{name}: {text}" for name, text in texts.items()) + "."


def group_win_rates(results: Sequence[Result], group: str, label: str) -> list[float]:
    """The win rate of one contender among those of a win group, seed by seed.

    Args:
        results: What comparisons stored, one per seed.
        group: The name of the win group.
        label: The contender.

    Returns:
        A share of pairs per seed.
    """
    return [float(result["win_groups"][group][label]) for result in results]
