"""From scores to a choice, the paper's equation 1: the definition that simulators and peers share.

Weights are the unnormalised probabilities of the candidates; one uniform number picks by their
running sum. Compiled kernels repeat these few lines, and tests hold them to it.
"""

from __future__ import annotations

import numpy as np

from garden.splitmix import GOLDEN, mixed_word
from garden.strategies.base import Selection

_GOLDEN = int(GOLDEN)
_MASK = (1 << 64) - 1


def choice_weights(scores: np.ndarray, selection: Selection) -> np.ndarray:
    """Unnormalised probabilities of the candidates.

    Args:
        scores: (num_candidates,); at −∞ a candidate is never chosen.
        selection: softmax: exp(s − max s); argmax: 1 where s = max s, else 0.

    Returns:
        (num_candidates,) float64.

    """
    best = scores.max()
    if selection == "argmax":
        return (scores == best).astype(np.float64)
    return np.exp(scores - best)


def choose(weights: np.ndarray, uniform: float) -> int:
    """The candidate at which the running sum of weights passes ``uniform`` of their total.

    Args:
        weights: (num_candidates,), at least one positive.
        uniform: A number in [0, 1).

    """
    running = weights.cumsum()
    return int(running[:-1].searchsorted(uniform * running[-1], side="right"))


def hop_uniform(message_id: int, attempt: int, hop: int) -> float:
    """The random number of one hop, in [0, 1), which every holder can make for itself.

    SplitMix64 over the words of a message's id, the attempt and the hop, each mixed in with the
    words before it. It goes with candidates in the order of their keys.

    Args:
        message_id: 128 bits.
        attempt: The attempt, from 0.
        hop: Hops made before this one.

    """
    state = 0
    for word in (message_id & _MASK, message_id >> 64, attempt, hop):
        state = mixed_word(state + _GOLDEN + word)
    return (state >> 11) / (1 << 53)
