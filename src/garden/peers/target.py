"""The target of messages: each id is handed to its owner at most once, every copy is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from garden.peers.actions import Action, Deliver
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_AGE, Failure, Message, Receipt
from garden.peers.messages import Answer
from garden.peers.signing import Signer, payload_digest, receipt_content
from garden.peers.timers import Timers


@dataclass(eq=False)
class Target:
    """What one agent does with messages for its owner.

    Args:
        timers: The agent's timers.
        act: Is handed what the owner gets.
        signer: Signs receipts.
        config: The agent's patience.
        restarted_at: When the agent came back, where it had an earlier life.
    """

    timers: Timers
    act: Callable[[Action], None]
    signer: Signer
    config: AgentConfig
    restarted_at: int | None
    _handed_over: dict[bytes, Receipt] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        """How many messages were handed over, whose ids are remembered."""
        return len(self._handed_over)

    def answer(self, now: int, message: Message) -> Answer:
        """The answer to a message, which is handed over if it was not before.

        Args:
            now: The time, in milliseconds.
            message: The message.

        Returns:
            A receipt; word of a failure where an earlier life of the agent may have handed it over.
        """
        receipt = self._handed_over.get(message.id)
        if receipt is None:
            if self._was_sent_before_restart(message, now):
                return Failure(message.id, message.attempt, "the target was restarted")
            receipt = self._handed_over[message.id] = self._receipt(message)
            self.timers.at(
                now + MAX_AGE - message.age + self.config.transit, self._drop, message.id
            )
            self.act(Deliver(message.id, message.payload))
        return msgspec.structs.replace(receipt, attempt=message.attempt)

    def _receipt(self, message: Message) -> Receipt:
        digest = payload_digest(message.payload)
        return Receipt(
            id=message.id,
            attempt=message.attempt,
            nonce=message.nonce,
            digest=digest,
            signature=self.signer.sign(receipt_content(message.id, message.nonce, digest)),
            hops=message.hop,
            tries=message.tries,
            path=(),
        )

    def _was_sent_before_restart(self, message: Message, now: int) -> bool:
        """Whether another life of this agent may have handed it over."""
        if self.restarted_at is None:
            return False
        oldest = message.age + (message.hop + 1) * self.config.transit
        return oldest >= now - self.restarted_at

    def _drop(self, now: int, message_id: bytes) -> None:
        self._handed_over.pop(message_id, None)
