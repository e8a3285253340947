"""Sums of ratios at many temperatures: exact ones, and estimates that cost a fraction of them.

A sum is that of E[min(hops, max_hops)] / distance over all sources and some targets. Estimates
differ from it by rounding alone, so that they tell which temperatures can be the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from garden.graphs.graph import Graph
from garden.search.chain import NEGLIGIBLE, chain_of_scores, for_each
from garden.strategies.base import Selection

_ROUNDING = 1e-6  # relative; either way rounds off some hops · degree · 1e-16
_MAX_SPREAD = 1200.0  # of scores over a temperature, for exp to hold them about their middle
_ENTRIES = 1 << 18  # nodes × chains worked on at once
_MIN_CHAINS, _MAX_CHAINS = 8, 64

Advance = Callable[[float], None]
"""Called with the share of the work that is done."""


@dataclass(frozen=True, eq=False)
class Tuned:
    """What a temperature is tuned on: some targets, and all sources."""

    graph: Graph
    scores: np.ndarray  # (num_targets, num_nodes) at temperature 1
    selection: Selection
    targets: np.ndarray  # (num_targets,)
    hops_to: np.ndarray  # (num_targets, num_nodes) float64; infinite where a source does not count
    max_hops: int


RatioSums = Callable[[Tuned, np.ndarray, Advance], np.ndarray]
"""Gives a sum for each of the temperatures, (num_temperatures,)."""


def exact_ratio_sums(tuned: Tuned, temperatures: np.ndarray, advance: Advance) -> np.ndarray:
    """One chain after another."""
    sums = np.empty(len(temperatures))
    for number, temperature in enumerate(temperatures):
        expected, _ = chain_of_scores(
            tuned.graph, tuned.scores / temperature, tuned.selection, tuned.targets, tuned.max_hops
        )
        sums[number] = (expected / tuned.hops_to).sum()
        advance((number + 1) / len(temperatures))
    return sums


def estimated_ratio_sums(tuned: Tuned, temperatures: np.ndarray, advance: Advance) -> np.ndarray:
    """The same, up to rounding: many chains at once wherever exp can hold their scores."""
    try:
        from garden.search import chain_kernels  # noqa: F401
    except ImportError:  # no numba on this machine
        return exact_ratio_sums(tuned, temperatures, advance)
    spread = np.ptp(tuned.scores, axis=1).max(initial=0.0)
    held = (spread <= _MAX_SPREAD * temperatures) & (tuned.selection == "softmax")
    share = float(held.mean())
    sums = np.empty(len(temperatures))
    sums[held] = _sums_of_many_chains(tuned, temperatures[held], lambda done: advance(share * done))
    sums[~held] = exact_ratio_sums(
        tuned, temperatures[~held], lambda done: advance(share + (1 - share) * done)
    )
    return sums


def can_be_lowest(estimates: np.ndarray) -> np.ndarray:
    """Which of the estimated ratios may be the lowest of the exact ones, (num_temperatures,)."""
    possible: np.ndarray = estimates <= estimates.min() * (1 + _ROUNDING)
    return possible


def exact_ratio_sums_of(chosen: np.ndarray) -> RatioSums:
    """Exact sums at the temperatures chosen, (num_temperatures,) bool, and infinity elsewhere."""

    def ratio_sums(tuned: Tuned, temperatures: np.ndarray, advance: Advance) -> np.ndarray:
        sums = np.full(len(temperatures), np.inf)
        sums[chosen] = exact_ratio_sums(tuned, temperatures[chosen], advance)
        return sums

    return ratio_sums


def _sums_of_many_chains(tuned: Tuned, temperatures: np.ndarray, advance: Advance) -> np.ndarray:
    from garden.search.chain_kernels import ratio_sums

    graph, worth = tuned.graph, 1 / tuned.hops_to
    rows, numbers = (axis.ravel() for axis in np.indices((len(worth), len(temperatures))))
    sums = np.empty(len(rows))
    size = _chains_at_once(graph.num_nodes)
    done = []

    def solve(group: int) -> None:
        chains = slice(group * size, (group + 1) * size)
        ratio_sums(
            graph.indptr,
            graph.indices,
            tuned.scores,
            rows[chains],
            temperatures[numbers[chains]],
            tuned.targets[rows[chains]],
            tuned.max_hops,
            NEGLIGIBLE,
            worth,
            sums[chains],
        )
        done.append(group)
        advance(min(1.0, len(done) * size / len(rows)))

    for_each(solve, -(-len(rows) // size))
    total: np.ndarray = sums.reshape(len(worth), len(temperatures)).sum(axis=0)
    return total


def _chains_at_once(num_nodes: int) -> int:
    fitting = _ENTRIES // num_nodes // _MIN_CHAINS * _MIN_CHAINS
    return min(max(fitting, _MIN_CHAINS), _MAX_CHAINS)
