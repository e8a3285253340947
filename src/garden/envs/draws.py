"""Which pair an episode plays: a function of its seed and its number, and of nothing else.

Thousands of environments need no generator each, and the k-th episode of a seed is the same in
every view, however many are played at once.
"""

from __future__ import annotations

import numpy as np

from garden.search.walk import streams_of

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def drawn_pairs(
    targets: np.ndarray, num_nodes: int, roots: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """A uniform target and, for each, a uniform source that is another node, (num_episodes, 2).

    ``roots`` are the stream roots of the seeds, (num_episodes,) uint64, and ``numbers`` the
    episodes' numbers. Pairs are drawn from the complement of the stream that a walk draws its hops
    from, so that the two have nothing to do with each other.
    """
    states = ~streams_of(roots, numbers)
    chosen = targets[(uniforms_of(states + _GOLDEN) * len(targets)).astype(np.int64)]
    sources = (uniforms_of(states + _GOLDEN + _GOLDEN) * (num_nodes - 1)).astype(np.int64)
    sources += sources >= chosen  # skip over the target
    return np.stack([sources, chosen], axis=1)


def uniforms_of(states: np.ndarray) -> np.ndarray:
    """The numbers in [0, 1) that these states of streams stand for (SplitMix64)."""
    words = (states ^ (states >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((words ^ (words >> np.uint64(31))) >> np.uint64(11)) / np.float64(1 << 53)
