"""Which neighbour a message goes to.

The same function of message, rows and memory as the simulator's (:mod:`garden.search.walk`), over
the neighbours that answer.
"""

from __future__ import annotations

import dataclasses
from typing import final

import numpy as np
from msgspec.structs import replace

from garden.peers.envelopes import Message
from garden.peers.knowledge_base import Candidates, Knowledge
from garden.peers.links import Links
from garden.peers.message_memory import decoded_state, encoded_state
from garden.peers.messages import NextHop
from garden.peers.reputation import Reputation
from garden.strategies.base import Strategy, scores_at_holder
from garden.strategies.detours import recalled
from garden.strategies.explore import ExploreMemory
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations, concatenated
from garden.strategies.selection import choice_weights, choose, hop_uniform


@final
class RowsAtHolder:
    """What a holder knows: its own row and those of its neighbours, by their keys."""

    def __init__(self, key: int, row: Representations, candidates: Candidates) -> None:
        """The rows at one holder.

        Args:
            key: The holder's.
            row: The holder's.
            candidates: Its neighbours.
        """
        self._rows = concatenated([candidates.rows, row])
        self._place_of = {key: place for place, key in enumerate([*candidates.keys.tolist(), key])}

    def take(self, nodes: np.ndarray) -> Representations:
        """The rows of these agents, (num_taken,) keys, in this order."""
        return self._rows.take(np.array([self._place_of[key] for key in nodes.tolist()]))


@final
@dataclasses.dataclass(eq=False)
class Chooser:
    """The choices of one agent; they change nothing.

    Args:
        key: The agent's.
        strategy: How it scores its neighbours.
        memory: The rule on what messages remember.
        knowledge: Its neighbours' rows.
        links: Which of them are suspected to be gone.
        reputation: Which of them bring few receipts, where that counts.
    """

    key: int
    strategy: Strategy
    memory: Memory
    knowledge: Knowledge
    links: Links
    reputation: Reputation | None

    def next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        """The next hop over neighbours that answer and bring receipts back, or else over others.

        Args:
            message: The message.
            without: Keys of neighbours that are not to be taken.

        Returns:
            The neighbour, and the message as it goes there; None where nobody is left.
        """
        doubted = self._doubted(message)
        if doubted:
            chosen = self._next_hop_without(message, without | self.links.suspected | doubted)
            if chosen is not None:
                return chosen
        chosen = self._next_hop_without(message, without | self.links.suspected)
        if chosen is None and self.links.suspected - without:
            return self._next_hop_without(message, without)
        return chosen

    def _doubted(self, message: Message) -> frozenset[int]:
        """Neighbours that bring few receipts, or that earlier attempts went to; not the target."""
        if self.reputation is None:
            return frozenset()
        doubted = self.reputation.avoided
        if message.attempt:
            doubted |= self.reputation.used_before(message.id, message.attempt)
        return doubted - {message.target}

    def _next_hop_without(self, message: Message, without: frozenset[int]) -> NextHop | None:
        candidates = self._without(without)
        if len(candidates.keys) == 0:
            return None
        target_row = self.knowledge.decoded_target(message.row)
        state = decoded_state(self.memory, message.memory, self.key)
        scores = scores_at_holder(self.strategy, candidates.rows, target_row)
        memory = self._memory_among(candidates, target_row)
        chosen = recalled(memory, state, self.key, candidates.keys, scores)
        if chosen is None:
            return None
        weights = choice_weights(chosen[0], self.strategy.selection)
        number = hop_uniform(int.from_bytes(message.id, "little"), message.attempt, message.hop)
        neighbour = int(candidates.keys[choose(weights, number)])
        carried = encoded_state(memory, chosen[1])
        return NextHop(neighbour, replace(message, hop=message.hop + 1, memory=carried))

    def _memory_among(self, candidates: Candidates, target_row: Representations) -> Memory:
        """The memory at this holder: `explore` reads the links that rows show."""
        if not isinstance(self.memory, ExploreMemory):
            return self.memory
        rows = RowsAtHolder(self.key, self.knowledge.row, candidates)
        return dataclasses.replace(self.memory, rows=rows, goal=target_row)

    def _without(self, without: frozenset[int]) -> Candidates:
        candidates = self.knowledge.candidates
        if not without:
            return candidates
        kept = np.array([key not in without for key in candidates.keys.tolist()], dtype=bool)
        return Candidates(candidates.keys[kept], candidates.rows.take(np.flatnonzero(kept)))
