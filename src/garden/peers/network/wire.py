"""What hosts send to each other: the keys of two agents, a kind, and the content.

    sender (8 bytes)  receiver (8)  kind (1)  content

Numbers are little-endian. The content is an envelope (:mod:`garden.peers.envelopes`) or the
sender's signature of the link between the two.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from garden.peers.envelopes import MAX_ENVELOPE, EnvelopeError
from garden.peers.keys import PublicKeys

ENVELOPE = 0
LINK = 1  # the sender's signature
LINK_WANTED = 2  # the same, and the receiver's is asked for
_HEAD = struct.Struct("<QQB")
SIGNATURE_BYTES = 64
MAX_FRAME = _HEAD.size + MAX_ENVELOPE


class Frame(NamedTuple):
    """What one host sends another in one piece: two agents' keys, a kind, and bytes."""

    sender: int
    receiver: int
    kind: int
    content: bytes


def packed(frame: Frame) -> bytes:
    """The bytes of a frame."""
    return _HEAD.pack(frame.sender, frame.receiver, frame.kind) + frame.content


def unpacked(data: bytes) -> Frame:
    """The frame of these bytes.

    Raises:
        EnvelopeError: If they are none.
    """
    if not _HEAD.size <= len(data) <= MAX_FRAME:
        raise EnvelopeError(f"a frame of {len(data)} bytes")
    sender, receiver, kind = _HEAD.unpack_from(data)
    content = data[_HEAD.size :]
    if kind not in (ENVELOPE, LINK, LINK_WANTED):
        raise EnvelopeError(f"a frame of kind {kind}")
    if kind != ENVELOPE and len(content) != SIGNATURE_BYTES:
        raise EnvelopeError("a signature of another length")
    return Frame(sender, receiver, kind, content)


def link_content(one: PublicKeys, other: PublicKeys) -> bytes:
    """What the two ends of a link sign."""
    ends = sorted([one.signing + one.sealing, other.signing + other.sealing])
    return b"garden link 1" + ends[0] + ends[1]
