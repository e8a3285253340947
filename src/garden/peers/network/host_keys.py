"""The CURVE key of a host: what its connections are encrypted with, and what it is known by."""

from __future__ import annotations

import hashlib
import secrets
from typing import final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from garden.peers.keys import KEY_BYTES


@final
class HostKeys:
    """The X25519 key pair of one host."""

    def __init__(self, secret: bytes) -> None:
        """Take the 32 secret bytes."""
        self.secret = secret
        private = X25519PrivateKey.from_private_bytes(secret)
        self.public = private.public_key().public_bytes_raw()

    @staticmethod
    def new() -> HostKeys:
        """Keys that nobody else has."""
        return HostKeys(secrets.token_bytes(KEY_BYTES))

    @staticmethod
    def for_tests(seed: int, address: str) -> HostKeys:
        """Keys that anybody can derive from a seed and an address: they protect nothing."""
        return HostKeys(hashlib.sha256(f"garden test host {seed} {address}".encode()).digest())
