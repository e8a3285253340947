"""Messages in one shard: each goes on from holder to holder until it leaves the shard or ends.

A request enters at any shard. It goes to the shard of its target, which adds the target's card;
then to the shard of its source, whose node is the first holder. Hops are chosen as peers choose
them (:func:`garden.search.walk.walk_by_keys`): from the holder's neighbours in the order of their
keys, with a random number that the message's id, attempt and hop give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from garden.cluster.shard_files import Shard
from garden.errors import GardenError
from garden.peers.envelopes import Attempt, HopLimit, Key, Message, MessageId
from garden.peers.message_memory import decoded_state, encoded_state
from garden.peers.messages import Card, new_message
from garden.peers.rows import RowForm, encoded_row
from garden.strategies.base import Strategy, scores_at_holder
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights, choose, hop_uniform

Ending: TypeAlias = Literal["delivered", "truncated", "failed"]
_NO_NONCE = bytes(16)  # receipts are not signed here: the shard itself tells the sender


class Request(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A message that nobody holds yet: the card of its target has to be fetched."""

    id: MessageId
    attempt: Attempt
    source: Key
    target: Key
    hop_limit: HopLimit


class Passed(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A message on its way to its next holder."""

    receiver: Key
    message: Message


_DECODER = msgspec.msgpack.Decoder(list[Request | Passed])
encoded_parcels = msgspec.msgpack.Encoder().encode
"""The bytes of a list of requests and messages."""


class AttemptEnded(NamedTuple):
    """How one attempt of a message ended."""

    id: bytes
    attempt: int
    ending: Ending
    hops: int
    reason: str


class Held(NamedTuple):
    """Who held a message after so many hops."""

    id: bytes
    attempt: int
    hop: int
    key: int


@dataclass
class Outcome:
    """What one step of a shard's messages came to."""

    ended: list[AttemptEnded] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    num_bytes: int = 0
    """Bytes for other shards."""

    receivers: list[int] = field(default_factory=list)
    """The shards that there is something for."""


class ShardMessages:
    """The messages of one shard."""

    def __init__(
        self, shard: Shard, rows: Representations, strategy: Strategy, memory: Memory, width: int
    ) -> None:
        """The messages that nodes of one shard hold: none yet.

        Args:
            shard: The shard.
            rows: The settled rows of its local nodes.
            strategy: The strategy.
            memory: The rule on what messages remember.
            width: How many attributes nodes have.
        """
        self._shard = shard
        self._rows = rows
        self._strategy = strategy
        self._memory = memory
        self._form = RowForm.of(self._carried(rows.take(np.arange(1))), strategy, width)

    def step(self, batches: Sequence[bytes]) -> tuple[Outcome, list[bytes]]:
        """Move all messages of these batches on; what happened, and a batch for each shard."""
        outcome = Outcome()
        leaving: list[list[Request | Passed]] = [[] for _ in range(self._shard.num_shards)]
        for batch in batches:
            for parcel in _DECODER.decode(batch):
                onward = self._moved(parcel, outcome)
                if onward is not None:
                    leaving[self._next_shard(onward)].append(onward)
        sent = [encoded_parcels(parcels) for parcels in leaving]
        outcome.receivers = [home for home, parcels in enumerate(leaving) if parcels]
        outcome.num_bytes = sum(len(sent[home]) for home in outcome.receivers)
        return outcome, sent

    def _next_shard(self, parcel: Request | Passed) -> int:
        key = parcel.target if isinstance(parcel, Request) else parcel.receiver
        return key % self._shard.num_shards

    def _moved(self, parcel: Request | Passed, outcome: Outcome) -> Request | Passed | None:
        """What leaves the shard of a message, if anything does."""
        if self._next_shard(parcel) != self._shard.number:
            return parcel
        try:
            if isinstance(parcel, Passed):
                return self._walked(parcel, outcome)
            passed = self._with_card(parcel)
            return self._moved(passed, outcome)
        except GardenError as error:
            message = parcel if isinstance(parcel, Request) else parcel.message
            hop = 0 if isinstance(parcel, Request) else parcel.message.hop
            ended = AttemptEnded(message.id, message.attempt, "failed", hop, str(error))
            outcome.ended.append(ended)
            return None

    def _with_card(self, request: Request) -> Passed:
        row = self._carried(self._rows.take(np.array([self._own_row(request.target)])))
        card = Card(request.target, encoded_row(row))
        message = new_message(card, b"", request.id, _NO_NONCE, request.hop_limit)
        return Passed(request.source, msgspec.structs.replace(message, attempt=request.attempt))

    def _carried(self, rows: Representations) -> Representations:
        """What messages carry of targets with these rows."""
        strategy = self._strategy
        return strategy.card(rows) if isinstance(strategy, GossipStrategy) else rows

    def _walked(self, parcel: Passed, outcome: Outcome) -> Passed | None:
        """Pass a message on while its holders are here."""
        message, holder = parcel.message, parcel.receiver
        state = decoded_state(self._memory, message.memory, holder)
        goal = self._form.decoded(message.row)
        hop = message.hop
        while holder % self._shard.num_shards == self._shard.number:
            row = self._own_row(holder)
            outcome.held.append(Held(message.id, message.attempt, hop, holder))
            if holder == message.target or hop >= message.hop_limit:
                ending: Ending = "delivered" if holder == message.target else "truncated"
                outcome.ended.append(AttemptEnded(message.id, message.attempt, ending, hop, ""))
                return None
            holder, state = self._next_holder(message, row, holder, goal, state, hop)
            hop += 1
        memory = encoded_state(self._memory, state)
        return Passed(holder, msgspec.structs.replace(message, hop=hop, memory=memory))

    def _next_holder(
        self, message: Message, row: int, holder: int, goal: Representations, state: Any, hop: int
    ) -> tuple[int, Any]:
        shard = self._shard
        near = shard.indices[shard.indptr[row] : shard.indptr[row + 1]]
        if len(near) == 0:
            raise GardenError(f"node {holder:016x} has no neighbours")
        near = near[np.argsort(shard.keys[near])]
        keys = shard.keys[near]
        own = scores_at_holder(self._strategy, self._rows.take(near), goal)
        scores, state = self._memory.recall(state, holder, keys, own)
        weights = choice_weights(scores, self._strategy.selection)
        number = hop_uniform(int.from_bytes(message.id, "little"), message.attempt, hop)
        return int(keys[choose(weights, number)]), state

    def _own_row(self, key: int) -> int:
        row = int(self._shard.own_rows(np.array([key], dtype=np.uint64))[0])
        if row < 0:
            raise GardenError(f"no node has the key {key:016x}")
        return row
