"""Virtual time: a network of agents in one process, as one heap of events.

Nothing waits: the clock jumps to the next event. All that is random comes from one seed, so that a
run can be repeated to the byte, and an error says the seed. Every envelope is encoded and decoded,
as over a real network.
"""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from garden.errors import GardenError
from garden.peers.actions import Action, Deliver, Ended, Send, Wake
from garden.peers.agent import Agent
from garden.peers.envelopes import MAX_HOPS, Envelope, decoded, encoded
from garden.peers.faults import Faults
from garden.peers.messages import Card

Witness: TypeAlias = Callable[[int, Envelope], None]  # the time, and what arrives


class VirtualTimeError(GardenError):
    """An agent failed in virtual time; the message has the seed that repeats it."""


@dataclass
class Traffic:
    """What was sent so far."""

    envelopes: int = 0
    bytes: int = 0
    lost: int = 0
    events: int = 0


class VirtualNetwork:
    """Agents, what is under way between them, and a clock that jumps to the next event.

    Attributes:
        now: Milliseconds since the network began.
        agents: Those that are up, by their keys.
        endings: How the messages of each id ended; of each one that ended twice, both.
        ended_at: When each of them ended first.
        handed_over: How often each id was handed to its target's owner.
        traffic: What was sent.

    """

    def __init__(
        self, agents: Iterable[Agent], seed: int, faults: Faults | None = None, digest: bool = False
    ) -> None:
        """Put agents into a network, and start them.

        Args:
            agents: Agents that have not started.
            seed: What all random things come from.
            faults: What goes wrong.
            digest: Keep a digest of all that arrives, for comparing runs.
        """
        self.now = 0
        self.agents: dict[int, Agent] = {}
        self.endings: dict[bytes, list[Ended]] = {}
        self.ended_at: dict[bytes, int] = {}
        self.handed_over: dict[bytes, int] = {}
        self.traffic = Traffic()
        self._seed = seed
        self._faults = faults or Faults()
        self._random = random.Random(seed)
        self._times: list[int] = []  # a heap of those at which something happens
        self._events: dict[int, deque[tuple[int, int, bytes | None]]] = {}  # by time, in order
        self._lives: dict[int, int] = {}
        self._skew: dict[int, int] = {}
        self._slow: set[int] = set()
        self._digest = hashlib.blake2b(digest_size=16) if digest else None
        self._witness: Witness | None = None
        for agent in agents:
            self._add(agent)
            self._act(agent.key, agent.start(self._clock(agent.key)))

    @property
    def content_hash(self) -> str:
        """A digest of all that has arrived, and when."""
        if self._digest is None:
            raise GardenError("this network keeps no digest: ask for one")
        return self._digest.hexdigest()

    @property
    def is_quiet(self) -> bool:
        """Whether no agent has anything to tell its neighbours."""
        return all(agent.is_quiet for agent in self.agents.values())

    def watch(self, witness: Witness | None) -> None:
        """Show every envelope that arrives to somebody."""
        self._witness = witness

    def send(
        self, source: int, card: Card, payload: bytes = b"", hop_limit: int = MAX_HOPS
    ) -> bytes:
        """Send a message from an agent; its id.

        Args:
            source: The sender's key.
            card: The target's.
            payload: At most 4,096 bytes.
            hop_limit: The hop at which an attempt is given up.
        """
        message_id, nonce = self._random.randbytes(16), self._random.randbytes(16)
        agent = self.agents[source]
        clock = self._clock(source)
        self._act(source, agent.send(card, payload, message_id, nonce, clock, hop_limit))
        return message_id

    def change_faults(self, faults: Faults) -> None:
        """From now on, something else goes wrong; who is slow and whose clock is ahead stays."""
        self._faults = faults

    def crash(self, key: int) -> None:
        """An agent is gone, with all that it knew, and says nothing."""
        del self.agents[key]
        self._lives[key] += 1

    def restart(self, agent: Agent) -> None:
        """An agent that crashed comes back, built anew with a larger incarnation."""
        self._add(agent)
        self._act(agent.key, agent.start(self._clock(agent.key)))

    def join(self, agent: Agent) -> None:
        """A new agent comes, and tells those that it names as neighbours."""
        self._add(agent)
        self._act(agent.key, agent.join(self._clock(agent.key)))

    def leave(self, key: int) -> None:
        """An agent goes, and says so."""
        self._act(key, self.agents[key].leave(self._clock(key)))
        self.crash(key)

    def clock_of(self, key: int) -> int:
        """What an agent's clock shows now, for building one that restarts."""
        return self._clock(key)

    def run_until(self, time: int) -> None:
        """Let everything happen that happens before a time."""
        times, events = self._times, self._events
        while times and times[0] < time:
            self.now = times[0]
            due = events[self.now]
            while due:
                self._step(*due.popleft())
            del events[self.now]
            heapq.heappop(times)
        self.now = max(self.now, time)

    def settle(self, patience: int = 600_000) -> None:
        """Run until no agent has anything to tell.

        Args:
            patience: The longest that may take, in milliseconds of the network.
        """
        end = self.now + patience
        while self.now < end:
            self.run_until(self.now + 1_000)
            if self.is_quiet:
                return
        raise VirtualTimeError(f"seed {self._seed}: the network has not settled at {self.now} ms")

    def finish(self, ids: Iterable[bytes], patience: int = 1_000_000) -> None:
        """Run until messages have ended.

        Args:
            ids: Of the messages.
            patience: The longest that may take, in milliseconds of the network.
        """
        waiting = set(ids)
        end = self.now + patience
        while waiting and self._times and self.now < end:
            self.run_until(min(end, self.now + 1_000))
            waiting -= self.endings.keys()

    def _add(self, agent: Agent) -> None:
        key = agent.key
        self.agents[key] = agent
        if key not in self._lives:
            self._lives[key] = 0
            self._skew[key] = self._random.randint(0, self._faults.clock_skew)
            if self._random.random() < self._faults.slow:
                self._slow.add(key)

    def _clock(self, key: int) -> int:
        return self.now + self._skew[key]

    def _step(self, key: int, about: int, data: bytes | None) -> None:
        """One event: a wake in some life of an agent, or bytes that a sender posted to it."""
        self.traffic.events += 1
        agent = self.agents.get(key)
        if agent is None:
            return
        try:
            if data is None:
                if self._lives[key] == about:
                    self._act(key, agent.wake(self._clock(key)))
                return
            self._arrive(agent, key, about, data)
        except Exception as error:
            raise VirtualTimeError(
                f"seed {self._seed}: agent {key:016x} failed at {self.now} ms: {error}"
            ) from error

    def _arrive(self, agent: Agent, key: int, sender: int, data: bytes) -> None:
        envelope = Envelope(sender, key, decoded(data))
        if self._digest is not None:
            self._digest.update(b"%d %d %d " % (self.now, sender, key))
            self._digest.update(data)
        if self._witness is not None:
            self._witness(self.now, envelope)
        self._act(key, agent.receive(envelope, self.now + self._skew[key]))

    def _act(self, key: int, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._post(action.envelope)
            elif isinstance(action, Wake):
                self._push(action.at - self._skew[key], key, self._lives[key], None)
            elif isinstance(action, Deliver):
                self.handed_over[action.id] = self.handed_over.get(action.id, 0) + 1
            else:
                self.endings.setdefault(action.id, []).append(action)
                self.ended_at.setdefault(action.id, self.now)

    def _post(self, envelope: Envelope) -> None:
        """Put an envelope under way, unless it is lost."""
        data = encoded(envelope.body)
        self.traffic.envelopes += 1
        self.traffic.bytes += len(data)
        faults, draw = self._faults, self._random.random
        sender, receiver, _ = envelope
        if faults.loss and draw() < faults.loss:
            self.traffic.lost += 1
            return
        parted = faults.partitions or faults.gone_links
        if parted and faults.separates(sender, receiver, self.now):
            self.traffic.lost += 1
            return
        for _ in range(2 if faults.duplication and draw() < faults.duplication else 1):
            self._push(self.now + self._time_under_way(sender, receiver), receiver, sender, data)

    def _time_under_way(self, sender: int, receiver: int) -> int:
        faults, draw = self._faults, self._random.random
        low, high = faults.latency
        time = low + int(draw() * (high - low + 1))
        if self._slow and (sender in self._slow or receiver in self._slow):
            time *= faults.slowness
        if faults.reordering and draw() < faults.reordering:
            time += int(draw() * faults.delay)
        return time

    def _push(self, time: int, key: int, about: int, data: bytes | None) -> None:
        time = max(time, self.now)
        due = self._events.get(time)
        if due is None:
            due = self._events[time] = deque()
            heapq.heappush(self._times, time)
        due.append((key, about, data))
