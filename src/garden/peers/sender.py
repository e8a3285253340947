"""The sender of messages: attempts over other first neighbours, and one ending for each message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from garden.peers.actions import Action, Ended, Ending
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_AGE, EnvelopeError, Message, Receipt
from garden.peers.messages import Answer, Card, Onward, new_message
from garden.peers.records import Records
from garden.peers.signing import Signer, payload_digest, receipt_content
from garden.peers.timers import Timers


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


@dataclass(eq=False)
class Sender:
    """The messages of one agent's owner that are under way.

    Args:
        key: The agent's.
        onward: Gives the next hop of a message.
        pass_on: Is handed the time, a message to send and first neighbours to leave out.
        records: What the agent remembers of messages.
        timers: Its timers.
        act: Is told how messages end.
        signer: Checks receipts.
        config: The agent's patience.
    """

    key: int
    onward: Onward
    pass_on: Callable[[int, Message, frozenset[int]], None]
    records: Records
    timers: Timers
    act: Callable[[Action], None]
    signer: Signer
    config: AgentConfig
    _outgoing: dict[bytes, _Outgoing] = field(default_factory=dict, init=False)

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
            card: The target's; not the agent's own.
            payload: At most 4,096 bytes.
            message_id: 16 random bytes, of no message that is under way.
            nonce: 16 more.
            now: The time, in milliseconds.
            hop_limit: The hop at which an attempt is given up.
        """
        if card.key == self.key:
            raise EnvelopeError("a message to its own sender")
        if message_id in self._outgoing:
            raise EnvelopeError("a message with an id that is under way")
        message = new_message(card, payload, message_id, nonce, hop_limit, self.config.ttl)
        own = self._outgoing[message_id] = _Outgoing(message, now, payload_digest(payload))
        self._next_attempt(now, own)

    def take_answer(self, now: int, answer: Answer) -> None:
        """An answer has come back to the sender.

        Args:
            now: The time, in milliseconds.
            answer: A receipt counts where it is genuine, word of a failure where it is of the
                present attempt.
        """
        own = self._outgoing.get(answer.id)
        if own is None:
            return
        if isinstance(answer, Receipt):
            content = receipt_content(answer.id, own.message.nonce, own.digest)
            genuine = answer.nonce == own.message.nonce and answer.digest == own.digest
            if genuine and self.signer.verify(own.message.target, content, answer.signature):
                self._end(own, "delivered", answer)
        elif answer.attempt == own.attempt:
            own.reason = answer.reason
            self._after_failure(now, own)

    def note_first(self, message: Message, neighbour: int) -> None:
        """A message of the owner goes to this neighbour first.

        Args:
            message: A message that is sent, the owner's or another's.
            neighbour: The key of the neighbour that it goes to.
        """
        own = self._outgoing.get(message.id)
        if own is not None and message.hop == 0:
            own.firsts |= {neighbour}

    def _after_failure(self, now: int, own: _Outgoing) -> None:
        """Make the next attempt at once; the last one after a wait."""
        wait = self.config.last_wait
        if wait and 0 < own.attempt == self.config.attempts - 2:
            self.timers.at(now + wait, self._waited, own.message.id, own.attempt)
        else:
            self._next_attempt(now, own)

    def _waited(self, now: int, message_id: bytes, attempt: int) -> None:
        own = self._outgoing.get(message_id)
        if own is not None and own.attempt == attempt:
            self._next_attempt(now, own)

    def _next_attempt(self, now: int, own: _Outgoing) -> None:
        own.attempt += 1
        if own.attempt >= self.config.attempts:
            self._end(own, "unknown" if own.timed_out else "failed", None)
            return
        message = msgspec.structs.replace(
            own.message, attempt=own.attempt, age=min(MAX_AGE, now - own.since)
        )
        self.records.of(now, message, None).previous[0] = None
        self.timers.at(now + 2 * self.config.ttl, self._time_out, message.id, own.attempt)
        without = own.firsts
        if without and self.onward(message, without) is None:
            without = frozenset()  # there is no other first neighbour
        self.pass_on(now, message, without)

    def _time_out(self, now: int, message_id: bytes, attempt: int) -> None:
        own = self._outgoing.get(message_id)
        if own is not None and own.attempt == attempt:
            own.timed_out, own.reason = True, "no answer came back"
            self._next_attempt(now, own)

    def _end(self, own: _Outgoing, ending: Ending, receipt: Receipt | None) -> None:
        del self._outgoing[own.message.id]
        reason = "" if receipt else own.reason
        hops, tries = (receipt.hops, receipt.tries) if receipt else (0, 0)
        path = (self.key, *reversed(receipt.path)) if receipt else ()
        attempts = min(own.attempt + 1, self.config.attempts)
        self.act(Ended(own.message.id, ending, reason, attempts, hops, tries, path))
