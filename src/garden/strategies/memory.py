"""Memory: what the message itself remembers, as a rule on top of any strategy.

A memory maps (its state in the message, the holder, the candidates and their scores) to (new
scores, new state). Candidates forbidden by the rule get −∞. Nodes are identified by the addresses
that their neighbours send to; a memory knows nothing else about them.

In the definitions below h is the holder, N(h) its neighbours, s_v their scores and s'_v what the
memory makes of them. These classes are the definitions; the compiled walks equal them hop for hop.
"""

from __future__ import annotations

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
