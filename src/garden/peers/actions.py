"""What an agent asks of whoever drives it: send, hand over, wake it later."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from garden.peers.envelopes import Envelope

Ending: TypeAlias = Literal["delivered", "failed", "unknown"]


class Send(NamedTuple):
    """Send this envelope; acknowledgements are envelopes too."""

    envelope: Envelope


class Deliver(NamedTuple):
    """A message for this agent's owner: each id is handed over at most once."""

    id: bytes
    payload: bytes


class Wake(NamedTuple):
    """Call ``wake`` at this time, in milliseconds; a later call replaces none before it."""

    at: int


class Ended(NamedTuple):
    """A message of this agent's owner has ended, once."""

    id: bytes
    ending: Ending
    reason: str  # why it failed, or is unknown
    attempts: int
    hops: int  # as the receipt claims; 0 without one
    tries: int
    path: tuple[int, ...]  # keys, the sender first: the way that the receipt came


Action: TypeAlias = Send | Deliver | Wake | Ended
