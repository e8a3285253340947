"""Whose receipts a host's agent believes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, final

from garden.peers.keys import AgentKeys, PublicKeys

MAX_KNOWN: Final = 65_536


@final
class HostSigner:
    """Signs with an agent's keys, and checks agents that it was shown; it forgets the oldest."""

    def __init__(self, keys: AgentKeys) -> None:
        self._keys = keys
        self._known: OrderedDict[int, PublicKeys | None] = OrderedDict()

    def learn(self, public: PublicKeys) -> None:
        """Know an agent: its key is a hash of these."""
        self._keep(public.agent, public)

    def take_unproved(self, agent: int) -> None:
        """Believe what comes as the receipt of an agent whose public keys nobody has shown yet.

        Of a directory, an agent knows nothing but its key. Such a receipt says that sending again
        is of no use; it proves nothing.
        """
        if agent not in self._known:
            self._keep(agent, None)

    def sign(self, content: bytes) -> bytes:
        """The agent's signature, 64 bytes."""
        return self._keys.sign(content)

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether the agent with this key has signed; not where nobody has shown it."""
        if agent not in self._known:
            return False
        public = self._known[agent]
        return public is None or public.has_signed(content, signature)

    def _keep(self, agent: int, public: PublicKeys | None) -> None:
        self._known[agent] = public
        self._known.move_to_end(agent)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
