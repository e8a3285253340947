"""Memory: what the message itself remembers, as a rule on top of any strategy.

A memory maps (its state in the message, the holder, the candidates and their scores) to (new
scores, new state). Candidates forbidden by the rule come back at −∞. Nodes are told apart by the
addresses that their neighbours send to; a memory learns nothing else about them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np

from garden.errors import SpecError, did_you_mean, expect
from garden.graphs.cells import shown
from garden.strategies.base import Strategy
from garden.strategies.representations import Representations


class Memory(ABC):
    """A rule that the holder applies to its neighbours' scores before it chooses."""

    name: str

    @property
    def address(self) -> str:
        """The name and whatever else its walks depend on: stored results are found again by it."""
        return self.name

    @abstractmethod
    def start(self) -> Any:
        """The state of a message that nobody has held yet."""

    @abstractmethod
    def recall(
        self, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """The scores as the memory sees them, and the state that travels on."""

    def among(self, representations: Representations) -> Self:
        """The memory where nodes have announced these; most have no use for them."""
        return self


class BatchMemory(Memory):
    """A memory that recalls for many messages at once, each with candidates of its own."""

    @abstractmethod
    def start_many(self, count: int) -> Any:
        """States of this many messages, indexed by message."""

    @abstractmethod
    def recall_many(
        self,
        states: Any,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, Any]:
        """Scores as the memory sees them, and the states that travel on.

        Candidates of all messages stand in one list, in the messages' order; ``owner`` says which
        message each belongs to.
        """

    def start(self) -> Any:
        """The state of one message."""
        return self.start_many(1)

    def recall(
        self, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """The same for one message."""
        owner = np.zeros(len(candidates), dtype=np.int64)
        return self.recall_many(state, np.array([holder]), candidates, scores, owner)


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


@dataclass(frozen=True)
class Passed:
    """A neighbour passed by: what it was worth where it was seen, and where that was."""

    node: int
    worth: float
    gate: int


@dataclass(frozen=True)
class Map:
    """The tree of nodes met, the neighbours passed by, and the way that is being walked."""

    came_from: Mapping[int, int] = field(default_factory=dict)  # the source came from itself
    passed: tuple[Passed, ...] = ()
    way: tuple[int, ...] = ()
    last: int = -1


@final
@dataclass(frozen=True)
class FrontierMemory(Memory):
    """Best first: the best neighbour that was ever passed by, less the way back to it.

    A neighbour is worth its score, where scores of different holders' neighbours compare, or else
    the logarithm of the probability that the policy gave it where it was seen. Each hop of the way
    back to that place has a price, and is walked and counted. The price may fall with every node
    met: the longer a message has searched in vain, the less it trusts that it is near.
    """

    hop_price: float = 2.0
    patience: float = 8.0  # nodes met, at which the price has fallen by half
    by_score: bool = False

    name = "frontier"

    @property
    def address(self) -> str:
        """What its walks depend on."""
        worth = "score less " if self.by_score else ""
        fall = f", half after {self.patience:g} nodes" if math.isfinite(self.patience) else ""
        return f"{self.name}: {worth}{self.hop_price:g} a hop{fall}"

    def start(self) -> Map:
        """An empty map."""
        return Map()

    def recall(
        self, state: Map, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Map]:
        """Only the next node of the way keeps its score, or the best new neighbours do."""
        if state.way:
            onward = candidates == state.way[0]
            step = Map(state.came_from, state.passed, state.way[1:], holder)
            return np.where(onward, scores, -np.inf), step
        came_from = {**state.came_from, holder: state.last if state.came_from else holder}
        total = 0.0
        if not self.by_score:
            total = np.log(np.exp(scores - scores.max()).sum()) + scores.max()
        new = [
            Passed(int(node), float(score - total), holder)
            for node, score in zip(candidates, scores, strict=True)
            if int(node) not in came_from
        ]
        passed = (*(one for one in state.passed if one.node != holder), *new)
        ways = {gate: _way(came_from, holder, gate) for gate in {one.gate for one in passed}}
        price = self.hop_price / (1 + len(came_from) / self.patience)
        values = [one.worth - price * len(ways[one.gate]) for one in passed]
        best = max(values, default=-np.inf)
        here = {
            one.node
            for one, value in zip(passed, values, strict=True)
            if one.gate == holder and value == best
        }
        if here or not passed:
            chosen = np.array([int(node) in here for node in candidates])
            step = Map(came_from, passed, (), holder)
            return np.where(chosen, scores, -np.inf), step
        goal = passed[values.index(best)]
        way = (*ways[goal.gate], goal.node)
        return (
            np.where(candidates == way[0], scores, -np.inf),
            Map(came_from, passed, way[1:], holder),
        )


def _way(came_from: Mapping[int, int], start: int, stop: int) -> tuple[int, ...]:
    """The nodes after ``start`` on the tree's way to ``stop``."""
    up = {start: 0}
    node = start
    while came_from[node] != node:
        node = came_from[node]
        up[node] = len(up)
    down = [stop]
    while down[-1] not in up:
        down.append(came_from[down[-1]])
    climb = sorted(up, key=up.__getitem__)[1 : up[down[-1]] + 1]
    return (*climb, *reversed(down[:-1]))


MEMORIES: Mapping[str, Memory] = {
    memory.name: memory
    for memory in (NoMemory(), VisitedMemory(), BacktrackMemory(), FrontierMemory())
}


RULES = tuple(name for name in MEMORIES if name != NoMemory.name)
"""The memories that remember anything, and need no training."""


def memory_named(name: str) -> Memory:
    """The memory with this name."""
    expect("memory", name, str, otherwise="the name of a memory")
    if name in MEMORIES:
        return MEMORIES[name]
    hint = did_you_mean(name, MEMORIES)
    raise SpecError(f"unknown memory {shown(name)}: {hint}choose from {', '.join(MEMORIES)}")


BY_SCORE = FrontierMemory(hop_price=2.0, patience=math.inf, by_score=True)


def memory_for(strategy: Strategy | type[Strategy], name: str) -> Memory:
    """The memory with this name, as it suits a strategy."""
    memory = memory_named(name)
    return BY_SCORE if name == FrontierMemory.name and strategy.scores_compare else memory
