"""Random streams of episodes (SplitMix64): a function of a seed and an episode's number alone.

Each episode has a stream of its own, so that results depend neither on how episodes are batched
nor on threads. The compiled kernels repeat :func:`next_streams` and :func:`uniforms_of`.
"""

from __future__ import annotations

import numpy as np

from garden.splitmix import GOLDEN, mixed


def episode_streams(seed: int, first: int, count: int) -> np.ndarray:
    """Random states of episodes number ``first`` … of this seed, (count,) uint64."""
    return streams_of(stream_root(seed), np.arange(first, first + count))


def stream_root(seed: int) -> np.uint64:
    """What the streams of all episodes of a seed are made from."""
    root: np.uint64 = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return root


def streams_of(roots: np.ndarray | np.uint64, numbers: np.ndarray) -> np.ndarray:
    """Random states of the episodes with these numbers, of one root or of one each, uint64."""
    words = roots + (numbers.astype(np.uint64) + np.uint64(1)) * GOLDEN
    return mixed(mixed(words))  # twice, which keeps neighbouring episodes' streams apart


def next_streams(streams: np.ndarray) -> np.ndarray:
    """The states after these, (count,) uint64."""
    return streams + GOLDEN


def uniforms_of(streams: np.ndarray) -> np.ndarray:
    """The numbers in [0, 1) that these states stand for, (count,) float64."""
    return (mixed(streams) >> np.uint64(11)) / np.float64(1 << 53)
