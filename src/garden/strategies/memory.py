"""Memory: what the message itself remembers, as a rule on top of any strategy.

A memory maps (its state in the message, the holder, the candidates and their scores) to (new
scores, new state). Candidates forbidden by the rule get −∞. Nodes are identified by the addresses
that their neighbours send to; a memory knows nothing else about them.

In the definitions below h is the holder, N(h) its neighbours, s_v their scores and s'_v what the
memory makes of them. These classes are the definitions; the compiled walks equal them hop for hop.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, final

import numpy as np

from garden.strategies.representations import Representations


class RowTable(Protocol):
    """Rows of a strategy, one per node, at hand or made when they are asked for."""

    def take(self, nodes: np.ndarray) -> Representations:
        """The rows of these nodes, (num_taken,) addresses, in this order."""
        ...


class Memory(ABC):
    """A rule that the holder applies to its neighbours' scores before it chooses.

    Attributes:
        name: As reports and ``NAME+MEMORY`` call it.

    """

    name: str

    @property
    def address(self) -> str:
        """The name and all parameters that its walks depend on: the address of stored results."""
        return self.name

    @abstractmethod
    def start(self) -> Any:
        """The state of a message that nobody has held yet."""

    @abstractmethod
    def recall(
        self, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """The scores by which the holder chooses, and the state that the message takes along.

        Args:
            state: The state in the message as the holder received it.
            holder: Its address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.

        Returns:
            (num_candidates,) new scores, −∞ where the rule forbids, and the new state.

        """

    def among(self, rows: RowTable) -> Self:
        """The memory for a graph whose nodes have these rows; most do not use them."""
        return self

    def towards(self, target: int) -> Self:
        """The memory of messages to the node at this address; most know nothing of it."""
        return self


class BatchMemory(Memory):
    """A memory that works on many messages at once, each with candidates of its own."""

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
        """:meth:`recall` of many messages, their candidates concatenated in the messages' order.

        Args:
            states: The states of the messages, indexed by message.
            holders: (num_messages,) addresses.
            candidates: (num_candidates,) addresses, of all messages.
            scores: (num_candidates,) scores of the strategy.
            owner: (num_candidates,) the message that each belongs to, ascending.

        Returns:
            (num_candidates,) new scores and the new states.

        """

    def start(self) -> Any:
        """The state of one message."""
        return self.start_many(1)

    def recall(
        self, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """:meth:`recall_many` of one message.

        Args:
            state: Its state, as :meth:`start` gives it.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
        owner = np.zeros(len(candidates), dtype=np.int64)
        return self.recall_many(state, np.array([holder]), candidates, scores, owner)


def recalled_in_turn(
    recall: Callable[[Any, int, np.ndarray, np.ndarray], tuple[np.ndarray, Any]],
    states: np.ndarray,
    holders: np.ndarray,
    candidates: np.ndarray,
    scores: np.ndarray,
    owner: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """What :meth:`BatchMemory.recall_many` gives, by one message after another.

    Args:
        recall: The rule of one message, with the arguments of :meth:`Memory.recall`.
        states: (num_messages,) objects.
        holders: (num_messages,) addresses.
        candidates: (num_candidates,) addresses, of all messages.
        scores: (num_candidates,) scores of the strategy.
        owner: (num_candidates,) the message that each belongs to, ascending.

    """
    recalled, after = np.empty_like(scores), np.empty_like(states)
    bounds = np.searchsorted(owner, np.arange(len(states) + 1)).tolist()
    for message, holder in enumerate(holders.tolist()):
        mine = slice(bounds[message], bounds[message + 1])
        recalled[mine], after[message] = recall(
            states[message], holder, candidates[mine], scores[mine]
        )
    return recalled, after


@final
class NoMemory(Memory):
    """The paper's memoryless search: s'_v = s_v."""

    name = "none"

    def start(self) -> None:
        """Nothing: a message without memory has no state."""

    def recall(
        self, state: None, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, None]:
        """The scores as they are.

        Args:
            state: None.
            holder: The holder's address, which does not matter.
            candidates: (num_candidates,) addresses of its neighbours; nor do these.
            scores: (num_candidates,) scores of the strategy, which come back.
        """
        return scores, None


@dataclass(frozen=True)
class Visits:
    """How often each node has held the message."""

    counts: Mapping[int, int] = field(default_factory=dict)


@final
class VisitedMemory(Memory):
    """Unvisited neighbours first; where there is none, the least visited.

    With c_v how often v has held the message: s'_v = s_v where c_v = min_{w ∈ N(h)} c_w, else −∞.
    """

    name = "visited"

    def start(self) -> Visits:
        """No node has held the message."""
        return Visits()

    def recall(
        self, state: Visits, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Visits]:
        """Only the least visited candidates keep their scores.

        Args:
            state: How often each node has held the message.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
        counts = {**state.counts, holder: state.counts.get(holder, 0) + 1}
        visits = np.array([counts.get(candidate, 0) for candidate in candidates.tolist()])
        return np.where(visits == visits.min(), scores, -np.inf), Visits(counts)


@dataclass(frozen=True)
class Trail:
    """The nodes that have held the message, and the path from the source to the holder."""

    met: frozenset[int] = frozenset()
    way_back: tuple[int, ...] = ()  # from the source; the holder's own address is the last


@final
class BacktrackMemory(Memory):
    """A depth-first search: the best neighbour that is new, else one step back.

    With M the nodes that have held the message and U = N(h) − M: s'_v = s_v for the v ∈ U with
    s_v = max_U s, else −∞; where U is empty, s'_v = s_v for the node from which h was first
    reached, else −∞.

    Each edge of the search tree is walked at most twice, so that the message arrives within
    2 · (nodes − 1) hops wherever the hop limit allows as many.
    """

    name = "backtrack"

    def start(self) -> Trail:
        """An empty trail: no node has held the message yet."""
        return Trail()

    def recall(
        self, state: Trail, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Trail]:
        """Scores and state of the next hop by the rule of the class.

        Args:
            state: The nodes met, and the way back.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
        way_back = state.way_back
        if holder not in state.met:
            way_back = (*way_back, holder)
        met = state.met | {holder}
        new = np.array([candidate not in met for candidate in candidates.tolist()])
        if new.any():
            best = scores[new].max()
            return np.where(new & (scores == best), scores, -np.inf), Trail(met, way_back)
        way_back = way_back[:-1]
        back = candidates == way_back[-1]
        return np.where(back, scores, -np.inf), Trail(met, way_back)


@dataclass(frozen=True)
class Passed:
    """A neighbour that was not chosen: its value where it was a candidate, and whose it was."""

    node: int
    value: float
    gate: int  # the holder that has it as a neighbour


@dataclass(frozen=True)
class Map:
    """The search tree, the neighbours not chosen yet, and the path being followed."""

    came_from: Mapping[int, int] = field(default_factory=dict)  # parents; the source is its own
    passed: tuple[Passed, ...] = ()
    way: tuple[int, ...] = ()  # the nodes ahead
    last: int = -1  # the previous holder


@final
@dataclass(frozen=True)
class FrontierMemory(Memory):
    """Best-first search: the best of all neighbours ever passed by, less the cost of going back.

    Among the pairs (v, g) of an unvisited node v and a visited node g with v ∈ N(g), the message
    goes to the one that maximises

        value(v, g) − p · d(h, g),        p = hop_price / (1 + m / patience),

    with d(h, g) the hops from the holder back to g in the tree of visited nodes, all of them walked
    and counted, and m the number of visited nodes: the longer the search, the less a hop back
    costs. value(v, g) is the score s_v where scores of different holders' neighbours compare
    (``by_score``), else log softmax(s)_v among the neighbours of g.
    """

    hop_price: float = 2.0
    patience: float = 8.0  # visited nodes at which the price has fallen by half
    by_score: bool = False

    name = "frontier"

    @property
    def address(self) -> str:
        """The name, the price of a hop and how it falls."""
        value = "score less " if self.by_score else ""
        fall = f", half after {self.patience:g} nodes" if math.isfinite(self.patience) else ""
        return f"{self.name}: {value}{self.hop_price:g} a hop{fall}"

    def start(self) -> Map:
        """An empty map: nothing is visited and the frontier has no node."""
        return Map()

    def recall(
        self, state: Map, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Map]:
        """Only the next node of the path keeps its score, or the best new neighbours do.

        Args:
            state: The tree, the nodes passed by, and the way ahead.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
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
        ways = {gate: way_in_tree(came_from, holder, gate) for gate in {one.gate for one in passed}}
        price = self.hop_price / (1 + len(came_from) / self.patience)
        values = [one.value - price * len(ways[one.gate]) for one in passed]
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


def way_in_tree(came_from: Mapping[int, int], start: int, stop: int) -> tuple[int, ...]:
    """The nodes after one on the path to another in the tree of visited nodes.

    Args:
        came_from: The parent of each; the root is its own.
        start: Where the path begins.
        stop: The node that it ends with.
    """
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
