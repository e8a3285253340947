"""Edge biases: what agents learned about their own neighbours, added to the neighbours' scores.

An agent i keeps one number b_ij for each neighbour j, which it alone reads. Where it holds a
message to t, it chooses by score(j, t) + b_ij; representations and scores stay the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, final

import numpy as np

from garden.strategies.memory import (
    BatchMemory,
    Memory,
    NoMemory,
    RowTable,
    recalled_in_turn,
)

LOCAL = "local"


@dataclass(frozen=True, eq=False)
class EdgeBias:
    """The numbers of all agents, ordered by holder and then by neighbour."""

    holders: np.ndarray  # (num_hops,) addresses, ascending
    neighbours: np.ndarray  # (num_hops,) addresses, ascending for each holder
    values: np.ndarray  # (num_hops,) float64: b_ij of holder i and neighbour j

    def of(self, holders: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
        """The biases of some links, (num_pairs,) float64.

        Args:
            holders: (num_pairs,) addresses.
            neighbours: (num_pairs,) addresses, each of a neighbour of the holder at its place.
        """
        positions = np.searchsorted(self._links, _links(holders, neighbours))
        found: np.ndarray = self.values[positions]
        return found

    @cached_property
    def _links(self) -> np.ndarray:
        return _links(self.holders, self.neighbours)

    def with_memory(self, memory: Memory) -> Memory:
        """A memory of the message that reads scores with the biases added."""
        if isinstance(memory, NoMemory):
            return EdgeBiasMemory(self)
        return EdgeBiasThenMemory(self, memory)


def _links(holders: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """A number for each link, in the order of holders and then of neighbours."""
    return (holders.astype(np.int64) << 32) + neighbours


@final
@dataclass(frozen=True, eq=False)
class EdgeBiasMemory(BatchMemory):
    """No state in the message: every holder adds its own biases, s'_j = s_j + b_ij."""

    edge_bias: EdgeBias
    name = LOCAL

    def start_many(self, count: int) -> np.ndarray:
        """An empty state for each message, (count, 0)."""
        return np.empty((count, 0))

    def recall_many(
        self,
        states: np.ndarray,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The scores with each holder's biases added.

        Args:
            states: (num_messages, 0), which come back.
            holders: (num_messages,) addresses.
            candidates: (num_candidates,) addresses, of all messages.
            scores: (num_candidates,) scores of the strategy.
            owner: (num_candidates,) the message that each belongs to, ascending.
        """
        return scores + self.edge_bias.of(holders[owner], candidates), states


@final
@dataclass(frozen=True, eq=False)
class EdgeBiasThenMemory(BatchMemory):
    """A memory of the message that reads scores with the holder's biases added."""

    edge_bias: EdgeBias
    memory: Memory

    @property
    def name(self) -> str:  # type: ignore[override]
        """``local`` and the memory's own name."""
        return f"{LOCAL}, {self.memory.name}"

    def among(self, rows: RowTable) -> Self:
        """The memory for a graph whose nodes have these rows."""
        return replace(self, memory=self.memory.among(rows))

    def towards(self, target: int) -> Self:
        """The memory of messages to this target."""
        return replace(self, memory=self.memory.towards(target))

    def start_many(self, count: int) -> np.ndarray:
        """A state of the memory for each message, (count,) objects."""
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
        """As the memory recalls, with the biases added before.

        Args:
            states: (num_messages,) objects.
            holders: (num_messages,) addresses.
            candidates: (num_candidates,) addresses, of all messages.
            scores: (num_candidates,) scores of the strategy.
            owner: (num_candidates,) the message that each belongs to, ascending.
        """
        biased = scores + self.edge_bias.of(holders[owner], candidates)
        return recalled_in_turn(self.memory.recall, states, holders, candidates, biased, owner)
