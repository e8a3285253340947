"""The pair of an episode, a function of its seed and its number alone.

Thousands of environments need no generator each, and the k-th episode of a seed is the same in
every environment, however many run at once.
"""

from __future__ import annotations

import numpy as np

from garden.search.episode_rng import next_streams, streams_of, uniforms_of


def drawn_pairs(
    targets: np.ndarray, num_nodes: int, roots: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """A uniform target for each episode, and a uniform source among all other nodes.

    Pairs are drawn from the bitwise complement of the stream that a walk draws its hops from, so
    that the two are unrelated.

    Args:
        targets: Positions of the nodes that may be targets.
        num_nodes: How many nodes may be sources.
        roots: The stream roots of the seeds, (num_episodes,) uint64.
        numbers: The number of each episode among those of its seed, (num_episodes,).

    Returns:
        Positions of source and target, (num_episodes, 2) int64.
    """
    first = next_streams(~streams_of(roots, numbers))
    second = next_streams(first)
    chosen = targets[(uniforms_of(first) * len(targets)).astype(np.int64)]
    sources = (uniforms_of(second) * (num_nodes - 1)).astype(np.int64)
    sources += sources >= chosen  # skip over the target
    return np.stack([sources, chosen], axis=1)
