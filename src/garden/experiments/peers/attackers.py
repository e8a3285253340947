"""Peers that lie: each class is one attack, in the place of an honest agent.

They are written against the agent as it is, so that every defence can be tested by running them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from garden.peers.actions import Action, Send
from garden.peers.agent import Agent
from garden.peers.envelopes import (
    Ack,
    Announcement,
    AnswerAck,
    Body,
    Envelope,
    Failure,
    Message,
    Receipt,
)
from garden.peers.messages import Card, NextHop, new_message
from garden.peers.signing import Signer, Unsigned, payload_digest

FLOOD_HOPS = 63  # the hop limit by which floods are known


class Attacker(Agent):
    """An agent that acknowledges what it should pass on, and drops it."""

    attracts: ClassVar[bool] = False
    """Whether it announces a row that draws messages."""

    bait: bytes | None = None  # a row that draws messages, of strategies without rounds
    own_signer: Signer = Unsigned()

    def receive(self, envelope: Envelope, now: int) -> list[Action]:
        """Take messages of others its own way; keep links as an honest agent does.

        Args:
            envelope: What has arrived.
            now: The time, in milliseconds of the agent's clock.
        """
        sender, body = envelope.sender, envelope.body
        if isinstance(body, Message) and body.target != self.key and sender in self._links:
            replies = [Send(Envelope(self.key, sender, reply)) for reply in self.replies(body)]
            return [*super().wake(now), *replies]
        if isinstance(body, Receipt | Failure) and sender in self._links:
            ack = AnswerAck(body.id, body.attempt, isinstance(body, Receipt))
            return [Send(Envelope(self.key, sender, ack))]
        return super().receive(envelope, now)

    def replies(self, message: Message) -> list[Body]:
        """What a message of others is answered with: that it was taken."""
        return [Ack(message.id, message.attempt, message.hop, True)]

    def _send(self, neighbour: int, body: Body) -> None:
        if self.attracts and isinstance(body, Announcement):
            body = self._attractive(body)
        super()._send(neighbour, body)

    def _attractive(self, body: Announcement) -> Announcement:
        """The announcement of somebody next to every beacon, or with another's row."""
        if body.row is not None:
            return replace(body, row=self.bait or body.row)
        near = [
            replace(one, entries=tuple((name, min(far, 1)) for name, far in one.entries))
            for one in body.updates
        ]
        return replace(body, updates=tuple(near))


class Attracting(Attacker):
    """Forged cards: announces what draws messages, then drops them."""

    attracts = True


class FalseBeacons(Attacker):
    """Announces beacons next to it and a degree of the highest class, and drops what comes."""

    attracts = True

    def _attractive(self, body: Announcement) -> Announcement:
        near = super()._attractive(body)
        updates = tuple(
            replace(
                one,
                entries=tuple(
                    (((-40, key) if key == self.key else (rank, key)), far)
                    for (rank, key), far in one.entries
                ),
            )
            for one in near.updates
        )
        return replace(near, updates=updates)


class Claiming(Attacker):
    """Claims to be the target: answers with a receipt of its own."""

    def replies(self, message: Message) -> list[Body]:
        """An acknowledgement, and a receipt as the target's, but for the signature."""
        receipt = Receipt(
            id=message.id,
            attempt=message.attempt,
            nonce=message.nonce,
            digest=payload_digest(message.payload),
            signature=self.own_signer.sign(message.id),
            hops=message.hop,
            tries=message.tries,
            path=(self.key,),
        )
        return [*super().replies(message), receipt]


class Misrouting(Agent):
    """Passes messages on to a neighbour drawn at random."""

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        chosen = super()._next_hop(message, without)
        there = [one for one in self._knowledge.candidates.keys.tolist() if one not in without]
        if chosen is None or not there:
            return chosen
        draw = hashlib.sha256(message.id + bytes([message.attempt]) + b"%d" % message.hop).digest()
        return NextHop(there[int.from_bytes(draw[:4], "big") % len(there)], chosen.message)


class ForgingHops(Agent):
    """Passes messages on with a hop count at their limit, so that they fail soon."""

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        chosen = super()._next_hop(message, without)
        if chosen is None:
            return None
        late = max(chosen.message.hop, message.hop_limit - 1)
        return NextHop(chosen.neighbour, replace(chosen.message, hop=late))


class Replaying(Agent):
    """Passes messages on, and sends each one again at another hop and as another attempt."""

    def _send(self, neighbour: int, body: Body) -> None:
        super()._send(neighbour, body)
        if isinstance(body, Message) and body.hop < body.hop_limit:
            super()._send(neighbour, body)
            super()._send(neighbour, replace(body, hop=body.hop + 1))
            super()._send(neighbour, replace(body, attempt=7))


class Flooding(Agent):
    """Passes messages on, and sends twenty of its own with each."""

    PER_MESSAGE: ClassVar[int] = 20

    def receive(self, envelope: Envelope, now: int) -> list[Action]:
        """As an honest agent, and a flood for each message; floods do not breed floods.

        Args:
            envelope: What has arrived.
            now: The time, in milliseconds of the agent's clock.
        """
        actions = super().receive(envelope, now)
        body = envelope.body
        if not isinstance(body, Message) or body.hop_limit == FLOOD_HOPS:
            return actions
        if envelope.sender not in self._links:
            return actions
        neighbours = self._knowledge.candidates.keys.tolist()
        card = Card(body.target, body.row)
        for number in range(self.PER_MESSAGE if neighbours else 0):
            draw = hashlib.sha256(body.id + b"%d %d" % (number, self.key)).digest()[:16]
            made = replace(new_message(card, b"", draw, draw, FLOOD_HOPS, 10_000), hop=1)
            actions.append(Send(Envelope(self.key, neighbours[number % len(neighbours)], made)))
        return actions


ATTACKS: Mapping[str, type[Agent]] = {
    "drop": Attacker,
    "misroute": Misrouting,
    "forged-cards": Attracting,
    "claim-target": Claiming,
    "false-beacons": FalseBeacons,
    "eclipse": Attacker,
    "replay": Replaying,
    "flood": Flooding,
    "forged-hops": ForgingHops,
}
"""Attacks by name; those of ``eclipse`` stand around one peer, which sends or receives all."""
