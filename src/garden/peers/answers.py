"""Answers on their way back: receipts, and word of failures.

An answer goes to whom the message came from first, so that loops are left out. It is repeated until
it is acknowledged; where the holder before does not answer, an earlier one is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from garden.peers.config import AgentConfig
from garden.peers.envelopes import AnswerAck, Body, Receipt
from garden.peers.messages import Answer
from garden.peers.records import Records
from garden.peers.timers import Timers
from garden.peers.waits import Waits


@dataclass(eq=False)
class _Returning:
    """An answer that waits until the holder before has it."""

    answer: Answer
    ways: Iterator[int]
    neighbour: int
    sendings: int = 0


@dataclass(eq=False)
class Answers:
    """The answers that one agent makes or passes back.

    Args:
        key: The agent's.
        records: What it remembers of messages.
        timers: Its timers.
        send: Sends a body to a neighbour.
        suspect: Is told of a neighbour that does not answer, and the time.
        arrived: Is handed the time and an answer to a message of the agent's own.
        waits: How long neighbours are waited for.
        config: The agent's patience.
    """

    key: int
    records: Records
    timers: Timers
    send: Callable[[int, Body], None]
    suspect: Callable[[int, int], None]
    arrived: Callable[[int, Answer], None]
    waits: Waits
    config: AgentConfig
    _returning: dict[tuple[bytes, int, bool], _Returning] = field(default_factory=dict, init=False)

    def take(self, sender: int, answer: Answer, now: int) -> None:
        """A neighbour returns a receipt or word of a failure.

        Args:
            sender: The neighbour's key.
            answer: What it returns; of a message that never went to it, nothing is done.
            now: The time, in milliseconds.
        """
        record = self.records.get(answer.id, answer.attempt)
        if record is None or sender not in record.sent_to:
            return
        record.seen.add(type(answer))
        self.send(sender, AnswerAck(answer.id, answer.attempt, isinstance(answer, Receipt)))
        if type(answer) not in record.answered:
            self.give(now, answer)

    def acknowledged(self, sender: int, ack: AnswerAck, now: int) -> None:
        """The holder before has an answer.

        Args:
            sender: The holder's key.
            ack: Which answer it has.
            now: The time, in milliseconds.
        """
        place = (ack.id, ack.attempt, ack.delivered)
        waiting = self._returning.get(place)
        if waiting is not None and waiting.neighbour == sender:
            del self._returning[place]
            record = self.records.get(ack.id, ack.attempt)
            if record is not None:
                record.answered.add(type(waiting.answer))

    def give(self, now: int, answer: Answer) -> None:
        """Pass an answer to whom the message came from first, so that loops are left out.

        Args:
            now: The time, in milliseconds.
            answer: Made here, or returned by a neighbour.
        """
        place = (answer.id, answer.attempt, isinstance(answer, Receipt))
        record = self.records.get(answer.id, answer.attempt)
        if record is None or place in self._returning:
            return
        if None in record.previous.values():
            self.arrived(now, answer)
            return
        if isinstance(answer, Receipt):
            answer = msgspec.structs.replace(answer, path=(*answer.path, self.key))
        ways = dict.fromkeys(record.previous[hop] for hop in sorted(record.previous))
        waiting = _Returning(answer, iter([way for way in ways if way is not None]), -1)
        self._returning[place] = waiting
        self._return_next(now, place, waiting)

    def neighbour_lost(self, neighbour: int, now: int) -> None:
        """What waits for a neighbour that is gone goes another way.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        for place, waiting in list(self._returning.items()):
            if waiting.neighbour == neighbour:
                self._return_next(now, place, waiting)

    def _return_next(self, now: int, place: tuple[bytes, int, bool], waiting: _Returning) -> None:
        if self._returning.get(place) is not waiting:
            return  # it has arrived already
        waiting.neighbour = next(waiting.ways, -1)
        waiting.sendings = 0
        if waiting.neighbour < 0:
            del self._returning[place]
            return
        self._send_answer(now, place, waiting, waiting.neighbour)

    def _send_answer(
        self, now: int, place: tuple[bytes, int, bool], waiting: _Returning, neighbour: int
    ) -> None:
        """Send an answer, again and again, until it is time for another way."""
        if self._returning.get(place) is not waiting or waiting.neighbour != neighbour:
            return
        wait = self.waits.ack_wait(neighbour)
        if waiting.sendings and self.waits.is_under_way(neighbour):
            self.timers.at(now + wait, self._send_answer, place, waiting, neighbour)
            return
        if waiting.sendings > self.config.repeats:
            self.suspect(neighbour, now)
            self._return_next(now, place, waiting)
            return
        if not waiting.sendings or not self.waits.is_unread(neighbour):
            self.send(neighbour, waiting.answer)
        self.timers.at(
            now + (wait << waiting.sendings), self._send_answer, place, waiting, neighbour
        )
        waiting.sendings += 1
