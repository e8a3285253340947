"""A message before anybody has passed it on, and what a sender must know of its target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from garden.peers.envelopes import (
    ID_BYTES,
    MAX_AGE,
    MAX_HOPS,
    MAX_PAYLOAD,
    EnvelopeError,
    Failure,
    Message,
    Receipt,
)

Answer: TypeAlias = Receipt | Failure


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


Onward: TypeAlias = Callable[[Message, frozenset[int]], NextHop | None]
"""Gives the next hop of a message over neighbours that are not excluded, or none."""
