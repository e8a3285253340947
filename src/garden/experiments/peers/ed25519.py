"""Signatures for measurements in one process: Ed25519 with keys derived from agents' keys.

Whoever knows an agent's key can derive its secret: these keys protect nobody outside a simulation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import final

from garden.peers.keys import AgentKeys


def roster_of(keys: Iterable[int]) -> Mapping[int, AgentKeys]:
    """The secrets of each agent, by its key."""
    secrets = {key: hashlib.sha256(b"garden simulation %d" % key).digest() for key in keys}
    return {key: AgentKeys(secret, secret) for key, secret in secrets.items()}


@final
class RosterSigner:
    """Signs with an agent's derived secret, and checks against a roster's public keys."""

    def __init__(self, key: int, roster: Mapping[int, AgentKeys]) -> None:
        self._own = roster[key]
        self._roster = roster

    def sign(self, content: bytes) -> bytes:
        """The Ed25519 signature of the content, 64 bytes."""
        return self._own.sign(content)

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether an agent of the roster signed the content.

        Args:
            agent: Its key.
            content: What it should have signed.
            signature: 64 bytes, where it is one.
        """
        return agent in self._roster and self._roster[agent].public.has_signed(content, signature)
