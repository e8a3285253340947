"""From scores to a choice: the definition that simulators and peers share.

Weights are the unnormalised probabilities of the candidates; one uniform number picks by their
running sum. Compiled kernels repeat these few lines, and tests hold them to it.
"""

from __future__ import annotations

import numpy as np

from garden.strategies.base import Selection


def choice_weights(scores: np.ndarray, selection: Selection) -> np.ndarray:
    """Unnormalised probabilities, (num_candidates,); candidates at −∞ are never chosen."""
    best = scores.max()
    if selection == "argmax":
        return (scores == best).astype(np.float64)
    return np.exp(scores - best)


def choose(weights: np.ndarray, uniform: float) -> int:
    """The candidate at which the running sum of weights passes ``uniform`` of their total."""
    running = np.cumsum(weights)
    return int(np.searchsorted(running[:-1], uniform * running[-1], side="right"))
