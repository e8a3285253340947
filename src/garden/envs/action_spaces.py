"""Action spaces: a slot is the index of a neighbour in the holder's list, by position."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space


class Slots(spaces.Discrete):
    """The slots 0 … max_degree − 1, of which a holder has as many as it has neighbours.

    A sample without a mask is one of the slots that every node has, so that it is legal wherever
    the message is; with ``info["action_mask"]`` it is any slot of the present holder.

    Args:
        max_degree: The number of slots, the largest degree of the graph.
        min_degree: How many slots every node has, the smallest degree of the graph.
        seed: Fixes the samples.
    """

    def __init__(self, max_degree: int, min_degree: int, seed: int | None = None) -> None:
        super().__init__(max_degree, seed=seed)
        self.min_degree = min_degree

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """One slot; uniform among those of the mask where there is one.

        Args:
            mask: (max_degree,) int8, 1 for slots that may be drawn; None for those that every node
                has.
            probability: (max_degree,) the chance of each slot, in place of a mask.
        """
        if mask is None and probability is None:
            return np.int64(self.np_random.integers(self.min_degree))
        return super().sample(mask, probability)


class SlotsOfMany(spaces.MultiDiscrete):
    """A slot for each of several episodes, sampled as :class:`Slots` are.

    Args:
        num_episodes: How many episodes act at once.
        max_degree: The number of slots, the largest degree of the graph.
        min_degree: How many slots every node has, the smallest degree of the graph.
        seed: Fixes the samples.
    """

    def __init__(
        self, num_episodes: int, max_degree: int, min_degree: int, seed: int | None = None
    ) -> None:
        super().__init__(np.full(num_episodes, max_degree, dtype=np.int64), seed=seed)
        self.min_degree = min_degree

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """One slot for each; uniform among those of each mask where there are any.

        Args:
            mask: A mask for each episode, as Gymnasium wants them; None for slots that every node
                has.
            probability: The probabilities of slots for each episode, in place of masks.
        """
        if mask is None and probability is None:
            return self.np_random.integers(self.min_degree, size=self.nvec.shape)
        return super().sample(mask, probability)


@batch_space.register(Slots)
def _batch_of_slots(space: Slots, n: int = 1) -> SlotsOfMany:
    return SlotsOfMany(n, int(space.n), space.min_degree)
