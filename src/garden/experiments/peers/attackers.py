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
        """Take messages of others its own way; keep links as an honest agent does."""
        sender, body = envelope.sender, envelope.body
        if isinstance(body, Message) and body.target != self.key and sender in self._links:
            return [*super().wake(now), *self.attack(sender, body, now)]
        if isinstance(body, Receipt | Failure) and sender in self._links:
            return [self._to(sender, AnswerAck(body.id, body.attempt, isinstance(body, Receipt)))]
        return super().receive(envelope, now)

    def attack(self, sender: int, message: Message, now: int) -> list[Action]:
        """What to do with a message of others: say that it was taken."""
        return [self._to(sender, Ack(message.id, message.attempt, message.hop, True))]

    def _to(self, neighbour: int, body: Body) -> Send:
        return Send(Envelope(self.key, neighbour, body))

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

    def attack(self, sender: int, message: Message, now: int) -> list[Action]:
        """Acknowledge, and return a receipt as the target would, but for the signature."""
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
        return [*super().attack(sender, message, now), self._to(sender, receipt)]


class Misrouting(Attacker):
    """Passes messages on to a neighbour drawn at random."""

    def receive(self, envelope: Envelope, now: int) -> list[Action]:
        """Answer an envelope as an honest agent does; only the next hop is chosen otherwise."""
        return Agent.receive(self, envelope, now)

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        chosen = super()._next_hop(message, without)
        there = [one for one in self._knowledge.candidates.keys.tolist() if one not in without]
        if chosen is None or not there:
            return chosen
        draw = hashlib.sha256(message.id + bytes([message.attempt]) + b"%d" % message.hop).digest()
        return NextHop(there[int.from_bytes(draw[:4], "big") % len(there)], chosen.message)


class ForgingHops(Misrouting):
    """Passes messages on with a hop count at their limit, so that they fail soon."""

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        chosen = Agent._next_hop(self, message, without)
        if chosen is None:
            return None
        late = max(chosen.message.hop, message.hop_limit - 1)
        return NextHop(chosen.neighbour, replace(chosen.message, hop=late))


class Replaying(Misrouting):
    """Passes messages on, and sends each one again at another hop and as another attempt."""

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        return Agent._next_hop(self, message, without)

    def _send(self, neighbour: int, body: Body) -> None:
        super()._send(neighbour, body)
        if isinstance(body, Message) and body.hop < body.hop_limit:
            super()._send(neighbour, body)
            super()._send(neighbour, replace(body, hop=body.hop + 1))
            super()._send(neighbour, replace(body, attempt=7))


class Flooding(Misrouting):
    """Passes messages on, and sends twenty of its own with each."""

    PER_MESSAGE: ClassVar[int] = 20

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        return Agent._next_hop(self, message, without)

    def receive(self, envelope: Envelope, now: int) -> list[Action]:
        """As an honest agent, and one flood for each message."""
        actions = Agent.receive(self, envelope, now)
        body = envelope.body
        if not isinstance(body, Message) or body.hop_limit == FLOOD_HOPS:
            return actions
        if envelope.sender not in self._links:
            return actions
        neighbours = self._knowledge.candidates.keys.tolist()
        for number in range(self.PER_MESSAGE if neighbours else 0):
            draw = hashlib.sha256(body.id + b"%d %d" % (number, self.key)).digest()
            made = new_message_from(body, draw[:16])
            actions.append(self._to(neighbours[number % len(neighbours)], made))
        return actions


def new_message_from(message: Message, message_id: bytes) -> Message:
    """Another message to the same target, one hop old; floods do not breed floods."""
    card = Card(message.target, message.row)
    made = new_message(card, b"", message_id, message_id, FLOOD_HOPS, 10_000)
    return replace(made, hop=1)


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
