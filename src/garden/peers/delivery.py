"""Delivery: how an agent takes messages and passes them on.

A message is known by (id, attempt, hop): the same again is acknowledged and dropped, the same id at
another hop is an ordinary revisit. A holder sends to the neighbour of its choice, repeats with
doubled waits, and takes the next best where that one does not answer. The target hands each id to
its owner at most once and answers every copy with a receipt (:mod:`.target`), which returns the way
the message came, loops left out; so does word of a failure (:mod:`.answers`). At the sender a
message ends once (:mod:`.sender`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from garden.errors import GardenError
from garden.peers.actions import Action
from garden.peers.answers import Answers
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_AGE, MAX_TRIES, Ack, AnswerAck, Body, Failure, Message
from garden.peers.messages import Answer, Card, Onward
from garden.peers.records import Records
from garden.peers.sender import Sender
from garden.peers.signing import Signer
from garden.peers.target import Target
from garden.peers.timers import Timers
from garden.peers.waits import Waits

REPAIRING_HOPS = 16  # holders that send a message again where no answer comes back


@dataclass(eq=False)
class _Held:
    """A message that waits until the next holder has it."""

    message: Message
    since: int
    without: frozenset[int]  # neighbours that were tried, or may not be taken
    neighbour: int = -1
    onward: Message | None = None
    sendings: int = 0
    sent_at: int = 0  # to this neighbour, first


class Delivery:
    """The messages of one agent: its own, those for it, and those that it passes on."""

    def __init__(
        self,
        key: int,
        onward: Onward,
        timers: Timers,
        send: Callable[[int, Body], None],
        act: Callable[[Action], None],
        suspect: Callable[[int, int], None],
        signer: Signer,
        waits: Waits,
        config: AgentConfig,
        restarted_at: int | None,
    ) -> None:
        self._key = key
        self._onward = onward
        self._timers = timers
        self._send = send
        self._suspect = suspect
        self._waits = waits
        self._config = config
        self._held: dict[tuple[bytes, int, int], _Held] = {}
        self._taken: deque[Message] = deque()  # acknowledged, to be passed on at once
        self._records = records = Records(timers, config)
        self._target = Target(timers, act, signer, config, restarted_at)
        self._sender = Sender(key, onward, self._hold, records, timers, act, signer, config)
        self._answers = Answers(
            key, records, timers, send, suspect, self._sender.take_answer, waits, config
        )

    @property
    def num_held(self) -> int:
        """Messages that wait for an acknowledgement."""
        return len(self._held)

    @property
    def num_records(self) -> int:
        """Attempts and ids that are remembered."""
        return len(self._records) + len(self._target)

    def start(
        self,
        card: Card,
        payload: bytes,
        message_id: bytes,
        nonce: bytes,
        now: int,
        hop_limit: int,
    ) -> None:
        """Send a message of this agent's owner.

        Args:
            card: The target's.
            payload: At most 4,096 bytes.
            message_id: 16 random bytes.
            nonce: 16 more.
            now: The time, in milliseconds.
            hop_limit: The hop at which an attempt is given up.
        """
        self._sender.start(card, payload, message_id, nonce, now, hop_limit)

    def take(self, sender: int, message: Message, now: int) -> None:
        """A neighbour sends a message: acknowledge it; :meth:`proceed` passes it on.

        Args:
            sender: The neighbour's key.
            message: The message.
            now: The time, in milliseconds.
        """
        record = self._records.get(message.id, message.attempt)
        known = record is not None and message.hop in record.previous
        if not known and self._is_busy(sender):
            self._send(sender, Ack(message.id, message.attempt, message.hop, False))
            return
        self._send(sender, Ack(message.id, message.attempt, message.hop, True))
        if known or message.hop == 0:
            return
        self._records.of(now, message, sender).previous[message.hop] = sender
        self._taken.append(message)

    def proceed(self, now: int) -> None:
        """Answer the messages that were taken, or pass them on."""
        while self._taken:
            message = self._taken.popleft()
            if message.target == self._key:
                self._answers.give(now, self._target.answer(now, message))
            elif message.hop >= message.hop_limit:
                self._fail(now, message, "hop limit")
            else:
                self._hold(now, message, frozenset())

    def acknowledged(self, sender: int, ack: Ack, now: int) -> None:
        """The next holder has a message, or is busy.

        Args:
            sender: The holder's key.
            ack: Which message, and whether it was taken.
            now: The time, in milliseconds.
        """
        place = (ack.id, ack.attempt, ack.hop - 1)
        held = self._held.get(place)
        if held is None or held.neighbour != sender:
            return
        if ack.taken:
            del self._held[place]
            self._watch(now, held)
        else:
            self._try_next(now, held)

    def neighbour_lost(self, neighbour: int, now: int) -> None:
        """What waits for a neighbour that is gone goes elsewhere.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        for held in [one for one in self._held.values() if one.neighbour == neighbour]:
            self._try_next(now, held)
        self._answers.neighbour_lost(neighbour, now)

    def take_answer(self, sender: int, answer: Answer, now: int) -> None:
        """A neighbour returns a receipt or word of a failure.

        Args:
            sender: The neighbour's key.
            answer: What it returns.
            now: The time, in milliseconds.
        """
        self._answers.take(sender, answer, now)

    def answer_acknowledged(self, sender: int, ack: AnswerAck, now: int) -> None:
        """The holder before has an answer.

        Args:
            sender: The holder's key.
            ack: Which answer it has.
            now: The time, in milliseconds.
        """
        self._answers.acknowledged(sender, ack, now)

    def _hold(self, now: int, message: Message, without: frozenset[int]) -> None:
        self._pass_on(now, _Held(message, now, without))

    def _is_busy(self, sender: int) -> bool:
        config = self._config
        full = len(self._held) >= config.max_held or self.num_records >= config.max_records
        return full or self._records.num_from(sender) >= config.max_per_neighbour

    def _pass_on(self, now: int, held: _Held) -> None:
        """Send a message to the best neighbour that is left."""
        message = held.message
        elapsed = max(1, now - held.since)
        if message.ttl <= elapsed or message.age + elapsed > MAX_AGE:
            self._fail(now, message, "time ran out")
            return
        try:
            chosen = self._onward(message, held.without)
        except GardenError as error:
            self._fail(now, message, str(error)[:80])
            return
        if chosen is None:
            self._fail(now, message, "no neighbour left")
            return
        held.neighbour, held.sendings = chosen.neighbour, 0
        held.onward = chosen.message
        self._held[message.id, message.attempt, message.hop] = held
        self._note_sent(message, chosen.neighbour)
        self._send_held(now, held, chosen.neighbour)

    def _note_sent(self, message: Message, neighbour: int) -> None:
        record = self._records.get(message.id, message.attempt)
        if record is not None:
            record.sent_to.add(neighbour)
        self._sender.note_first(message, neighbour)

    def _send_held(self, now: int, held: _Held, neighbour: int) -> None:
        """Send a held message, again and again, until it is time for the next neighbour."""
        message, onward = held.message, held.onward
        place = (message.id, message.attempt, message.hop)
        if self._held.get(place) is not held or held.neighbour != neighbour or onward is None:
            return
        wait = self._waits.ack_wait(neighbour)
        if not held.sendings:
            held.sent_at = now
        elif now - held.sent_at < self._unread_wait(message) and self._waits.is_under_way(
            neighbour
        ):
            self._timers.at(now + wait, self._send_held, held, neighbour)
            return
        if held.sendings > self._config.repeats:
            self._suspect(neighbour, now)
            self._try_next(now, held)
            return
        elapsed = max(1, now - held.since)
        if message.ttl <= elapsed:
            del self._held[place]
            self._fail(now, message, "time ran out")
            return
        if held.sendings and self._waits.is_unread(neighbour):
            self._await(now, held, neighbour, wait)
            return
        held.onward = msgspec.structs.replace(
            onward,
            ttl=message.ttl - elapsed,
            age=min(MAX_AGE, message.age + elapsed),
            tries=min(MAX_TRIES, onward.tries + 1),
        )
        self._send(neighbour, held.onward)
        self._await(now, held, neighbour, wait)

    def _await(self, now: int, held: _Held, neighbour: int, wait: int) -> None:
        self._timers.at(now + (wait << held.sendings), self._send_held, held, neighbour)
        held.sendings += 1

    def _unread_wait(self, message: Message) -> int:
        """How long a message may wait for a neighbour that has not read it yet."""
        return min(message.ttl, self._config.unread_wait)

    def _try_next(self, now: int, held: _Held) -> None:
        place = (held.message.id, held.message.attempt, held.message.hop)
        if self._held.get(place) is not held:
            return  # it has gone on already
        del self._held[place]
        held.without |= {held.neighbour}
        if held.onward is not None:
            held.message = msgspec.structs.replace(held.message, tries=held.onward.tries)
        self._pass_on(now, held)

    def _watch(self, now: int, held: _Held) -> None:
        """Wait for an answer; holders further on wait less, so that those next to a gap act."""
        hop, wait = held.message.hop, self._config.receipt_wait
        if self._config.max_repairs and hop < REPAIRING_HOPS:
            wait -= hop * wait // (REPAIRING_HOPS + 4)
            self._timers.at(now + wait, self._repair, held)

    def _repair(self, now: int, held: _Held) -> None:
        """Send a message that nobody answered to another neighbour."""
        message, onward = held.message, held.onward
        record = self._records.get(message.id, message.attempt)
        if record is None or record.seen or onward is None:
            return
        if onward.tries - onward.hop >= self._config.max_repairs:
            return
        if (message.id, message.attempt, message.hop) not in self._held:
            held.without |= {held.neighbour}
            held.message = msgspec.structs.replace(message, tries=onward.tries)
            self._pass_on(now, held)

    def _fail(self, now: int, message: Message, reason: str) -> None:
        self._answers.give(now, Failure(message.id, message.attempt, reason))
