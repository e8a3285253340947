"""Several reports on one graph, one per seed, averaged into one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from garden.errors import SpecError, first_repeated
from garden.search.report import BEYOND, Report, ratio_text
from garden.strategies.base import Knowledge

SUMMARY_COLUMNS = (
    "strategy",
    "memory",
    "oracle ratio",
    "± over seeds",
    "truncated",
    "wins",
    "hops",
    "knows",
)


@dataclass(frozen=True)
class SeedMean:
    """One strategy's results, averaged over seeds.

    The spread is the standard deviation of the ratio over seeds. A seed whose pairs are all
    further apart than the limit of hops has no ratio and is left out of the mean ratio.
    """

    name: str
    memory: str
    knows: Knowledge
    oracle_ratio: float | None
    oracle_ratio_spread: float | None
    truncation_rate: float
    win_rate: float
    mean_hops: float


@dataclass(frozen=True, eq=False)
class SeedSummary:
    """Reports that differ in their seed alone."""

    reports: tuple[Report, ...]

    @property
    def means(self) -> list[SeedMean]:
        """One mean per strategy, in the order of the reports' strategies."""
        return [
            _mean_of([report.results[row] for report in self.reports])
            for row in range(len(self.reports[0].results))
        ]

    def title(self) -> str:
        """What was averaged, on one line."""
        first = self.reports[0]
        limits = sorted({int(report.config.max_hops) for report in self.reports})
        limit = str(limits[0]) if len(limits) == 1 else f"{limits[0]} to {limits[-1]}"
        seeds = ", ".join(str(report.seed) for report in self.reports)
        return (
            f"{first.graph.name}: mean of {len(self.reports)} seeds ({seeds}), "
            f"{len(first.pairs)} {first.config.split} pairs each, at most {limit} hops"
        )

    def columns(self) -> tuple[str, ...]:
        """The heads of the table; one more where pairs are further apart than the limit of hops."""
        return (*SUMMARY_COLUMNS, BEYOND) if self.num_pairs_beyond_limit else SUMMARY_COLUMNS

    @property
    def num_pairs_beyond_limit(self) -> int:
        """How many pairs of all seeds are further apart than the limit of hops."""
        return sum(report.num_pairs_beyond_limit for report in self.reports)

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, cell by cell, under :meth:`columns`."""
        beyond = self.num_pairs_beyond_limit
        played = sum(len(report.pairs) for report in self.reports)
        last = (f"{beyond} of {played}",) if beyond else ()
        return [
            (
                mean.name,
                mean.memory,
                ratio_text(mean.oracle_ratio),
                ratio_text(mean.oracle_ratio_spread),
                f"{100 * mean.truncation_rate:.1f} %",
                f"{100 * mean.win_rate:.1f} %",
                f"{mean.mean_hops:.1f}",
                mean.knows,
                *last,
            )
            for mean in self.means
        ]

    def to_json(self) -> dict[str, Any]:
        """The means as plain values, and every report behind them."""
        return {
            "graph": self.reports[0].graph.name,
            "seeds": [report.seed for report in self.reports],
            "max_hops": [report.config.max_hops for report in self.reports],
            "num_pairs_beyond_limit": self.num_pairs_beyond_limit,
            "mean": [asdict(mean) for mean in self.means],
            "reports": [report.to_json() for report in self.reports],
        }


def parse_seeds(text: str) -> list[int]:
    """The seeds that ``0-9``, ``3`` or ``0,2,5-7`` stand for, in that order."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise SpecError(f"seeds {text!r}: write them as 0-9 or 0,2,5-7")
        stop = int(last) if dash else int(first)
        if stop < int(first) or stop - int(first) >= 10_000:
            raise SpecError(f"seeds {text!r}: {part.strip()} is not a range of up to 10,000 seeds")
        seeds += range(int(first), stop + 1)
    repeated = first_repeated(seeds)
    if repeated is not None:
        raise SpecError(f"seeds {text!r}: seed {repeated} is named twice")
    return seeds


def _mean_of(results: Sequence[Any]) -> SeedMean:
    ratios = [result.oracle_ratio for result in results if result.oracle_ratio is not None]
    return SeedMean(
        name=results[0].name,
        memory=results[0].memory,
        knows=results[0].knows,
        oracle_ratio=float(np.mean(ratios)) if ratios else None,
        oracle_ratio_spread=_spread(ratios),
        truncation_rate=float(np.mean([result.truncation_rate for result in results])),
        win_rate=float(np.mean([result.win_rate for result in results])),
        mean_hops=float(np.mean([result.mean_hops for result in results])),
    )


def _spread(ratios: Sequence[float]) -> float | None:
    if not ratios:
        return None
    return float(np.std(ratios, ddof=1)) if len(ratios) > 1 else 0.0
