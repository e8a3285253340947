"""The envelopes of a host's agents: to each other, and to and from agents of other hosts.

What is said to agents of other hosts goes over signed links alone. A message that finds no room, or
no connection, is answered as by a neighbour that is busy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, final

from garden.peers.envelopes import (
    Ack,
    Announcement,
    Envelope,
    EnvelopeError,
    Heard,
    Hello,
    Message,
    decoded,
    encoded,
)
from garden.peers.network.exchange import Exchange
from garden.peers.network.links import RemoteLinks, SignatureError
from garden.peers.network.members import Counts, Member
from garden.peers.network.round_trips import MOST_TIMES, RoundTrips
from garden.peers.network.sockets import HostSockets
from garden.peers.network.wire import ENVELOPE, Part
from garden.peers.timers import Timers

LOCAL_QUEUE: Final = 65_536  # envelopes between agents of this host
_PATIENT = (Hello, Announcement, Heard)  # what may wait until earlier frames were read


@final
class Traffic:
    """What goes out of a host's agents, and what comes in.

    Attributes:
        exchange: What goes to other hosts, and what has come.
        links: The links to agents of other hosts.
        round_trips: The times that other hosts take to answer.
        counts: What was sent, received and refused.
        now: The host's clock, in milliseconds.

    """

    def __init__(
        self,
        sockets: HostSockets,
        timers: Timers,
        members: Mapping[int, Member],
        usual_wait: int,
        now: Callable[[], int],
    ) -> None:
        """Build it; nothing is said yet.

        Args:
            sockets: The host's.
            timers: Its timers.
            members: Its agents, by their keys.
            usual_wait: How long an answer is waited for at least, in milliseconds.
            now: The host's clock.
        """
        self._sockets = sockets
        self._members = members
        self.now = now
        self._local: deque[Envelope] = deque()
        self.exchange = Exchange(sockets, timers, MOST_TIMES * usual_wait, self._refuse)
        self.round_trips = RoundTrips(usual_wait)
        self.links = RemoteLinks(self.exchange, timers, members)
        self.counts = Counts()

    @property
    def is_local_waiting(self) -> bool:
        """Whether envelopes wait for agents of this host."""
        return bool(self._local)

    def flush(self) -> None:
        """Send what waits, as far as other hosts have room for it."""
        self.exchange.flush(self.now())

    def received(self) -> Iterator[list[Envelope]]:
        """The envelopes of each frame that has come."""
        for host_key, data in self._sockets.received():
            try:
                parts = self.exchange.take(host_key, data, self.now())
            except EnvelopeError:
                self.counts.dropped += 1
                continue
            yield self._envelopes(host_key, parts)

    def local(self, most: int) -> list[Envelope]:
        """The first envelopes that wait for agents of this host, so many at most."""
        return [self._local.popleft() for _ in range(min(len(self._local), most))]

    def post(self, envelope: Envelope) -> None:
        """Put an envelope under way."""
        sender, receiver, body = envelope
        if receiver in self._members:
            self.counts.local += 1
            if len(self._local) < LOCAL_QUEUE:
                self._local.append(envelope)
            return
        link = self.links.get(sender, receiver)
        if link is None:
            return
        part = Part(sender, receiver, ENVELOPE, encoded(body))
        if not link.is_open:
            link.greeting = part if isinstance(body, Hello) else link.greeting
            return
        message = envelope if isinstance(body, Message) else None
        if self.links.post(link, part, message, not isinstance(body, _PATIENT)):
            self.round_trips.sent(link.other.host_key, envelope, self.now())
            self.counts.sent += 1
        else:
            self._refuse(envelope)

    def _envelopes(self, host_key: bytes, parts: list[Part]) -> list[Envelope]:
        """The envelopes of a frame that may come; what follows a false signature is not read."""
        found = []
        for part in parts:
            try:
                envelope = self._taken(host_key, part)
            except SignatureError:
                self.counts.dropped += 1
                break  # checks take time, and no host that keeps to the rules needs this one
            except EnvelopeError:
                self.counts.dropped += 1
                continue
            if envelope is not None:
                found.append(envelope)
        return found

    def _taken(self, host_key: bytes, part: Part) -> Envelope | None:
        """The envelope of a part that has come from a host, where there is one in it.

        Raises:
            EnvelopeError: If it may not come.
        """
        link = self.links.get(part.receiver, part.sender)
        if link is None or link.other.host_key != host_key:
            raise EnvelopeError("a host that speaks for the agent of another")
        if part.kind != ENVELOPE:
            self.links.take_signature(link, part)
            return None
        if not link.is_open:
            return None
        self.counts.received += 1
        envelope = Envelope(part.sender, part.receiver, decoded(part.content))
        self.round_trips.received(host_key, envelope, self.now())
        return envelope

    def _refuse(self, envelope: Envelope) -> None:
        """An envelope does not go; a message is answered as by a neighbour that is busy."""
        self.counts.refused += 1
        sender, receiver, body = envelope
        if isinstance(body, Message) and len(self._local) < LOCAL_QUEUE:
            busy = Ack(body.id, body.attempt, body.hop, False)
            self._local.append(Envelope(receiver, sender, busy))


@final
@dataclass(frozen=True)
class HostWaits:
    """The waits of one agent: by what its neighbours' hosts have read, and how fast they answer.

    Args:
        key: The agent's.
        traffic: That of its host.
    """

    key: int
    traffic: Traffic

    def ack_wait(self, neighbour: int) -> int:
        """By the measured round trips to the neighbour's host, in milliseconds."""
        link = self.traffic.links.get(self.key, neighbour)
        return self.traffic.round_trips.wait(b"" if link is None else link.other.host_key)

    @property
    def pace(self) -> int:
        """The mean time that other hosts take to answer, in milliseconds."""
        return self.traffic.round_trips.mean

    def is_under_way(self, neighbour: int) -> bool:
        """Whether the neighbour's host has yet to read what was sent last."""
        return self._is_unread(neighbour, self.traffic.now())

    def is_unread(self, neighbour: int) -> bool:
        """The same, where the neighbour's host reads nothing any more as well."""
        return self._is_unread(neighbour, None)

    def is_there(self, neighbour: int, since: int) -> bool:
        """Whether the neighbour's host, which runs all of its agents, was heard.

        Args:
            neighbour: Its key.
            since: How long ago that may be, in milliseconds.
        """
        link, earliest = self.traffic.links.get(self.key, neighbour), self.traffic.now() - since
        return link is None or self.traffic.exchange.is_heard(link.other.host_key, earliest)

    def _is_unread(self, neighbour: int, now: int | None) -> bool:
        link = self.traffic.links.get(self.key, neighbour)
        if link is None:
            return self.traffic.is_local_waiting
        return self.traffic.exchange.is_under_way(link.other.host_key, link.ticket, now)
