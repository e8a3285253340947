"""Envelopes: what peers send to each other, as bytes.

An encoded envelope is one byte of version and a msgpack array: the kind of the body, then its
fields. Decoding is strict: another version, an unknown kind, a missing or further field, a value of
another type or beyond a limit is refused. Who sent an envelope is no part of its bytes: whoever
drives an agent knows by the connection, and says so.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct

from garden.errors import GardenError, one_line
from garden.strategies.gossip.paths import LONGEST

VERSION = 2
ID_BYTES = 16
MAX_PAYLOAD = 4_096  # bytes
MAX_MEMORY = 65_536  # bytes of what a message remembers
MAX_ROW = 65_536  # bytes of a representation
MAX_HOPS = 4_096
MAX_TRIES = 1 << 20  # sendings of one message
MAX_ATTEMPTS = 8
MAX_AGE = 600_000  # ms that a message's id lives
MAX_ITEMS = 16_384  # entries of one update, neighbours of one agent
MAX_UPDATES = 64  # in one announcement
MAX_ENVELOPE = 1 << 20  # bytes

Key: TypeAlias = Annotated[int, Meta(ge=0)]  # 64 bits: msgpack holds no more
MessageId: TypeAlias = Annotated[bytes, Meta(min_length=ID_BYTES, max_length=ID_BYTES)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_AGE)]
Hop: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_HOPS)]
HopLimit: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_HOPS)]
Tries: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_TRIES)]
Attempt: TypeAlias = Annotated[int, Meta(ge=0, lt=MAX_ATTEMPTS)]
Digest: TypeAlias = Annotated[bytes, Meta(min_length=32, max_length=32)]
RowBytes: TypeAlias = Annotated[bytes, Meta(max_length=MAX_ROW)]
Reason: TypeAlias = Annotated[str, Meta(max_length=80)]
Path: TypeAlias = Annotated[tuple[Key, ...], Meta(max_length=MAX_HOPS + 1)]
Keys: TypeAlias = Annotated[tuple[Key, ...], Meta(max_length=MAX_ITEMS)]
Session: TypeAlias = Annotated[int, Meta(ge=0)]
Class: TypeAlias = Annotated[int, Meta(ge=-64, le=1)]  # minus the class of a beacon
Distance: TypeAlias = Annotated[int, Meta(ge=0, lt=65_535)]
BeaconName: TypeAlias = tuple[Class, Key]
BeaconNames: TypeAlias = Annotated[tuple[BeaconName, ...], Meta(max_length=MAX_ITEMS)]
Entry: TypeAlias = tuple[BeaconName, Distance]
Steps: TypeAlias = Annotated[tuple[Key, ...], Meta(min_length=1, max_length=LONGEST)]
NamedPath: TypeAlias = tuple[BeaconName, Steps]


class EnvelopeError(GardenError):
    """Bytes that are no envelope, or content that goes beyond a limit."""


class _Body(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What all kinds of bodies share: fields stand in order, and none may be added."""


class Message(_Body, frozen=True, tag=1):
    """The message itself, on its way from a holder to the next."""

    id: MessageId
    attempt: Attempt
    hop: Hop
    """Hops made when it arrives; 0 at its sender."""
    hop_limit: HopLimit
    ttl: Milliseconds
    """How long this attempt may still travel; holders count it down, so that clocks need not
    agree."""
    age: Milliseconds
    """How long ago its sender first sent this id, as holders counted."""
    tries: Tries
    """Sendings so far, those without an answer included."""
    target: Key
    row: RowBytes
    """The target's representation, out of its card."""
    memory: Annotated[bytes, Meta(max_length=MAX_MEMORY)]
    nonce: MessageId
    payload: Annotated[bytes, Meta(max_length=MAX_PAYLOAD)]


class Ack(_Body, frozen=True, tag=2):
    """The answer to a message: taken, or *busy*, which counts as no."""

    id: MessageId
    attempt: Attempt
    hop: Hop
    taken: bool


class Receipt(_Body, frozen=True, tag=3):
    """The target has the message; returns along the path.

    The signature covers id, nonce and digest. Hops, tries and path are what peers claim.
    """

    id: MessageId
    attempt: Attempt
    nonce: MessageId
    digest: Digest
    signature: Annotated[bytes, Meta(max_length=64)]
    hops: Hop
    tries: Tries
    path: Path
    """Those who passed the receipt on, the target first."""


class Failure(_Body, frozen=True, tag=4):
    """An attempt has ended without the target, and why: what peers claim."""

    id: MessageId
    attempt: Attempt
    reason: Reason


class AnswerAck(_Body, frozen=True, tag=5):
    """A receipt or failure has arrived."""

    id: MessageId
    attempt: Attempt
    delivered: bool
    """Whether it was a receipt."""


class Newcomer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a peer that joins tells a neighbour, so that this one's ego graph holds it."""

    profile: RowBytes
    linked: Keys
    """The neighbours that both have."""


class Hello(_Body, frozen=True, tag=6):
    """Opens a link, or asks whether the other end is there."""

    session: Session
    known: Session
    """The session of the receiver; 0 where it is not known."""
    newcomer: Newcomer | None


class Update(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What changed in a sketch: see :class:`garden.strategies.gossip.maintenance.Envelope`."""

    entries: Annotated[tuple[Entry, ...], Meta(max_length=MAX_ITEMS)]
    withdrawn: BeaconNames
    acknowledged: BeaconNames
    paths: Annotated[tuple[NamedPath, ...], Meta(max_length=MAX_ITEMS)]
    """Whom a message passes on the way to a beacon, the sender's neighbour first."""


class Announcement(_Body, frozen=True, tag=7):
    """What an agent tells a neighbour of its row; numbered, acknowledged, in order."""

    session: Session
    known: Session
    number: Annotated[int, Meta(ge=0)]
    row: RowBytes | None
    """The row of an agent without rounds."""
    updates: Annotated[tuple[Update, ...], Meta(max_length=MAX_UPDATES)]
    neighbours: Keys | None
    """The sender's neighbours, where they changed."""


class Heard(_Body, frozen=True, tag=8):
    """The receipt of an announcement, so that it is not sent again."""

    session: Session
    known: Session
    number: Annotated[int, Meta(ge=0)]


class Leave(_Body, frozen=True, tag=9):
    """The sender goes, and its link with it."""

    session: Session
    known: Session


Body: TypeAlias = (
    Message | Ack | Receipt | Failure | AnswerAck | Hello | Announcement | Heard | Leave
)


class Envelope(NamedTuple):
    """A body on its way from one agent to a neighbour."""

    sender: int  # keys of agents
    receiver: int
    body: Body


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Body)
_VERSION_BYTE = bytes([VERSION])


def encoded(body: Body) -> bytes:
    """The bytes of a body."""
    return _VERSION_BYTE + _ENCODER.encode(body)


def decoded(data: bytes) -> Body:
    """The body of these bytes.

    Raises:
        EnvelopeError: If they are none, or go beyond a limit.
    """
    if len(data) > MAX_ENVELOPE:
        raise EnvelopeError(f"an envelope of {len(data)} bytes: {MAX_ENVELOPE} are allowed")
    if data[:1] != _VERSION_BYTE:
        raise EnvelopeError(f"an envelope of another version: {VERSION} is spoken here")
    try:
        return _DECODER.decode(memoryview(data)[1:])
    except (msgspec.DecodeError, RecursionError) as error:
        raise EnvelopeError(f"no envelope: {one_line(error)}") from None
