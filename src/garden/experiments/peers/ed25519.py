"""Signatures for measurements in one process: Ed25519 with keys derived from agents' keys.

Whoever knows an agent's key can derive its secret: these keys protect nobody outside a simulation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def roster_of(keys: Iterable[int]) -> Mapping[int, Ed25519PublicKey]:
    """The public key of each agent."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return {key: Ed25519PrivateKey.from_private_bytes(_secret(key)).public_key() for key in keys}


@final
class RosterSigner:
    """Signs with an agent's derived secret, and checks against a roster of public keys."""

    def __init__(self, key: int, roster: Mapping[int, Ed25519PublicKey]) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._secret = Ed25519PrivateKey.from_private_bytes(_secret(key))
        self._roster = roster

    def sign(self, content: bytes) -> bytes:
        """The Ed25519 signature of the content, 64 bytes."""
        return self._secret.sign(content)

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether the agent signed the content."""
        from cryptography.exceptions import InvalidSignature

        if agent not in self._roster:
            return False
        try:
            self._roster[agent].verify(signature, content)
        except InvalidSignature:
            return False
        return True


def _secret(key: int) -> bytes:
    return hashlib.sha256(b"garden simulation %d" % key).digest()
