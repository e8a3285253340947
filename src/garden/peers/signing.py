"""Receipts: what a target signs, and who signs and checks it.

An agent is handed a :class:`Signer`. Keys and signatures live behind it, so that the core of an
agent knows neither.
"""

from __future__ import annotations

import hashlib
from typing import Protocol, final


class Signer(Protocol):
    """Signs what its agent says, and checks what others signed."""

    def sign(self, content: bytes) -> bytes:
        """The agent's signature over the content, at most 64 bytes."""
        ...

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether the agent with this key has signed the content.

        Args:
            agent: Its key.
            content: What it should have signed.
            signature: At most 64 bytes.
        """
        ...


@final
class Unsigned:
    """Signs nothing and accepts whatever is unsigned, for tests and simulation alone.

    It protects against nobody: any peer on the path can claim to be the target.
    """

    def sign(self, content: bytes) -> bytes:
        """An empty signature, whatever the content."""
        return b""

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether there is no signature.

        Args:
            agent: Counts for nothing.
            content: Counts for nothing.
            signature: Empty, as :meth:`sign` gives it.
        """
        return signature == b""


def payload_digest(payload: bytes) -> bytes:
    """The SHA-256 digest of a payload, 32 bytes."""
    return hashlib.sha256(payload).digest()


def receipt_content(message_id: bytes, nonce: bytes, digest: bytes) -> bytes:
    """What a receipt's signature covers.

    Args:
        message_id: 16 bytes.
        nonce: 16 random bytes of its sender, so that no old receipt fits.
        digest: That of the payload, 32 bytes.
    """
    return b"garden receipt 1" + message_id + nonce + digest
