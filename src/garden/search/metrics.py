"""The paper's three metrics, from distributions of hops, with intervals over targets.

A distribution of hops has one row per pair: column k − 1 is the chance of delivery in exactly k
hops, the last column that of truncation. Exact and sampled evaluation both end in one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NUM_RESAMPLES = 2000
SHARE_ENTRIES = 1 << 20  # strategies × pairs × hops that shares of wins are made of at once


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """What a strategy is expected to do on each pair, (num_pairs,) each."""

    hops: np.ndarray  # E[min(hops, max_hops)]
    truncation: np.ndarray  # chance of no delivery within max_hops
    wins: np.ndarray  # share of the pair's win


@dataclass(frozen=True)
class DistanceBand:
    """The pairs at one distance."""

    pairs: int
    oracle_ratio: float | None  # None where the limit is shorter than the distance


def expected_hops(distributions: np.ndarray) -> np.ndarray:
    """E[min(hops, max_hops)] of each pair: a truncated episode counts max_hops."""
    max_hops = distributions.shape[1] - 1
    return distributions @ np.minimum(np.arange(1, max_hops + 2), max_hops)


def oracle_ratios(hops: np.ndarray, distances: np.ndarray, max_hops: int) -> np.ndarray:
    """Each pair's E[min(hops, max_hops)] over its distance, (num_pairs,); never below 1.

    A pair further apart than the limit has none, NaN: whatever a strategy did, it would count
    fewer hops than the shortest path has. Rounding alone can take other pairs below 1.
    """
    return np.where(distances <= max_hops, np.maximum(hops / distances, 1.0), np.nan)


def mean_ratio(ratios: np.ndarray) -> float | None:
    """The mean over those pairs that have a ratio; None where none has."""
    kept = ratios[~np.isnan(ratios)]
    return float(kept.mean()) if len(kept) else None


def win_shares(distributions: list[np.ndarray]) -> np.ndarray:
    """Each strategy's share of each pair's win, (num_strategies, num_pairs).

    Pairs are worked off a few at a time, so that memory does not grow with the limit of hops.
    """
    shares = np.empty((len(distributions), len(distributions[0])))
    size = max(1, SHARE_ENTRIES // (len(distributions) * distributions[0].shape[1]))
    for start in range(0, shares.shape[1], size):
        block = slice(start, start + size)
        shares[:, block] = _win_shares_of_block([table[block] for table in distributions])
    return shares


def _win_shares_of_block(distributions: list[np.ndarray]) -> np.ndarray:
    """The same, all at once.

    Every strategy plays one independent episode; the least min(hops, max_hops) wins, and ties
    share equally. If the others stand at length k with chance a_j and beyond it with b_j, one
    share is Σ_k a_i(k) ∫₀¹ Π_j (b_j + a_j z) dz, since ∫ z^m dz = 1 / (m + 1) splits the win
    among m + 1. The integrand is a polynomial, so Gauss–Legendre quadrature is exact.
    """
    at = np.stack([_capped(table) for table in distributions])  # (strategies, pairs, max_hops)
    beyond = np.maximum(at[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - at, 0.0)
    knots, weights = np.polynomial.legendre.leggauss(max(1, (len(at) + 1) // 2))
    shares = np.zeros(at.shape[:2])
    for knot, weight in zip((knots + 1) / 2, weights / 2, strict=True):
        shares += weight * (at * _products_of_others(beyond + at * knot)).sum(axis=2)
    return shares


def _products_of_others(factors: np.ndarray) -> np.ndarray:
    """The product of all factors but one's own, along the first axis, without dividing."""
    ones = np.ones_like(factors[:1])
    before = np.cumprod(np.concatenate([ones, factors[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, factors[:0:-1]]), axis=0)[::-1]
    return before * after


def oracle_ratio_interval(
    ratios: np.ndarray, targets: np.ndarray, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """A bootstrap interval of the mean ratio, resampling targets with all their pairs.

    One target alone says nothing of how targets differ: there is no interval then. Pairs without
    a ratio play no part.
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
    """The oracle ratio among the pairs of each distance, nearest first."""
    return {
        int(distance): DistanceBand(
            pairs=int((distances == distance).sum()),
            oracle_ratio=mean_ratio(ratios[distances == distance]),
        )
        for distance in np.unique(distances)
    }


def _capped(distributions: np.ndarray) -> np.ndarray:
    """The distribution of min(hops, max_hops): truncation joins the last hop."""
    capped = distributions[:, :-1].copy()
    capped[:, -1] += distributions[:, -1]
    return capped
