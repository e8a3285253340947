"""A host: a process that runs agents, one socket and one clock for all of them.

It speaks for its own agents and no others; who speaks to it is whoever the connection has proved to
be, never what a frame claims: a frame from an agent is dropped unless it comes from the host that
the agent's contact names. Nothing here waits: a frame that finds no room counts as an answer of
*busy*.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, final

from garden.errors import DataError, GardenError
from garden.peers.actions import Action, Deliver, Ended, Send, Wake
from garden.peers.agent import Agent
from garden.peers.config import AgentConfig
from garden.peers.cut_folder import Programme
from garden.peers.envelopes import MAX_HOPS, Envelope, Message
from garden.peers.messages import Card
from garden.peers.network.contacts import Contact
from garden.peers.network.events import Event, Finished, Passed, Received
from garden.peers.network.members import Counts, Life, Member
from garden.peers.network.payloads import Content, Text, payload_content, sealed_payload
from garden.peers.network.sockets import HostSockets
from garden.peers.network.traffic import HostWaits, Traffic
from garden.peers.signed_cards import KeySigner, SignedCard, signed_card
from garden.peers.timers import Timers

_LOG = logging.getLogger(__name__)
READING: Final = 50_000_000  # ns of work before timers are looked at again, of this thread alone
STARTED_AT_ONCE: Final = 32  # agents, before what has come is read
MOST_BEHIND: Final = 1_000  # ms that timers wait at most, while frames have not been read
LOCAL_AT_ONCE: Final = 256  # envelopes between agents of this host, handed in one turn


@final
class Host:
    """The agents of one process, and their way to others.

    Attributes:
        sockets: What the host hears and answers other hosts by.
        members: The agents' names, views and keys, by their keys.
        agents: The agents, by their keys.
        programme: The strategy, memory and settings that all of them run with.
        timers: Calls to make at some time of :meth:`now`.
        under_way: The messages of its agents that have not ended: their ids, and whose they are.

    """

    def __init__(
        self,
        sockets: HostSockets,
        programme: Programme,
        members: Iterable[Member],
        config: AgentConfig | None = None,
        life: Life | None = None,
    ) -> None:
        """Build the agents.

        Args:
            sockets: The host's sockets; it closes them.
            programme: What all agents run.
            members: The agents.
            config: Their patience and limits.
            life: Which life this is: in a later one, what was sent before is refused.
        """
        self._born = time.monotonic_ns()
        self.sockets = sockets
        self.members = {one.view.key: one for one in members}
        self.programme = programme
        self.timers = Timers()
        self.under_way: dict[bytes, int] = {}
        config = config or AgentConfig()
        self._signers = {key: KeySigner(one.keys) for key, one in self.members.items()}
        self._timers_ran = 0
        self._traffic = Traffic(sockets, self.timers, self.members, config.ack_wait, self.now)
        self._watchers: list[Callable[[Event], None]] = []
        self._services: list[Callable[[Member, Content], None]] = []
        life = life or Life()
        self.agents = {
            key: self._agent(member, config, life) for key, member in self.members.items()
        }

    @property
    def counts(self) -> Counts:
        """What the host has done and seen."""
        return self._traffic.counts

    @property
    def is_settled(self) -> bool:
        """Whether no agent has anything to tell its neighbours."""
        is_waiting = self._traffic.is_local_waiting
        return not is_waiting and all(agent.is_quiet for agent in self.agents.values())

    def now(self) -> int:
        """Milliseconds since the host was built, by a clock that does not go back."""
        return (time.monotonic_ns() - self._born) // 1_000_000

    def watch(self, watcher: Callable[[Event], None]) -> None:
        """Call ``watcher`` with every event of the host from now on."""
        self._watchers.append(watcher)

    def serve(self, service: Callable[[Member, Content], None]) -> None:
        """Hand what is not text, as it arrives for an agent, to a service."""
        self._services.append(service)

    def member_named(self, name: str) -> Member:
        """The agent with this name, or with this key in hexadecimal."""
        for member in self.members.values():
            if name in (member.name, f"{member.view.key:016x}"):
                return member
        raise DataError(f"no agent named {name!r} here")

    def card_of(self, key: int) -> SignedCard:
        """The card of an agent of this host, as it is now."""
        return signed_card(self.members[key].keys, self.agents[key].card.row)

    def open_links(self, key: int) -> frozenset[int]:
        """The neighbours that an agent has an open link to."""
        return frozenset(self.agents[key].sessions)

    def start(self) -> None:
        """Offer signatures to neighbours on other hosts, and greet all of them."""
        self._traffic.links.start(self.now())
        self._start_some(self.now(), list(self.agents))

    def step(self, most: int = 1_000) -> list[Any]:
        """Do what is due; where nothing is, wait for what comes.

        Args:
            most: The longest wait in milliseconds.

        Returns:
            What can be read of that others registered with the sockets' poller.

        """
        due = self.timers.first
        wait = most if due is None else min(most, due - self.now())
        ready = self.sockets.wait(0 if self._traffic.is_local_waiting else wait)
        is_behind = not self._read()
        self._hand(self._traffic.local(LOCAL_AT_ONCE))
        self._run_timers(is_behind or self._traffic.is_local_waiting)
        self._traffic.flush()
        return ready

    def send_text(
        self,
        source: int,
        card: SignedCard,
        text: bytes,
        message_id: bytes | None = None,
        hop_limit: int = MAX_HOPS,
    ) -> bytes:
        """Send text to the owner of a card, sealed to it; the message's id.

        Args:
            source: The key of an agent of this host.
            card: The target's.
            text: At most 4,000 bytes.
            message_id: 16 random bytes; by default made here.
            hop_limit: The hop at which an attempt is given up.
        """
        return self.send_sealed(source, card, Text(text), message_id, hop_limit)

    def send_sealed(
        self,
        source: int,
        card: SignedCard,
        content: Any,
        message_id: bytes | None = None,
        hop_limit: int = MAX_HOPS,
    ) -> bytes:
        """Send content to the owner of a card, sealed to it; the message's id.

        Args:
            source: The key of an agent of this host.
            card: The target's.
            content: Of :mod:`.payloads`: text, or the answer of a directory.
            message_id: 16 random bytes; by default made here.
            hop_limit: The hop at which an attempt is given up.
        """
        message_id = message_id or os.urandom(16)
        self._signers[source].learn(card.public)
        payload = sealed_payload(content, card.public, message_id)
        self._send_payload(source, card.card, payload, message_id, hop_limit)
        return message_id

    def send_unproved(self, source: int, card: Card, payload: bytes) -> bytes:
        """Send to an agent of which nothing but its key is known; the message's id.

        Args:
            source: The key of an agent of this host.
            card: The target's, as far as it is known; any receipt in its name is believed.
            payload: At most 4,096 bytes, which everybody on the way can read.
        """
        message_id = os.urandom(16)
        self._signers[source].take_unproved(card.key)
        self._send_payload(source, card, payload, message_id)
        return message_id

    def admit(self, key: int, contact: Contact) -> None:
        """Let an agent of another host become a neighbour of an agent of this one, if it joins.

        Args:
            key: The agent of this host.
            contact: The other one's keys, and the address of its host.
        """
        self._traffic.links.admit(key, contact, self.now())

    def leave(self) -> None:
        """All agents tell their neighbours that they go for good."""
        for key, agent in self.agents.items():
            self._act(key, agent.leave(self.now()))
        self._traffic.flush()

    def close(self) -> None:
        """Close all sockets of the host; nothing is said to neighbours."""
        self.sockets.close()

    def _agent(self, member: Member, config: AgentConfig, life: Life) -> Agent:
        key = member.view.key
        return Agent(
            member.view,
            self.programme.strategy,
            self.programme.memory,
            config=config,
            signer=self._signers[key],
            admit=lambda sender: self._traffic.links.is_open(key, sender),
            waits=HostWaits(key, self._traffic),
            incarnation=life.incarnation,
            restarted_at=None if life.is_first else 0,
        )

    def _send_payload(
        self, source: int, card: Card, payload: bytes, message_id: bytes, hop_limit: int = MAX_HOPS
    ) -> None:
        nonce = os.urandom(16)
        agent, now = self.agents[source], self.now()
        actions = agent.send(card, payload, message_id, nonce, now, hop_limit)
        self.under_way[message_id] = source
        self._act(source, actions)
        self._traffic.flush()

    def _start_some(self, now: int, waiting: list[int]) -> None:
        """Let agents greet their neighbours, and look in between at what has come."""
        for key in waiting[:STARTED_AT_ONCE]:
            self._act(key, self.agents[key].start(now))
        waiting = waiting[STARTED_AT_ONCE:]
        if waiting:
            self.timers.at(self.now() + 1, self._start_some, waiting)

    def _run_timers(self, is_behind: bool) -> None:
        """Make the calls that are due; but read first what may be the answer they wait for."""
        now = self.now()
        if not is_behind or now - self._timers_ran >= MOST_BEHIND:
            self._timers_ran = now
            self.timers.run(now)

    def _read(self) -> bool:
        """Take the frames that have come; whether there was time for all of them."""
        end = time.thread_time_ns() + READING
        for envelopes in self._traffic.received():
            self._hand(envelopes)
            if time.thread_time_ns() > end:
                return False
        return True

    def _hand(self, envelopes: Collection[Envelope]) -> None:
        """Hand envelopes to their agents; all are acknowledged before a hop is chosen."""
        now = self.now()
        for envelope in envelopes:
            self._do(envelope.receiver, Agent.accept, envelope, now)
        if any(isinstance(one.body, Message) for one in envelopes):
            self._traffic.flush()
        for key in dict.fromkeys(one.receiver for one in envelopes):
            self._do(key, Agent.proceed, now)

    def _do(self, key: int, method: Callable[..., list[Action]], *arguments: Any) -> None:
        """Let an agent do something; one that fails does not take others with it."""
        try:
            self._act(key, method(self.agents[key], *arguments))
        except Exception:
            self.counts.errors += 1
            _LOG.exception("agent %016x failed", key)

    def _act(self, key: int, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._post(action.envelope)
            elif isinstance(action, Wake):
                self.timers.at(action.at, self._wake, key)
            elif isinstance(action, Deliver):
                self._deliver(key, action)
            else:
                self._end(key, action)

    def _wake(self, now: int, key: int) -> None:
        self._act(key, self.agents[key].wake(now))

    def _post(self, envelope: Envelope) -> None:
        sender, receiver, body = envelope
        if isinstance(body, Message):
            self._tell(Passed(sender, receiver, body.id, body.attempt, body.hop))
        self._traffic.post(envelope)

    def _deliver(self, key: int, action: Deliver) -> None:
        member = self.members[key]
        try:
            content = payload_content(action.payload, member.keys, action.id)
        except GardenError:
            self.counts.dropped += 1
            return
        if isinstance(content, Text):
            self._tell(Received(key, action.id, content.content))
            return
        for service in self._services:
            service(member, content)

    def _end(self, key: int, ended: Ended) -> None:
        self.under_way.pop(ended.id, None)
        self._tell(Finished(key, ended))

    def _tell(self, event: Event) -> None:
        for watcher in self._watchers:
            watcher(event)
