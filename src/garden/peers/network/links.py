"""Signed links between agents of different hosts: a link exists when both ends have signed it.

The ends sign when their hosts first meet, and again after a restart; nothing else passes between
them before. Links between two agents of one host need no signatures: one owner holds both keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from garden.peers.envelopes import EnvelopeError
from garden.peers.keys import AgentKeys
from garden.peers.network.contacts import Contact
from garden.peers.network.members import Member
from garden.peers.network.sockets import HostSockets
from garden.peers.network.wire import LINK, LINK_WANTED, Frame, link_content, packed
from garden.peers.timers import Timers

FIRST_WAIT: Final = 100  # ms until a signature is offered again to a host that is not connected
ANSWER_WAIT: Final = 1_000  # the same where it went out; both are doubled each time
LONGEST_WAIT: Final = 5_000


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
        """The bytes that both ends of the link sign: their public keys."""
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


@final
class RemoteLinks:
    """All links of a host's agents to agents of other hosts."""

    def __init__(self, sockets: HostSockets, timers: Timers, members: Mapping[int, Member]) -> None:
        """Build them; nothing is signed yet.

        Args:
            sockets: The host's.
            timers: Its timers.
            members: Its agents, by their keys.
        """
        self._sockets = sockets
        self._timers = timers
        self._members = members
        self._links = {
            (key, contact.key): RemoteLink(member.keys, contact)
            for key, member in members.items()
            for contact in member.contacts.neighbours
            if contact.key not in members
        }

    def start(self, now: int) -> None:
        """Offer signatures to all neighbours on other hosts."""
        for place in self._links:
            self._offer(now, *place)

    def admit(self, key: int, contact: Contact, now: int) -> None:
        """Let an agent of another host become a neighbour of an agent of this one, if it joins."""
        self._sockets.admit(contact.host_key, contact.address)
        place = (key, contact.key)
        if place not in self._links:
            self._links[place] = RemoteLink(self._members[key].keys, contact)
            self._offer(now, *place)

    def get(self, key: int, neighbour: int) -> RemoteLink | None:
        """The link of an agent to a neighbour on another host, if there is one."""
        return self._links.get((key, neighbour))

    def is_open(self, key: int, neighbour: int) -> bool:
        """Whether both ends have signed a link, or both are agents of this host."""
        link = self._links.get((key, neighbour))
        return neighbour in self._members if link is None else link.is_open

    def host_of(self, key: int, neighbour: int) -> bytes:
        """The host of an agent's neighbour; empty where it is this one."""
        link = self._links.get((key, neighbour))
        return b"" if link is None else link.other.host_key

    def take_signature(self, link: RemoteLink, frame: Frame) -> None:
        """Take a signature that has come, answer with the own one where it is asked for.

        Raises:
            EnvelopeError: If it is not that of the link's other end.
        """
        if not link.take(frame.content):
            raise EnvelopeError("a link that its other end has not signed")
        if frame.kind == LINK_WANTED:
            self._sockets.send(link.other.host_key, packed(link.offer()))
        if link.greeting is not None:
            self._sockets.send(link.other.host_key, link.greeting)
            link.greeting = None

    def _offer(self, now: int, key: int, neighbour: int) -> None:
        """Offer the own signature of a link until the other end's is there."""
        link = self._links[key, neighbour]
        if link.is_open:
            return
        is_sent = self._sockets.send(link.other.host_key, packed(link.offer()))
        wait = ANSWER_WAIT if is_sent else FIRST_WAIT
        wait = min(LONGEST_WAIT, wait << min(link.tries, 16))
        link.tries += 1
        self._timers.at(now + wait, self._offer, key, neighbour)
