"""The paper's three metrics, from distributions of hops, with intervals over targets.

A distribution of hops has one row per pair: column k − 1 is the chance of delivery in exactly k
hops, the last column that of truncation. Exact and sampled evaluation both end in one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NUM_RESAMPLES = 2000


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
    oracle_ratio: float


def expected_hops(distributions: np.ndarray) -> np.ndarray:
    """E[min(hops, max_hops)] of each pair: a truncated episode counts max_hops."""
    max_hops = distributions.shape[1] - 1
    return distributions @ np.minimum(np.arange(1, max_hops + 2), max_hops)


def win_shares(distributions: list[np.ndarray]) -> np.ndarray:
    """Each strategy's share of each pair's win, (num_strategies, num_pairs).

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

    One target alone says nothing of how targets differ: there is no interval then.
    """
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
            oracle_ratio=float(ratios[distances == distance].mean()),
        )
        for distance in np.unique(distances)
    }


def _capped(distributions: np.ndarray) -> np.ndarray:
    """The distribution of min(hops, max_hops): truncation joins the last hop."""
    capped = distributions[:, :-1].copy()
    capped[:, -1] += distributions[:, -1]
    return capped
