"""The links of one agent: who is there, and announcements that arrive in order, each once.

A link has a *session* at each end, a number that grows whenever that end opens it anew, after a
restart too. It is open where both know the other's number; what belongs to an earlier session is
dropped. Announcements are numbered within a session; the next one waits until the last is
acknowledged, and collects meanwhile what is to be told. A neighbour that does not answer a message
is suspected, and asked whether it is there; one that does not answer an announcement is lost: its
link goes down, and it is greeted from time to time until it answers again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from garden.peers.config import AgentConfig
from garden.peers.envelopes import (
    Announcement,
    Body,
    EnvelopeError,
    Heard,
    Hello,
    Leave,
    Newcomer,
)
from garden.peers.knowledge_base import Knowledge
from garden.peers.timers import Timers
from garden.peers.waits import Waits

MOST_INTERVALS: Final = 4  # between two announcements to a neighbour, where answers are slow
LinkBody: TypeAlias = Hello | Announcement | Heard


class _Link:
    """One end of a link; large networks have millions."""

    __slots__ = (
        "asked", "expected", "greetings", "heard_at", "known", "next_in", "next_out", "open",
        "sent_at", "session", "tries", "waiting",
    )  # fmt: skip

    def __init__(self, session: int) -> None:
        self.session = session
        self.known = 0  # the other end's session
        self.open = False
        self.expected = True  # whether the neighbour counts as there, open or not yet
        self.next_out = 0  # numbers of announcements
        self.next_in = 0
        self.waiting: Announcement | None = None
        self.asked = False  # whether the other end wants to be told something, if nothing new
        self.tries = 0
        self.greetings = 0
        self.heard_at = 0
        self.sent_at = 0  # the greeting or announcement that was sent last


class Links:
    """The links of one agent."""

    def __init__(
        self,
        neighbours: Iterable[int],
        knowledge: Knowledge,
        timers: Timers,
        send: Callable[[int, Body], None],
        lost: Callable[[int, int], None],
        waits: Waits,
        config: AgentConfig,
        incarnation: int,
    ) -> None:
        self._knowledge = knowledge
        self._timers = timers
        self._send = send
        self._lost = lost
        self._waits = waits
        self._config = config
        self._session = incarnation << 32
        self._links = {key: _Link(self._next_session()) for key in neighbours}
        self._suspected: frozenset[int] = frozenset()
        self._introductions: dict[int, Newcomer] = {}
        self._flush_at: int | None = None
        self._flushed_at = 0

    def __contains__(self, neighbour: int) -> bool:
        return neighbour in self._links

    def __iter__(self) -> Iterator[int]:
        return iter(self._links)

    @property
    def sessions(self) -> dict[int, int]:
        """The other end's session of each open link, by the neighbour's key."""
        return {key: link.known for key, link in self._links.items() if link.open}

    @property
    def is_quiet(self) -> bool:
        """Whether nothing waits to be told or acknowledged."""
        return self._flush_at is None and not any(
            link.waiting is not None and _says_something(link.waiting)
            for link in self._links.values()
        )

    @property
    def suspected(self) -> frozenset[int]:
        """Neighbours that have not answered a message, and were not heard since."""
        return self._suspected

    def start(self, now: int, introductions: dict[int, Newcomer] | None = None) -> None:
        """Greet all neighbours, and wait for their greetings from now on.

        Args:
            now: The time.
            introductions: What a peer that joins tells each of them.
        """
        self._introductions = introductions or {}
        self._flushed_at = now
        for key, link in self._links.items():
            link.heard_at = now
            self._greet(now, key, link.session)
        if self._config.probe_interval:
            self._timers.at(now + self._config.probe_interval, self._probe)

    def add(self, neighbour: int, now: int) -> None:
        """Another neighbour, which will greet.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        link = self._links[neighbour] = _Link(self._next_session())
        link.heard_at, link.expected = now, False

    def remove(self, neighbour: int, now: int) -> None:
        """End the link to a neighbour and forget what it told.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        del self._links[neighbour]
        self._suspected -= {neighbour}
        self._knowledge.link_down(neighbour)
        self.flush_soon(now)

    def is_of_now(self, neighbour: int, body: Leave) -> bool:
        """Whether a neighbour that says goodbye has not come back meanwhile.

        Args:
            neighbour: Its key.
            body: Its goodbye; of an earlier session, it is one of an earlier life.
        """
        return body.session >= self._links[neighbour].known

    def leave(self) -> None:
        """Tell all neighbours that this agent goes."""
        for key, link in self._links.items():
            self._send(key, Leave(link.session, link.known))

    def receive(self, sender: int, body: LinkBody, now: int) -> None:
        """A neighbour's greeting, announcement or acknowledgement.

        Args:
            sender: The neighbour's key.
            body: What it says; what belongs to an earlier session is dropped.
            now: The time, in milliseconds.
        """
        link = self._links[sender]
        usual = link.open and body.session == link.known and body.known == link.session
        if not usual and not self._is_current(sender, link, body, now):
            return
        link.heard_at = now
        if sender in self._suspected:
            self._suspected -= {sender}
        if isinstance(body, Announcement):
            self._take(now, sender, link, body)
        elif isinstance(body, Hello):
            link.asked = True  # an announcement, even an empty one, says that the link is open
            self.flush_soon(now)
        elif link.waiting is not None and link.waiting.number == body.number:
            link.waiting = None
            if self._flush_at is None and self._knowledge.has_news(sender):
                self.flush_soon(now)

    def heard(self, neighbour: int, now: int) -> None:
        """A neighbour has sent something else: it is there.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        self._links[neighbour].heard_at = now
        if neighbour in self._suspected:
            self._suspected -= {neighbour}

    def suspect(self, neighbour: int, now: int) -> None:
        """A neighbour has not answered a message: ask whether it is there.

        Args:
            neighbour: Its key.
            now: The time, in milliseconds.
        """
        link = self._links.get(neighbour)
        if link is not None and link.open:
            self._suspected |= {neighbour}
            if link.waiting is None:
                self._announce(now, neighbour, link)

    def flush_soon(self, now: int) -> None:
        """Tell what is to be told, when the interval allows."""
        if self._flush_at is None:
            usual = self._config.announce_interval
            interval = min(max(usual, self._waits.pace), MOST_INTERVALS * usual)
            self._flush_at = max(now, self._flushed_at + interval)
            self._timers.at(self._flush_at, self._flush)

    def _next_session(self) -> int:
        self._session += 1
        return self._session

    def _is_current(self, sender: int, link: _Link, body: LinkBody, now: int) -> bool:
        """Bring the sessions up to date; whether the body belongs to the present ones."""
        if body.session < link.known:
            return False
        if body.known not in (0, link.session):  # it knows an earlier session of this end
            self._send(sender, Hello(link.session, body.session, None))
            return False
        if body.session > link.known:
            if link.open:
                self._close(sender, link, now)
            link.known = body.session
        if body.known != link.session:
            self._send(sender, Hello(link.session, link.known, None))
            return False
        if not link.open:
            self._open(sender, link, now)
        return True

    def _open(self, neighbour: int, link: _Link, now: int) -> None:
        link.open = link.expected = True
        link.next_out = link.next_in = link.greetings = 0
        link.waiting = None
        self._knowledge.link_up(neighbour)
        self.flush_soon(now)

    def _close(self, neighbour: int, link: _Link, now: int) -> None:
        link.open = link.expected = False
        link.waiting = None
        link.greetings = 0
        link.session = self._next_session()
        self._suspected -= {neighbour}
        self._knowledge.link_down(neighbour)
        self.flush_soon(now)
        self._lost(neighbour, now)

    def _greet(self, now: int, neighbour: int, session: int) -> None:
        """Greet a neighbour until it answers, ever more seldom."""
        link = self._links.get(neighbour)
        if link is None or link.open or link.session != session:
            return
        wait = self._waits.ack_wait(neighbour)
        if link.greetings and self._waits.is_under_way(neighbour):
            self._timers.at(now + max(wait, now - link.sent_at), self._greet, neighbour, session)
            return
        if link.greetings >= self._config.greetings and link.expected:
            link.expected = False
            self._knowledge.link_down(neighbour)
            self.flush_soon(now)
        if not link.greetings or not self._waits.is_unread(neighbour):
            introduction = self._introductions.get(neighbour)
            self._send(neighbour, Hello(link.session, link.known, introduction))
            link.sent_at = now
        wait = min(wait << min(link.greetings, 16), self._config.greet_wait)
        link.greetings += 1
        self._timers.at(now + wait, self._greet, neighbour, session)

    def _take(self, now: int, sender: int, link: _Link, body: Announcement) -> None:
        if body.number > link.next_in:
            return
        if body.number == link.next_in:
            try:
                self._knowledge.hear(sender, body)
            except EnvelopeError:  # not acknowledged: a neighbour that sends such is lost
                return
            link.next_in += 1
            if _says_something(body):
                self.flush_soon(now)
        self._send(sender, Heard(link.session, link.known, body.number))

    def _flush(self, now: int) -> None:
        self._flush_at, self._flushed_at = None, now
        self._knowledge.digest()
        has_news = self._knowledge.has_news
        for key, link in self._links.items():
            if link.open and link.waiting is None and (link.asked or has_news(key)):
                self._announce(now, key, link)
        if self._knowledge.wants_digest:
            self.flush_soon(now)

    def _announce(self, now: int, neighbour: int, link: _Link) -> None:
        news = self._knowledge.take_news(neighbour)
        link.waiting = Announcement(link.session, link.known, link.next_out, *news)
        link.next_out += 1
        link.asked = False
        link.tries = 0
        self._repeat(now, neighbour, link.session, link.waiting.number)

    def _repeat(self, now: int, neighbour: int, session: int, number: int) -> None:
        """Send the announcement that waits, again and again, until it is time to give up."""
        link = self._links.get(neighbour)
        if link is None or link.session != session:
            return
        if link.waiting is None or link.waiting.number != number:
            return
        wait = self._waits.ack_wait(neighbour)
        if link.tries and self._waits.is_under_way(neighbour):
            wait = max(wait, now - link.sent_at)
            self._timers.at(now + wait, self._repeat, neighbour, session, number)
            return
        if link.tries > self._config.link_repeats:
            self._close(neighbour, link, now)
            self._greet(now, neighbour, link.session)
            return
        if not link.tries or not self._waits.is_unread(neighbour):
            self._send(neighbour, link.waiting)
            link.sent_at = now
        wait <<= min(link.tries, 1)
        self._timers.at(now + wait, self._repeat, neighbour, session, number)
        link.tries += 1

    def _probe(self, now: int) -> None:
        """Ask neighbours that have been silent whether they are there."""
        interval = self._config.probe_interval
        for key, link in self._links.items():
            silent = now - link.heard_at >= interval and not self._waits.is_there(key, interval)
            if link.open and link.waiting is None and silent:
                self._announce(now, key, link)
        self._timers.at(now + interval, self._probe)


def _says_something(body: Announcement) -> bool:
    """Whether there is news in an announcement; else it asks whether the other end is there."""
    return body.row is not None or bool(body.updates) or body.neighbours is not None
