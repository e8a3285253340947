"""Which pair an episode plays: a function of its seed and its number, and of nothing else.

Thousands of environments need no generator each, and the k-th episode of a seed is the same in
every view, however many are played at once.
"""

from __future__ import annotations

import numpy as np

from garden.search.episode_rng import next_streams, streams_of, uniforms_of


def drawn_pairs(
    targets: np.ndarray, num_nodes: int, roots: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """A uniform target and, for each, a uniform source that is another node, (num_episodes, 2).

    ``roots`` are the stream roots of the seeds, (num_episodes,) uint64, and ``numbers`` the
    episodes' numbers. Pairs are drawn from the complement of the stream that a walk draws its hops
    from, so that the two have nothing to do with each other.
    """
    first = next_streams(~streams_of(roots, numbers))
    second = next_streams(first)
    chosen = targets[(uniforms_of(first) * len(targets)).astype(np.int64)]
    sources = (uniforms_of(second) * (num_nodes - 1)).astype(np.int64)
    sources += sources >= chosen  # skip over the target
    return np.stack([sources, chosen], axis=1)
