"""What hosts put into messages: text for an owner, sealed, and what the directory needs.

A payload is one byte of kind and a content. Text and answers are sealed to their target. Cards that
agents leave, and questions for a profile, go to agents whose public keys the sender may not know:
everybody on their way can read them.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from garden.errors import one_line
from garden.peers.envelopes import MAX_PAYLOAD, EnvelopeError
from garden.peers.keys import AgentKeys, PublicKeys
from garden.peers.signed_cards import SignedCard

MAX_TEXT = 4_000
ProfileKey: TypeAlias = Annotated[int, Meta(ge=0)]


class _Content(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What all contents share: fields stand in order, and none may be added."""


class LeftCard(_Content, frozen=True, tag=1):
    """An agent leaves its card with a directory."""

    profile: ProfileKey
    card: SignedCard


class Question(_Content, frozen=True, tag=2):
    """Whose cards are kept for a profile?"""

    profile: ProfileKey
    card: SignedCard
    """Of whoever asks."""


class Answer(_Content, frozen=True, tag=3):
    """The cards that are kept for a profile."""

    profile: ProfileKey
    cards: tuple[SignedCard, ...]


class Text(_Content, frozen=True, tag=0):
    """Words of one owner to another."""

    content: Annotated[bytes, Meta(max_length=MAX_TEXT)]


Content: TypeAlias = LeftCard | Question | Answer | Text
_OPEN = msgspec.msgpack.Decoder(LeftCard | Question)
_SEALED = msgspec.msgpack.Decoder(Answer | Text)


def sealed_payload(content: Answer | Text, target: PublicKeys, message_id: bytes) -> bytes:
    """Content that the target alone can read.

    Args:
        content: The content.
        target: The public keys of the agent that may read it.
        message_id: The message that it goes in; in no other it can be read.
    """
    return b"\1" + target.sealed(msgspec.msgpack.encode(content), message_id)


def open_payload(content: LeftCard | Question) -> bytes:
    """Content that everybody on the way can read."""
    data = b"\0" + msgspec.msgpack.encode(content)
    if len(data) > MAX_PAYLOAD:
        raise EnvelopeError(f"a card of {len(data)} bytes does not fit into a message")
    return data


def payload_content(payload: bytes, keys: AgentKeys, message_id: bytes) -> Content:
    """What a payload says to the agent with these keys.

    Args:
        payload: One byte of kind, then the content.
        keys: The agent's.
        message_id: The message that it came in.

    Raises:
        EnvelopeError: If it says nothing, or is not for this agent.
    """
    try:
        if payload[:1] == b"\0":
            return _OPEN.decode(payload[1:])
        return _SEALED.decode(keys.opened(payload[1:], message_id))
    except (msgspec.DecodeError, RecursionError) as error:
        raise EnvelopeError(f"a payload that says nothing: {one_line(error)}") from None
