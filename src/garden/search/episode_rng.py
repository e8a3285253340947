"""Random streams of episodes (SplitMix64), a function of a seed and an episode's number alone.

Each episode has a stream of its own, so that results depend neither on batches nor on threads. A
stream's state is one uint64: :func:`next_streams` moves it on, :func:`uniforms_of` turns it into a
number in [0, 1). The compiled kernels repeat both.
"""

from __future__ import annotations

import numpy as np

from garden.splitmix import GOLDEN, mixed


def episode_streams(seed: int, first: int, count: int) -> np.ndarray:
    """The states of episodes ``first`` … ``first + count − 1`` of a seed, (count,) uint64.

    Args:
        seed: of the evaluation.
        first: the number of the first episode.
        count: how many.
    """
    return streams_of(stream_root(seed), np.arange(first, first + count))


def stream_root(seed: int) -> np.uint64:
    """The number that the streams of all episodes of a seed are derived from."""
    root: np.uint64 = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return root


def streams_of(roots: np.ndarray | np.uint64, numbers: np.ndarray) -> np.ndarray:
    """The states of episodes by number; ``roots`` is one root for all or one for each, uint64.

    Args:
        roots: one for all, or one for each, uint64.
        numbers: of the episodes, (count,).

    Returns:
        (count,) uint64.
    """
    words = roots + (numbers.astype(np.uint64) + np.uint64(1)) * GOLDEN
    return mixed(mixed(words))  # twice, which keeps neighbouring episodes' streams apart


def next_streams(streams: np.ndarray) -> np.ndarray:
    """The states that follow, (count,) uint64."""
    return streams + GOLDEN


def uniforms_of(streams: np.ndarray) -> np.ndarray:
    """The uniform numbers in [0, 1) of these states, (count,) float64."""
    return (mixed(streams) >> np.uint64(11)) / np.float64(1 << 53)
