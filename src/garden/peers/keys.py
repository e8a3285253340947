"""Keys of agents and hosts.

An agent has one pair that signs (Ed25519) and one that payloads are sealed to (X25519); a host has
one that its connections are encrypted with (X25519).

An agent's 64-bit key, its address, is a hash of both public keys: whoever shows public keys shows
which agent they belong to, and nobody can put other keys in their place without finding a second
pair of the same hash, which takes about 2⁶⁴ trials.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Annotated, TypeAlias, final

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Meta, Struct

from garden.peers.envelopes import MAX_PAYLOAD, EnvelopeError

KEY_BYTES = 32
SEAL_BYTES = KEY_BYTES + 16  # a public key made for one payload, and an authentication tag
MAX_SEALED_TEXT = MAX_PAYLOAD - SEAL_BYTES

PublicKey: TypeAlias = Annotated[bytes, Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class PublicKeys(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The public keys of one agent."""

    signing: PublicKey
    sealing: PublicKey

    @property
    def agent(self) -> int:
        """The agent's key: the first 8 bytes of a hash of both."""
        digest = hashlib.sha256(b"garden agent 1" + self.signing + self.sealing).digest()
        return int.from_bytes(digest[:8], "little")

    def has_signed(self, content: bytes, signature: bytes) -> bool:
        """Whether a signature over the content was made with the signing key's secret.

        Args:
            content: What should have been signed.
            signature: 64 bytes; anything else is no signature.
        """
        try:
            Ed25519PublicKey.from_public_bytes(self.signing).verify(signature, content)
        except InvalidSignature:
            return False
        return True

    def sealed(self, payload: bytes, message_id: bytes) -> bytes:
        """A payload that only this agent can read, 48 bytes longer.

        Args:
            payload: At most 4,048 bytes.
            message_id: The message that it belongs to; it opens in no other.
        """
        if len(payload) > MAX_SEALED_TEXT:
            raise EnvelopeError(
                f"a payload of {len(payload)} bytes: {MAX_SEALED_TEXT} are allowed where sealed"
            )
        once = X25519PrivateKey.generate()
        public = once.public_key().public_bytes_raw()
        shared = once.exchange(X25519PublicKey.from_public_bytes(self.sealing))
        cipher = _cipher(shared, public, self.sealing)
        return public + cipher.encrypt(_ONCE, payload, message_id)


@final
class AgentKeys:
    """The secrets of one agent; what they sign and open."""

    def __init__(self, signing: bytes, sealing: bytes) -> None:
        """Signing and sealing with these secrets.

        Args:
            signing: The 32 secret bytes of the Ed25519 key.
            sealing: Those of the X25519 key.
        """
        self._signing = Ed25519PrivateKey.from_private_bytes(signing)
        self._sealing = X25519PrivateKey.from_private_bytes(sealing)
        self.public = PublicKeys(
            self._signing.public_key().public_bytes_raw(),
            self._sealing.public_key().public_bytes_raw(),
        )

    @staticmethod
    def for_tests(seed: int, name: str) -> AgentKeys:
        """Keys that anybody can derive from a seed and a name: they protect nothing.

        Args:
            seed: Any number.
            name: The agent's, so that agents of one seed differ.
        """
        return AgentKeys(*AgentKeys.secrets_for_tests(seed, name))

    @staticmethod
    def secrets_for_tests(seed: int, name: str) -> tuple[bytes, bytes]:
        """The secrets behind :meth:`for_tests`, to sign and to seal with, 32 bytes each.

        Args:
            seed: Any number.
            name: The agent's, so that agents of one seed differ.
        """
        root = hashlib.sha256(f"garden test keys {seed} {name}".encode()).digest()
        return hashlib.sha256(b"sign" + root).digest(), hashlib.sha256(root).digest()

    def sign(self, content: bytes) -> bytes:
        """The signature over the content, 64 bytes."""
        return self._signing.sign(content)

    def opened(self, sealed: bytes, message_id: bytes) -> bytes:
        """The payload that was sealed to this agent for a message.

        Args:
            sealed: As :meth:`PublicKeys.sealed` gave it.
            message_id: The message that it came in.

        Raises:
            EnvelopeError: If it was sealed to another, for another message, or altered.
        """
        try:
            public = sealed[:KEY_BYTES]
            shared = self._sealing.exchange(X25519PublicKey.from_public_bytes(public))
            cipher = _cipher(shared, public, self.public.sealing)
            return cipher.decrypt(_ONCE, sealed[KEY_BYTES:], message_id)
        except (InvalidTag, ValueError):
            raise EnvelopeError("a payload that is not sealed to this agent") from None


@final
class HostKeys:
    """The X25519 key pair of one host, which it is known by."""

    def __init__(self, secret: bytes) -> None:
        """Take the 32 secret bytes."""
        self.secret = secret
        self.public = X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

    @staticmethod
    def new() -> HostKeys:
        """Keys that nobody else has."""
        return HostKeys(secrets.token_bytes(KEY_BYTES))

    @staticmethod
    def for_tests(seed: int, address: str) -> HostKeys:
        """Keys that anybody can derive: they protect nothing.

        Args:
            seed: Any number.
            address: Where the host listens, so that hosts of one seed differ.
        """
        return HostKeys(hashlib.sha256(f"garden test host {seed} {address}".encode()).digest())


_ONCE = bytes(12)  # each cipher serves one payload


def _cipher(shared: bytes, public: bytes, receiver: bytes) -> ChaCha20Poly1305:
    info = b"garden payload 1" + public + receiver
    return ChaCha20Poly1305(HKDF(SHA256(), KEY_BYTES, None, info).derive(shared))
