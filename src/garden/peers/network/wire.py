"""What hosts send to each other: frames, each with what agents of one host say to those of another.

    version (1 byte)  life (8)  number (8)  read life (8)  read (8)
    then parts: sender (8)  receiver (8)  kind (1)  length (4)  content

Numbers are little-endian. *Life* is that of the sending host and *number* counts its frames; *read
life* and *read* say which frame of the receiving host was read last (:mod:`.flow`). The content of
a part is an envelope (:mod:`garden.peers.envelopes`), or the sender's signature of the link between
the two agents.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

from garden.peers.envelopes import MAX_ENVELOPE, EnvelopeError
from garden.peers.keys import PublicKeys

WIRE_VERSION: Final = 2  # 1 had one part in a frame, and no head
ENVELOPE: Final = 0
LINK: Final = 1  # the sender's signature
LINK_WANTED: Final = 2  # the same, and the receiver's is asked for
SIGNATURE_BYTES: Final = 64
_HEAD = struct.Struct("<BQQQQ")
_PART = struct.Struct("<QQBI")
MAX_FRAME: Final = _HEAD.size + _PART.size + MAX_ENVELOPE


class Head(NamedTuple):
    """What one host tells another of the frames between them."""

    life: int  # of the host that sends
    number: int  # of its last frame that asks to be acknowledged
    read_life: int  # of the host that receives
    read: int  # the number of its last frame that was read


class Part(NamedTuple):
    """What one agent tells another: their keys, a kind, and bytes."""

    sender: int
    receiver: int
    kind: int
    content: bytes


def packed_part(part: Part) -> bytes:
    """The bytes of a part."""
    sender, receiver, kind, content = part
    return _PART.pack(sender, receiver, kind, len(content)) + content


def packed(head: Head, parts: Iterable[bytes] = ()) -> bytes:
    """The bytes of a frame, of parts that are packed already.

    Args:
        head: What the frame says of the frames between the two hosts.
        parts: As :func:`packed_part` gives them.
    """
    return b"".join((_HEAD.pack(WIRE_VERSION, *head), *parts))


def unpacked(data: bytes) -> tuple[Head, list[Part]]:
    """The head and the parts of a frame.

    Raises:
        EnvelopeError: If these bytes are none.
    """
    if not _HEAD.size <= len(data) <= MAX_FRAME:
        raise EnvelopeError(f"a frame of {len(data)} bytes")
    version, *head = _HEAD.unpack_from(data)
    if version != WIRE_VERSION:
        raise EnvelopeError(f"a frame of another version: {WIRE_VERSION} is spoken here")
    parts, at = [], _HEAD.size
    while at < len(data):
        if at + _PART.size > len(data):
            raise EnvelopeError("a frame that ends within a part")
        sender, receiver, kind, length = _PART.unpack_from(data, at)
        at += _PART.size
        if at + length > len(data):
            raise EnvelopeError("a frame that ends within a part")
        parts.append(_checked(Part(sender, receiver, kind, data[at : at + length])))
        at += length
    return Head(*head), parts


def link_content(one: PublicKeys, other: PublicKeys) -> bytes:
    """What the two ends of a link sign.

    Args:
        one: The public keys of one end.
        other: Those of the other; the order of the two does not count.
    """
    ends = sorted([one.signing + one.sealing, other.signing + other.sealing])
    return b"garden link 1" + ends[0] + ends[1]


def _checked(part: Part) -> Part:
    if part.kind not in (ENVELOPE, LINK, LINK_WANTED):
        raise EnvelopeError(f"a part of kind {part.kind}")
    if part.kind != ENVELOPE and len(part.content) != SIGNATURE_BYTES:
        raise EnvelopeError("a signature of another length")
    return part
