"""What is kept of played pairs: a ratio with its interval, how many are truncated, the hops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from garden.experiments.ours.gossip.sketch_walks import Searchers, Walks, sketch_walks
from garden.experiments.report.intervals import Estimate
from garden.search.config import PAPERS_LIMIT
from garden.search.metrics import oracle_ratio_interval

MEMORIES = ("none", "backtrack")
_DIGITS = 6


def outcome(
    hops: np.ndarray, truncated: np.ndarray, distances: np.ndarray, targets: np.ndarray
) -> dict[str, Any]:
    """The outcome of one contender.

    Args:
        hops: E[min(hops, limit)] of each pair, (num_pairs,).
        truncated: The share of each pair's walks that were truncated, (num_pairs,).
        distances: The distance of each pair, (num_pairs,).
        targets: The target of each pair, (num_pairs,).
    """
    ratios = hops / distances
    mean = float(ratios.mean())
    low, high = oracle_ratio_interval(ratios, targets) or (mean, mean)
    return {
        "ratio": round(mean, _DIGITS),
        "interval": [round(low, _DIGITS), round(high, _DIGITS)],
        "truncated": round(float(truncated.mean()), _DIGITS),
        "hops": round(float(hops.mean()), _DIGITS),
    }


def outcome_of_walks(
    hops: np.ndarray, pairs: np.ndarray, distances: np.ndarray, max_hops: int = PAPERS_LIMIT
) -> dict[str, Any]:
    """The outcome of sampled walks.

    Args:
        hops: Of each pair's walks, (num_pairs, walks_per_pair), max_hops + 1 where truncated.
        pairs: Positions of source and target, (num_pairs, 2).
        distances: The distance of each pair, (num_pairs,).
        max_hops: The limit that walks were truncated at.
    """
    capped = np.minimum(hops, max_hops).mean(axis=1)
    return outcome(capped, (hops > max_hops).mean(axis=1), distances, pairs[:, 1])


def outcomes_by_memory(
    searchers: Searchers,
    pairs: np.ndarray,
    distances: np.ndarray,
    memories: Sequence[str] = MEMORIES,
    per_pair: int = 1,
) -> dict[str, Any]:
    """The outcomes of walks by sketches with each memory.

    Args:
        searchers: Who walks.
        pairs: Positions of source and target, (num_pairs, 2).
        distances: The distance of each pair, (num_pairs,).
        memories: The memories, ``none`` or ``backtrack``.
        per_pair: How many walks each pair gets.

    Returns:
        By memory what :func:`outcome` gives.
    """
    return {
        memory: outcome_of_walks(
            sketch_walks(searchers, pairs, Walks(memory, per_pair=per_pair)).hops, pairs, distances
        )
        for memory in memories
    }


def estimate(played: Mapping[str, Any]) -> Estimate:
    """The ratio of an outcome with its interval."""
    return Estimate(played["ratio"], *played["interval"])


def ratio_text(played: Mapping[str, Any]) -> str:
    """The oracle ratio with its interval, and the truncated walks where there are any."""
    share = 100 * played["truncated"]
    truncated = f", {share:.0f} %" if share >= 10 else f", {share:.2g} %" if share else ""
    return estimate(played).text(3) + truncated
