"""Signed links between agents of different hosts: a link exists when both ends have signed it.

The ends sign when their hosts first meet, and again after a restart; nothing else passes between
them before. Links between two agents of one host need no signatures: one owner holds both keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from garden.peers.keys import AgentKeys
from garden.peers.network.contacts import Contact
from garden.peers.network.wire import LINK, LINK_WANTED, Frame, link_content


@dataclass(eq=False)
@final
class RemoteLink:
    """One end of a link to an agent of another host."""

    keys: AgentKeys  # the own agent's
    other: Contact
    is_open: bool = False  # whether the other end's signature was seen
    tries: int = 0
    greeting: bytes | None = None  # a frame that waits until the link is open
    _signature: bytes | None = None

    @property
    def content(self) -> bytes:
        """What both ends sign."""
        return link_content(self.keys.public, self.other.public)

    def offer(self) -> Frame:
        """The own signature, for the other end."""
        if self._signature is None:
            self._signature = self.keys.sign(self.content)
        kind = LINK if self.is_open else LINK_WANTED
        return Frame(self.keys.public.agent, self.other.key, kind, self._signature)

    def take(self, signature: bytes) -> bool:
        """Take the other end's signature: whether it is genuine."""
        if not self.is_open:
            self.is_open = self.other.public.has_signed(self.content, signature)
        return self.is_open
