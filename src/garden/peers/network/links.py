"""Signed links between agents of different hosts: a link exists when both ends have signed it.

The ends sign when their hosts first meet, and again after a restart; nothing else passes between
them before. Links between two agents of one host need no signatures: one owner holds both keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from garden.peers.envelopes import Envelope, EnvelopeError
from garden.peers.keys import AgentKeys
from garden.peers.network.contacts import Contact
from garden.peers.network.exchange import Exchange
from garden.peers.network.members import Member
from garden.peers.network.wire import LINK, LINK_WANTED, Part, link_content
from garden.peers.timers import Timers

FIRST_WAIT: Final = 100  # ms until a host that is not connected is tried again
ANSWER_WAIT: Final = 1_000  # until signatures are offered again; both are doubled each time
LONGEST_WAIT: Final = 5_000


class SignatureError(EnvelopeError):
    """A signature that is not that of a link's other end."""


@dataclass(eq=False)
@final
class RemoteLink:
    """One end of a link to an agent of another host."""

    keys: AgentKeys  # the own agent's
    other: Contact
    is_open: bool = False  # whether the other end's signature was seen
    ticket: int = 0  # of what was posted last, as the exchange counts
    greeting: Part | None = None  # waits until the link is open
    _signature: bytes | None = None

    @property
    def content(self) -> bytes:
        """The bytes that both ends of the link sign: their public keys."""
        return link_content(self.keys.public, self.other.public)

    def offer(self) -> Part:
        """The own signature, for the other end."""
        if self._signature is None:
            self._signature = self.keys.sign(self.content)
        kind = LINK if self.is_open else LINK_WANTED
        return Part(self.keys.public.agent, self.other.key, kind, self._signature)

    def take(self, signature: bytes) -> bool:
        """Take the other end's signature: whether it is genuine."""
        if not self.is_open:
            self.is_open = self.other.public.has_signed(self.content, signature)
        return self.is_open


@final
class RemoteLinks:
    """All links of a host's agents to agents of other hosts."""

    def __init__(self, exchange: Exchange, timers: Timers, members: Mapping[int, Member]) -> None:
        """Build them; nothing is signed yet.

        Args:
            exchange: The host's.
            timers: Its timers.
            members: Its agents, by their keys.
        """
        self._exchange = exchange
        self._timers = timers
        self._members = members
        self._links = {
            (key, contact.key): RemoteLink(member.keys, contact)
            for key, member in members.items()
            for contact in member.contacts.neighbours
            if contact.key not in members
        }
        self._closed: dict[bytes, list[RemoteLink]] = {}  # links that are not open, by host
        for link in self._links.values():
            self._closed.setdefault(link.other.host_key, []).append(link)

    def start(self, now: int) -> None:
        """Offer signatures to all neighbours on other hosts."""
        for host_key in self._closed:
            self._meet(now, host_key, 0)

    def admit(self, key: int, contact: Contact, now: int) -> None:
        """Let an agent of another host become a neighbour of an agent of this one, if it joins.

        Args:
            key: The agent of this host.
            contact: The other one's keys, and the address of its host.
            now: The time, in milliseconds.
        """
        self._exchange.admit(contact.host_key, contact.address)
        place = (key, contact.key)
        if place not in self._links:
            link = self._links[place] = RemoteLink(self._members[key].keys, contact)
            waiting = self._closed.setdefault(contact.host_key, [])
            waiting.append(link)
            if len(waiting) == 1:  # else they are met already
                self._meet(now, contact.host_key, 0)

    def get(self, key: int, neighbour: int) -> RemoteLink | None:
        """The link of an agent to a neighbour on another host, if there is one.

        Args:
            key: The agent of this host.
            neighbour: The key of its neighbour.
        """
        return self._links.get((key, neighbour))

    def is_open(self, key: int, neighbour: int) -> bool:
        """Whether both ends have signed a link, or both are agents of this host.

        Args:
            key: The agent of this host.
            neighbour: The key of its neighbour.
        """
        link = self._links.get((key, neighbour))
        return neighbour in self._members if link is None else link.is_open

    def post(
        self,
        link: RemoteLink,
        part: Part,
        message: Envelope | None = None,
        is_urgent: bool = False,
    ) -> bool:
        """Send something over a link: whether there was room for it.

        Args:
            link: The link.
            part: What is said.
            message: The envelope in it, where it is a message; it is answered as busy if it cannot
                go.
            is_urgent: Whether it goes before frames under way were read.
        """
        ticket = self._exchange.post(link.other.host_key, part, message, is_urgent)
        link.ticket = ticket or 0
        return ticket is not None

    def take_signature(self, link: RemoteLink, part: Part) -> None:
        """Take a signature that has come, answer with the own one where it is asked for.

        Args:
            link: The link.
            part: Its content is the signature; its kind says whether the own one is asked for.

        Raises:
            SignatureError: If it is not that of the link's other end.
        """
        if not link.take(part.content):
            raise SignatureError("a link that its other end has not signed")
        if part.kind == LINK_WANTED:
            self.post(link, link.offer())
        if link.greeting is not None:
            self.post(link, link.greeting)
            link.greeting = None

    def _meet(self, now: int, host_key: bytes, tries: int) -> None:
        """Offer a host the own signatures of links, until the other ends' are there."""
        waiting = [link for link in self._closed[host_key] if not link.is_open]
        self._closed[host_key] = waiting
        if not waiting:
            return
        is_there = self._exchange.reaches(host_key)
        for link in waiting if is_there else ():
            if not self._exchange.is_under_way(host_key, link.ticket, None):
                self.post(link, link.offer())
        wait = ANSWER_WAIT if is_there else FIRST_WAIT
        wait = min(LONGEST_WAIT, wait << min(tries, 16))
        self._timers.at(now + wait, self._meet, host_key, tries + 1)
