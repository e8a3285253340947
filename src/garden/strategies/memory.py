"""Memory: what the message itself remembers, as a rule on top of any strategy.

A memory maps (its state in the message, the holder, the candidates and their scores) to (new
scores, new state). Candidates forbidden by the rule come back at −∞. Nodes are told apart by the
addresses that their neighbours send to; a memory learns nothing else about them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from garden.errors import SpecError
from garden.graphs.cells import shown


class Memory(ABC):
    """A rule that the holder applies to its neighbours' scores before it chooses."""

    name: str

    @abstractmethod
    def start(self) -> Any:
        """The state of a message that nobody has held yet."""

    @abstractmethod
    def recall(
        self, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """The scores as the memory sees them, and the state that travels on."""


@final
class NoMemory(Memory):
    """The paper's memoryless search."""

    name = "none"

    def start(self) -> None:
        """Nothing travels."""

    def recall(
        self, state: None, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, None]:
        """The scores as they are."""
        return scores, None


@dataclass(frozen=True)
class Visits:
    """How often each node has held the message."""

    counts: Mapping[int, int] = field(default_factory=dict)


@final
class VisitedMemory(Memory):
    """Unvisited neighbours first; where there is none, the least visited."""

    name = "visited"

    def start(self) -> Visits:
        """Nobody has held the message."""
        return Visits()

    def recall(
        self, state: Visits, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Visits]:
        """Only the least visited candidates keep their scores."""
        counts = {**state.counts, holder: state.counts.get(holder, 0) + 1}
        visits = np.array([counts.get(int(candidate), 0) for candidate in candidates])
        return np.where(visits == visits.min(), scores, -np.inf), Visits(counts)


@dataclass(frozen=True)
class Trail:
    """The nodes met so far, and the way back from the holder to the source."""

    met: frozenset[int] = frozenset()
    way_back: tuple[int, ...] = ()  # the holder's own address is the last


@final
class BacktrackMemory(Memory):
    """A depth-first search: the best neighbour that is new, else one step back.

    Each edge of the search tree is walked at most twice, so that the message arrives within
    2 · (nodes − 1) hops wherever the hop limit allows as many.
    """

    name = "backtrack"

    def start(self) -> Trail:
        """An empty trail."""
        return Trail()

    def recall(
        self, state: Trail, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Trail]:
        """Only the best new candidates keep their scores, or else only the way back does."""
        way_back = state.way_back
        if holder not in state.met:
            way_back = (*way_back, holder)
        met = state.met | {holder}
        new = np.array([int(candidate) not in met for candidate in candidates])
        if new.any():
            best = scores[new].max()
            return np.where(new & (scores == best), scores, -np.inf), Trail(met, way_back)
        way_back = way_back[:-1]
        back = candidates == way_back[-1]
        return np.where(back, scores, -np.inf), Trail(met, way_back)


MEMORIES: Mapping[str, Memory] = {
    memory.name: memory for memory in (NoMemory(), VisitedMemory(), BacktrackMemory())
}


def memory_named(name: str) -> Memory:
    """The memory with this name."""
    try:
        return MEMORIES[name]
    except KeyError:
        raise SpecError(
            f"unknown memory {shown(name)}: choose from {', '.join(MEMORIES)}"
        ) from None
