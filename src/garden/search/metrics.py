"""The paper's three metrics: mean oracle ratio, truncation rate and win rate.

All follow from distributions of hops, which exact and sampled evaluation both produce: one row per
pair, column k − 1 the probability of delivery in exactly k hops, the last column that of
truncation. With H the hops of an episode, T the limit, and d(s, t) the shortest distance::

    oracle ratio     = mean over pairs of  E[min(H, T)] / d(s, t)
    truncation rate  = mean over pairs of  P(H > T)
    win rate         = mean over pairs of the expected share of the win, ties shared equally.

Intervals of the oracle ratio come from a bootstrap over targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NUM_RESAMPLES = 2000
SHARE_ENTRIES = 1 << 20  # strategies × pairs × hops held at once when wins are shared out


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """A strategy's expected results on each pair, (num_pairs,) float64 each."""

    hops: np.ndarray  # E[min(H, T)]
    truncation: np.ndarray  # P(H > T), no delivery within the limit
    wins: np.ndarray  # expected share of the pair's win


@dataclass(frozen=True)
class DistanceBand:
    """The oracle ratio among the pairs at one distance."""

    pairs: int
    oracle_ratio: float | None  # None where the limit is shorter than the distance


def expected_hops(distributions: np.ndarray) -> np.ndarray:
    """E[min(H, T)] of each pair, (num_pairs,): a truncated episode counts T hops.

    Args:
        distributions: Distributions of hops, (num_pairs, T + 1).
    """
    max_hops = distributions.shape[1] - 1
    return distributions @ np.minimum(np.arange(1, max_hops + 2), max_hops)


def oracle_ratios(hops: np.ndarray, distances: np.ndarray, max_hops: int) -> np.ndarray:
    """The oracle ratio E[min(H, T)] / d(s, t) of each pair, at least 1.

    A pair further apart than the limit has none (NaN): no strategy delivers it, and it would count
    fewer hops than its shortest path has. Ratios that rounding takes below 1 are set to 1.

    Args:
        hops: E[min(H, T)], (num_pairs,).
        distances: Shortest distances d(s, t), (num_pairs,).
        max_hops: The limit T.

    Returns:
        (num_pairs,) float64.
    """
    return np.where(distances <= max_hops, np.maximum(hops / distances, 1.0), np.nan)


def mean_ratio(ratios: np.ndarray) -> float | None:
    """The mean over the pairs that have a ratio; None where none has."""
    kept = ratios[~np.isnan(ratios)]
    return float(kept.mean()) if len(kept) else None


def win_shares(distributions: list[np.ndarray]) -> np.ndarray:
    """Each strategy's expected share of each pair's win, (num_strategies, num_pairs).

    Every strategy plays one independent episode per pair; the least min(H, T) wins, and ties share
    equally. Shares of a pair sum to 1. Pairs are processed in blocks, so that memory does not grow
    with the limit of hops.

    Args:
        distributions: One table per strategy, each (num_pairs, T + 1), of the same pairs.
    """
    shares = np.empty((len(distributions), len(distributions[0])))
    size = max(1, SHARE_ENTRIES // (len(distributions) * distributions[0].shape[1]))
    for start in range(0, shares.shape[1], size):
        block = slice(start, start + size)
        shares[:, block] = _win_shares_of_block([table[block] for table in distributions])
    return shares


def _win_shares_of_block(distributions: list[np.ndarray]) -> np.ndarray:
    """The same for one block of pairs.

    Let a_j(k) = P(min(H_j, T) = k) and b_j(k) = P(min(H_j, T) > k). Strategy i's share is ::

        Σ_k a_i(k) ∫₀¹ Π_{j ≠ i} (b_j(k) + a_j(k) z) dz,

    since ∫ z^m dz = 1 / (m + 1) splits the win among m + 1. The integrand is a polynomial in z, so
    that Gauss–Legendre quadrature is exact.
    """
    at = np.stack([_capped(table) for table in distributions])  # (strategies, pairs, max_hops)
    beyond = np.maximum(at[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - at, 0.0)
    knots, weights = np.polynomial.legendre.leggauss(max(1, (len(at) + 1) // 2))
    shares = np.zeros(at.shape[:2])
    for knot, weight in zip((knots + 1) / 2, weights / 2, strict=True):
        shares += weight * (at * _products_of_others(beyond + at * knot)).sum(axis=2)
    return shares


def _products_of_others(factors: np.ndarray) -> np.ndarray:
    """For each index of the first axis, the product of the factors at all others."""
    ones = np.ones_like(factors[:1])
    before = np.cumprod(np.concatenate([ones, factors[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, factors[:0:-1]]), axis=0)[::-1]
    return before * after


def oracle_ratio_interval(
    ratios: np.ndarray, targets: np.ndarray, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """A bootstrap interval of the mean ratio, resampling targets with all their pairs.

    Args:
        ratios: The ratio of each pair, (num_pairs,); pairs without one (NaN) are left out.
        targets: The target of each pair, (num_pairs,).
        level: The probability that the interval is meant to cover.
        seed: Fixes the :data:`NUM_RESAMPLES` resamples.

    Returns:
        Both ends, or None where all pairs have the same target.
    """
    ratios, targets = ratios[~np.isnan(ratios)], targets[~np.isnan(ratios)]
    _, target_of = np.unique(targets, return_inverse=True)
    if target_of.max(initial=0) == 0:
        return None
    sums = np.bincount(target_of, weights=ratios)
    counts = np.bincount(target_of)
    draws = np.random.default_rng(seed).multinomial(
        len(sums), np.full(len(sums), 1 / len(sums)), size=NUM_RESAMPLES
    )
    means = (draws @ sums) / (draws @ counts)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def by_distance(ratios: np.ndarray, distances: np.ndarray) -> dict[int, DistanceBand]:
    """The oracle ratio among the pairs of each distance, by distance in ascending order.

    Args:
        ratios: of each pair, (num_pairs,).
        distances: of each pair, (num_pairs,).

    Returns:
        For each distance, how many pairs there are and their mean ratio.
    """
    return {
        int(distance): DistanceBand(
            pairs=int((distances == distance).sum()),
            oracle_ratio=mean_ratio(ratios[distances == distance]),
        )
        for distance in np.unique(distances)
    }


def _capped(distributions: np.ndarray) -> np.ndarray:
    """The distribution of min(H, T), (num_pairs, T): truncation is added to hop T."""
    capped = distributions[:, :-1].copy()
    capped[:, -1] += distributions[:, -1]
    return capped
