"""Delivery: how an agent takes messages, passes them on, and answers for them.

A message is known by (id, attempt, hop): the same again is acknowledged and dropped, the same id at
another hop is an ordinary revisit. A holder sends to the neighbour of its choice, repeats with
doubled waits, and takes the next best where that one does not answer. The target hands each id to
its owner at most once and answers every copy with a receipt, which returns the way the message
came, loops left out; so does word of a failure. At the sender a message ends once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from garden.errors import GardenError
from garden.peers.actions import Action, Deliver, Ended, Ending
from garden.peers.config import AgentConfig
from garden.peers.envelopes import (
    ID_BYTES,
    MAX_AGE,
    MAX_HOPS,
    MAX_PAYLOAD,
    MAX_TRIES,
    Ack,
    AnswerAck,
    Body,
    EnvelopeError,
    Failure,
    Message,
    Receipt,
)
from garden.peers.signing import Signer, payload_digest, receipt_content
from garden.peers.timers import Timers

Onward = Callable[[Message, frozenset[int]], "NextHop | None"]
Answer = Receipt | Failure


class Card(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a sender must know of a target."""

    key: int
    row: bytes


def new_message(
    card: Card,
    payload: bytes,
    message_id: bytes,
    nonce: bytes,
    hop_limit: int = MAX_HOPS,
    ttl: int = MAX_AGE,
) -> Message:
    """A message that nobody has passed on yet.

    Args:
        card: The target's.
        payload: At most 4,096 bytes.
        message_id: 16 random bytes, which all random choices on its way come from.
        nonce: 16 more, which the receipt repeats.
        hop_limit: The hop at which it is given up, at most 4,096.
        ttl: Milliseconds that it may travel.
    """
    if len(payload) > MAX_PAYLOAD:
        raise EnvelopeError(f"a payload of {len(payload)} bytes: {MAX_PAYLOAD} are allowed")
    if not 1 <= hop_limit <= MAX_HOPS:
        raise EnvelopeError(f"a hop limit of {hop_limit}: choose 1 to {MAX_HOPS}")
    if len(message_id) != ID_BYTES or len(nonce) != ID_BYTES:
        raise EnvelopeError(f"ids and nonces have {ID_BYTES} bytes")
    return Message(
        id=message_id,
        attempt=0,
        hop=0,
        hop_limit=hop_limit,
        ttl=ttl,
        age=0,
        tries=0,
        target=card.key,
        row=card.row,
        memory=b"",
        nonce=nonce,
        payload=payload,
    )


@dataclass(frozen=True)
class NextHop:
    """Where a message goes, and the message as it goes there."""

    neighbour: int  # its key
    message: Message


@dataclass(eq=False)
class _Record:
    """What a holder remembers of one attempt: where it came from, and whom it was sent to."""

    previous: dict[int, int | None] = field(default_factory=dict)  # by hop; None: own message
    sent_to: set[int] = field(default_factory=set)
    answered: set[type[Answer]] = field(default_factory=set)  # passed on, and acknowledged


@dataclass(eq=False)
class _Held:
    """A message that waits until the next holder has it."""

    message: Message
    since: int
    without: frozenset[int]  # neighbours that were tried, or may not be taken
    neighbour: int = -1
    onward: Message | None = None
    sendings: int = 0


@dataclass(eq=False)
class _Returning:
    """An answer that waits until the holder before has it."""

    answer: Answer
    ways: Iterator[int]
    neighbour: int
    sendings: int = 0


@dataclass(eq=False)
class _Outgoing:
    """A message of this agent's owner."""

    message: Message
    since: int
    digest: bytes
    attempt: int = -1
    firsts: frozenset[int] = frozenset()
    timed_out: bool = False
    reason: str = ""


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
        config: AgentConfig,
        restarted_at: int | None,
    ) -> None:
        self._key = key
        self._onward = onward
        self._timers = timers
        self._send = send
        self._act = act
        self._suspect = suspect
        self._signer = signer
        self._config = config
        self._restarted_at = restarted_at
        self._records: dict[tuple[bytes, int], _Record] = {}
        self._held: dict[tuple[bytes, int, int], _Held] = {}
        self._returning: dict[tuple[bytes, int, bool], _Returning] = {}
        self._handed_over: dict[bytes, Receipt] = {}
        self._outgoing: dict[bytes, _Outgoing] = {}

    @property
    def num_held(self) -> int:
        """Messages that wait for an acknowledgement."""
        return len(self._held)

    @property
    def num_records(self) -> int:
        """Attempts and ids that are remembered."""
        return len(self._records) + len(self._handed_over)

    # The sender

    def start(
        self,
        card: Card,
        payload: bytes,
        message_id: bytes,
        nonce: bytes,
        now: int,
        hop_limit: int,
    ) -> None:
        """Send a message of this agent's owner."""
        if card.key == self._key:
            raise EnvelopeError("a message to its own sender")
        if message_id in self._outgoing:
            raise EnvelopeError("a message with an id that is under way")
        message = new_message(card, payload, message_id, nonce, hop_limit, self._config.ttl)
        own = self._outgoing[message_id] = _Outgoing(message, now, payload_digest(payload))
        self._next_attempt(now, own)

    def _next_attempt(self, now: int, own: _Outgoing) -> None:
        own.attempt += 1
        if own.attempt >= self._config.attempts:
            self._end(own, "unknown" if own.timed_out else "failed", None)
            return
        message = msgspec.structs.replace(
            own.message, attempt=own.attempt, age=min(MAX_AGE, now - own.since)
        )
        self._record(now, message)[1].previous[0] = None
        self._timers.at(now + 2 * self._config.ttl, self._time_out, message.id, own.attempt)
        held = _Held(message, now, own.firsts)
        if own.firsts and self._onward(message, own.firsts) is None:
            held.without = frozenset()  # there is no other first neighbour
        self._pass_on(now, held)

    def _time_out(self, now: int, message_id: bytes, attempt: int) -> None:
        own = self._outgoing.get(message_id)
        if own is not None and own.attempt == attempt:
            own.timed_out, own.reason = True, "no answer came back"
            self._next_attempt(now, own)

    def _ended_attempt(self, now: int, answer: Answer) -> None:
        """An answer has come back to the sender."""
        own = self._outgoing.get(answer.id)
        if own is None:
            return
        if isinstance(answer, Receipt):
            content = receipt_content(answer.id, own.message.nonce, own.digest)
            genuine = answer.nonce == own.message.nonce and answer.digest == own.digest
            if genuine and self._signer.verify(own.message.target, content, answer.signature):
                self._end(own, "delivered", answer)
        elif answer.attempt == own.attempt:
            own.reason = answer.reason
            self._next_attempt(now, own)

    def _end(self, own: _Outgoing, ending: Ending, receipt: Receipt | None) -> None:
        del self._outgoing[own.message.id]
        reason = "" if receipt else own.reason
        hops, tries = (receipt.hops, receipt.tries) if receipt else (0, 0)
        path = (self._key, *reversed(receipt.path)) if receipt else ()
        attempts = min(own.attempt + 1, self._config.attempts)
        self._act(Ended(own.message.id, ending, reason, attempts, hops, tries, path))

    # The holder

    def take(self, sender: int, message: Message, now: int) -> None:
        """A neighbour sends a message."""
        record = self._records.get((message.id, message.attempt))
        known = record is not None and message.hop in record.previous
        if not known and self._is_busy(message):
            self._send(sender, Ack(message.id, message.attempt, message.hop, False))
            return
        self._send(sender, Ack(message.id, message.attempt, message.hop, True))
        if known or message.hop == 0:
            return
        self._record(now, message)[1].previous[message.hop] = sender
        if message.target == self._key:
            self._hand_over(now, message)
        elif message.hop >= message.hop_limit:
            self._fail(now, message, "hop limit")
        else:
            self._pass_on(now, _Held(message, now, frozenset()))

    def acknowledged(self, sender: int, ack: Ack, now: int) -> None:
        """The next holder has a message, or is busy."""
        place = (ack.id, ack.attempt, ack.hop - 1)
        held = self._held.get(place)
        if held is None or held.neighbour != sender:
            return
        if ack.taken:
            del self._held[place]
        else:
            self._try_next(now, held)

    def neighbour_lost(self, neighbour: int, now: int) -> None:
        """What waits for a neighbour that is gone goes elsewhere."""
        for held in [one for one in self._held.values() if one.neighbour == neighbour]:
            self._try_next(now, held)
        for key, waiting in list(self._returning.items()):
            if waiting.neighbour == neighbour:
                self._return_next(now, key, waiting)

    def _is_busy(self, message: Message) -> bool:
        full = len(self._held) >= self._config.max_held
        return full or self.num_records >= self._config.max_records

    def _record(self, now: int, message: Message) -> tuple[bool, _Record]:
        place = (message.id, message.attempt)
        if place in self._records:
            return False, self._records[place]
        record = self._records[place] = _Record()
        life = 2 * message.ttl + self._config.transit
        self._timers.at(now + life, self._forget, place)
        return True, record

    def _forget(self, now: int, place: tuple[bytes, int]) -> None:
        self._records.pop(place, None)

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
        record = self._records.get((message.id, message.attempt))
        if record is not None:
            record.sent_to.add(neighbour)
        own = self._outgoing.get(message.id)
        if own is not None and message.hop == 0:
            own.firsts |= {neighbour}

    def _send_held(self, now: int, held: _Held, neighbour: int) -> None:
        """Send a held message, again and again, until it is time for the next neighbour."""
        message, onward = held.message, held.onward
        place = (message.id, message.attempt, message.hop)
        if self._held.get(place) is not held or held.neighbour != neighbour or onward is None:
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
        held.onward = msgspec.structs.replace(
            onward,
            ttl=message.ttl - elapsed,
            age=min(MAX_AGE, message.age + elapsed),
            tries=min(MAX_TRIES, onward.tries + 1),
        )
        self._send(neighbour, held.onward)
        wait = self._config.ack_wait << held.sendings
        held.sendings += 1
        self._timers.at(now + wait, self._send_held, held, neighbour)

    def _try_next(self, now: int, held: _Held) -> None:
        place = (held.message.id, held.message.attempt, held.message.hop)
        if self._held.get(place) is not held:
            return  # it has gone on already
        del self._held[place]
        held.without |= {held.neighbour}
        if held.onward is not None:
            held.message = msgspec.structs.replace(held.message, tries=held.onward.tries)
        self._pass_on(now, held)

    # The target

    def _hand_over(self, now: int, message: Message) -> None:
        receipt = self._handed_over.get(message.id)
        if receipt is None:
            if self._was_sent_before_restart(message, now):
                self._fail(now, message, "the target was restarted")
                return
            digest = payload_digest(message.payload)
            content = receipt_content(message.id, message.nonce, digest)
            receipt = Receipt(
                id=message.id,
                attempt=message.attempt,
                nonce=message.nonce,
                digest=digest,
                signature=self._signer.sign(content),
                hops=message.hop,
                tries=message.tries,
                path=(),
            )
            self._handed_over[message.id] = receipt
            self._timers.at(
                now + MAX_AGE - message.age + self._config.transit, self._drop, message.id
            )
            self._act(Deliver(message.id, message.payload))
        self._return(now, msgspec.structs.replace(receipt, attempt=message.attempt))

    def _was_sent_before_restart(self, message: Message, now: int) -> bool:
        """Whether another life of this agent may have handed it over."""
        if self._restarted_at is None:
            return False
        oldest = message.age + (message.hop + 1) * self._config.transit
        return oldest >= now - self._restarted_at

    def _drop(self, now: int, message_id: bytes) -> None:
        self._handed_over.pop(message_id, None)

    # Answers

    def _fail(self, now: int, message: Message, reason: str) -> None:
        self._return(now, Failure(message.id, message.attempt, reason))

    def take_answer(self, sender: int, answer: Answer, now: int) -> None:
        """A neighbour returns a receipt or word of a failure."""
        record = self._records.get((answer.id, answer.attempt))
        if record is None or sender not in record.sent_to:
            return
        self._send(sender, AnswerAck(answer.id, answer.attempt, isinstance(answer, Receipt)))
        if type(answer) not in record.answered:
            self._return(now, answer)

    def answer_acknowledged(self, sender: int, ack: AnswerAck, now: int) -> None:
        """The holder before has an answer."""
        place = (ack.id, ack.attempt, ack.delivered)
        waiting = self._returning.get(place)
        if waiting is not None and waiting.neighbour == sender:
            del self._returning[place]
            record = self._records.get((ack.id, ack.attempt))
            if record is not None:
                record.answered.add(type(waiting.answer))

    def _return(self, now: int, answer: Answer) -> None:
        """Pass an answer to whom the message came from first, so that loops are left out."""
        place = (answer.id, answer.attempt, isinstance(answer, Receipt))
        record = self._records.get(place[:2])
        if record is None or place in self._returning:
            return
        if None in record.previous.values():
            self._ended_attempt(now, answer)
            return
        if isinstance(answer, Receipt):
            answer = msgspec.structs.replace(answer, path=(*answer.path, self._key))
        ways = dict.fromkeys(record.previous[hop] for hop in sorted(record.previous))
        waiting = _Returning(answer, iter([way for way in ways if way is not None]), -1)
        self._returning[place] = waiting
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
        if waiting.sendings > self._config.repeats:
            self._suspect(neighbour, now)
            self._return_next(now, place, waiting)
            return
        self._send(neighbour, waiting.answer)
        wait = self._config.ack_wait << waiting.sendings
        waiting.sendings += 1
        self._timers.at(now + wait, self._send_answer, place, waiting, neighbour)
