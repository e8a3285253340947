"""Means over seeds, with intervals that resample seeds and, within each, its targets.

All contenders of a comparison share the draws, so that a difference between two of them is paired:
same seeds, same targets, same pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NUM_RESAMPLES = 2000
_LEVELS = (0.025, 0.975)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def text(self, digits: int = 2) -> str:
        """The mean and its interval as a cell of a table.

        Args:
            digits: After the decimal point.

        Returns:
            Such as ``1.23 (1.10 – 1.35)``.
        """
        return f"{self.mean:.{digits}f} ({self.low:.{digits}f} – {self.high:.{digits}f})"

    def scaled(self, factor: float) -> Estimate:
        """The same in another unit, such as per cent."""
        return Estimate(factor * self.mean, factor * self.low, factor * self.high)

    @property
    def sign(self) -> int:
        """−1 or 1 where the whole interval lies on that side of 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Comparisons of the same contenders over several seeds."""

    labels: tuple[str, ...]
    means: Mapping[str, np.ndarray]  # by metric, (num_seeds, num_labels)
    resampled: Mapping[str, np.ndarray]  # by metric, (num_resamples, num_labels)
    num_pairs: int
    num_targets: int
    num_seeds: int

    def estimate(self, metric: str, label: str) -> Estimate:
        """The mean over seeds of one contender's metric.

        Args:
            metric: One of those that were pooled, such as ``ratio``.
            label: The contender.

        Returns:
            The mean with its interval over seeds and targets.
        """
        draws = self.resampled[metric][:, self.labels.index(label)]
        return estimate_of(self.mean(metric, label), draws)

    def of_seeds(self, metric: str, label: str) -> np.ndarray:
        """The means of one contender's metric, seed by seed, (num_seeds,).

        Args:
            metric: One of those that were pooled.
            label: The contender.
        """
        means: np.ndarray = self.means[metric][:, self.labels.index(label)]
        return means

    def mean(self, metric: str, label: str) -> float:
        """The mean over seeds of one contender's metric.

        Args:
            metric: One of those that were pooled.
            label: The contender.
        """
        return float(self.of_seeds(metric, label).mean())

    def worst(self, metric: str, label: str) -> float:
        """The greatest mean of any seed.

        Args:
            metric: One of those that were pooled.
            label: The contender.
        """
        return float(self.of_seeds(metric, label).max())

    def difference(self, metric: str, label: str, other: str) -> Estimate:
        """How much more of a metric one contender has than another, pair by pair.

        Args:
            metric: One of those that were pooled.
            label: The contender.
            other: The contender whose metric is subtracted.

        Returns:
            The mean difference; its interval is paired, since both share seeds, targets and draws.
        """
        apart = self.of_seeds(metric, label) - self.of_seeds(metric, other)
        mine, theirs = self.labels.index(label), self.labels.index(other)
        draws = self.resampled[metric]
        return estimate_of(float(apart.mean()), draws[:, mine] - draws[:, theirs])

    def best(self, metric: str = "ratio") -> str:
        """The contender with the least mean of a metric."""
        return min(self.labels, key=lambda label: self.mean(metric, label))

    @property
    def footing(self) -> str:
        """What stands under a table."""
        plural = "s" * (self.num_seeds != 1)
        return (
            f"{self.num_seeds} seed{plural}, {self.num_targets} targets and {self.num_pairs} pairs "
            "in all; 95 % intervals by bootstrap over seeds and targets"
        )


METRICS = ("ratio", "truncated", "hops")
"""Pooled unless told otherwise. Wins hang on all who take part, and not all records keep them."""


def pooled(
    results: Sequence[Mapping[str, Any]], seed: int = 0, metrics: Sequence[str] = METRICS
) -> Pooled:
    """Pool the results of comparisons, one per seed, that have the same contenders.

    Args:
        results: What comparisons stored: for each contender the number of pairs of each target,
            ``pairs``, and the mean of each metric over them.
        seed: Of the bootstrap.
        metrics: Which metrics to pool.

    Returns:
        Means that weigh pairs within a seed and seeds alike, with resampled means.
    """
    labels = tuple(results[0]["contenders"])
    rng = np.random.default_rng(seed)
    means: dict[str, list[np.ndarray]] = {metric: [] for metric in metrics}
    draws: dict[str, list[np.ndarray]] = {metric: [] for metric in metrics}
    for result in results:
        contenders = result["contenders"]
        pairs = np.array(contenders[labels[0]]["pairs"], dtype=float)
        count = len(pairs)
        chosen = rng.multinomial(count, np.full(count, 1 / count), size=NUM_RESAMPLES)
        weights = np.concatenate([np.ones((1, count)), chosen]) * pairs
        weights /= weights.sum(axis=1, keepdims=True)
        for metric in metrics:
            table = np.array([contenders[label][metric] for label in labels]).T
            averages = weights @ table
            means[metric].append(averages[0])
            draws[metric].append(averages[1:])
    seeds = rng.integers(len(results), size=(NUM_RESAMPLES, len(results)))
    rows = np.arange(NUM_RESAMPLES)[:, None]
    return Pooled(
        labels=labels,
        means={metric: np.stack(means[metric]) for metric in metrics},
        resampled={
            metric: np.stack(draws[metric], axis=1)[rows, seeds].mean(axis=1) for metric in metrics
        },
        num_pairs=sum(int(sum(r["contenders"][labels[0]]["pairs"])) for r in results),
        num_targets=sum(len(r["targets"]) for r in results),
        num_seeds=len(results),
    )


def over_seeds(values: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of one value per seed, with an interval that resamples seeds alone.

    Args:
        values: One per seed.
        seed: Of the bootstrap.

    Returns:
        The mean with its 95 % interval.
    """
    table = np.asarray(values, dtype=float)
    chosen = np.random.default_rng(seed).integers(len(table), size=(NUM_RESAMPLES, len(table)))
    return estimate_of(float(table.mean()), table[chosen].mean(axis=1))


def estimate_of(mean: float, draws: np.ndarray) -> Estimate:
    """The mean with the 95 % interval that its resampled values span.

    Args:
        mean: The estimate itself.
        draws: Resampled means, (num_resamples,).
    """
    low, high = np.quantile(draws, _LEVELS)
    return Estimate(mean, float(low), float(high))
