"""What agents learned about their own neighbours, as a rule that each applies to its own scores.

An agent keeps one number for each neighbour, which it alone reads. The scores of a strategy stay
as they are for everybody; the number is added to them where the agent holds a message.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from garden.strategies.memory import BatchMemory, Memory, NoMemory

LOCAL = "local"


@dataclass(frozen=True, eq=False)
class Trust:
    """The numbers of all agents, each holder's neighbours in ascending order."""

    holders: np.ndarray  # (num_hops,) addresses, ascending
    neighbours: np.ndarray  # (num_hops,)
    worth: np.ndarray  # (num_hops,) float64: what the holder adds to the neighbour's score

    def of(self, holders: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
        """What these holders add to the scores of these neighbours."""
        places = np.searchsorted(self._links, _links(holders, neighbours))
        found: np.ndarray = self.worth[places]
        return found

    @cached_property
    def _links(self) -> np.ndarray:
        return _links(self.holders, self.neighbours)

    def with_memory(self, memory: Memory) -> Memory:
        """A memory of the message on top of what the agents know."""
        return TrustingHolders(self) if isinstance(memory, NoMemory) else TrustFirst(self, memory)


def _links(holders: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """A number for each link, in the order of holders and then of neighbours."""
    return (holders.astype(np.int64) << 32) + neighbours


@final
@dataclass(frozen=True, eq=False)
class TrustingHolders(BatchMemory):
    """Nothing travels in the message: every holder adds what it knows of its neighbours."""

    trust: Trust
    name = LOCAL

    def start_many(self, count: int) -> np.ndarray:
        """Nothing for each message."""
        return np.empty((count, 0))

    def recall_many(
        self,
        states: np.ndarray,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The scores with each holder's own numbers added."""
        return scores + self.trust.of(holders[owner], candidates), states


@final
@dataclass(frozen=True, eq=False)
class TrustFirst(BatchMemory):
    """A memory of the message that reads scores as the holder corrected them."""

    trust: Trust
    memory: Memory

    @property
    def name(self) -> str:  # type: ignore[override]
        """Both names."""
        return f"{LOCAL}, {self.memory.name}"

    def start_many(self, count: int) -> np.ndarray:
        """A state of the memory for each message."""
        states = np.empty(count, dtype=object)
        for message in range(count):
            states[message] = self.memory.start()
        return states

    def recall_many(
        self,
        states: np.ndarray,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """As the memory recalls, with each holder's own numbers added before."""
        corrected = scores + self.trust.of(holders[owner], candidates)
        seen, after = np.empty_like(corrected), np.empty_like(states)
        bounds = np.searchsorted(owner, np.arange(len(states) + 1))
        for message, holder in enumerate(holders.tolist()):
            mine = slice(bounds[message], bounds[message + 1])
            seen[mine], after[message] = self.memory.recall(
                states[message], holder, candidates[mine], corrected[mine]
            )
        return seen, after
