"""What a holder remembers of the messages that went through it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from garden.peers.config import AgentConfig
from garden.peers.envelopes import Message
from garden.peers.messages import Answer
from garden.peers.timers import Timers


@dataclass(eq=False)
class Record:
    """What a holder remembers of one attempt: where it came from, and whom it was sent to."""

    previous: dict[int, int | None] = field(default_factory=dict)  # by hop; None: own message
    sent_to: set[int] = field(default_factory=set)
    seen: set[type[Answer]] = field(default_factory=set)  # came back
    answered: set[type[Answer]] = field(default_factory=set)  # passed on, and acknowledged


class Records:
    """The attempts that one agent remembers, each as long as an answer may come."""

    def __init__(self, timers: Timers, config: AgentConfig) -> None:
        self._timers = timers
        self._transit = config.transit
        self._records: dict[tuple[bytes, int], Record] = {}
        self._brought: Counter[int | None] = Counter()  # records by who brought the message first

    def __len__(self) -> int:
        return len(self._records)

    def get(self, message_id: bytes, attempt: int) -> Record | None:
        """What is remembered of an attempt, if anything is.

        Args:
            message_id: 16 bytes.
            attempt: From 0.
        """
        return self._records.get((message_id, attempt))

    def num_from(self, neighbour: int) -> int:
        """How many are of messages that a neighbour brought first."""
        return self._brought[neighbour]

    def of(self, now: int, message: Message, sender: int | None) -> Record:
        """The record of a message's attempt; a new one where it was not known.

        Args:
            now: The time.
            message: The message.
            sender: The neighbour that brings it; None: it is the agent's own.
        """
        place = (message.id, message.attempt)
        if place not in self._records:
            self._records[place] = Record()
            self._brought[sender] += 1
            wait = 2 * message.ttl + self._transit
            self._timers.at(now + wait, self._forget, place, sender)
        return self._records[place]

    def _forget(self, now: int, place: tuple[bytes, int], sender: int | None) -> None:
        if self._records.pop(place, None) is not None:
            self._brought[sender] -= 1
            if not self._brought[sender]:
                del self._brought[sender]
