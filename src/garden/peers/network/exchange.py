"""The exchange of frames between a host and all others, paced by what they have read.

What agents say to agents of one other host within a turn goes in one frame. A frame that is read is
acknowledged by the next one that goes back, or by one of its own after a short while. A host that
acknowledges nothing is asked; one without a connection loses what was under way, and messages to it
are refused at once.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from typing import Final, final

from garden.peers.envelopes import Envelope
from garden.peers.network.flow import Flow
from garden.peers.network.sockets import HostSockets
from garden.peers.network.wire import Part, packed_part, unpacked
from garden.peers.timers import Timers

WORD_WAIT: Final = 50  # ms until a frame that was read is acknowledged by one without parts
ASK_WAIT: Final = 1_000  # ms without an acknowledgement until it is asked for


@final
class Exchange:
    """What goes to other hosts, and what has come."""

    def __init__(
        self,
        sockets: HostSockets,
        timers: Timers,
        patience: int,
        refused: Callable[[Envelope], None],
    ) -> None:
        """Nothing was sent.

        Args:
            sockets: The host's.
            timers: Its timers.
            patience: Milliseconds of silence after which a host is asked whether it is there, and
                counts as silent where something was sent to it.
            refused: Called with each message that cannot go.
        """
        self._sockets = sockets
        self._timers = timers
        self._patience = patience
        self._refused = refused
        self._life = int.from_bytes(os.urandom(8), "little")
        self._flows: defaultdict[bytes, Flow] = defaultdict(lambda: Flow(self._life))
        self._unsent: dict[bytes, Flow] = {}  # those with something new, in order
        self._asking: set[bytes] = set()
        self._owing: set[bytes] = set()
        self._heard_at: dict[bytes, int] = {}
        timers.at(0, self._keep_up)

    def post(
        self,
        host_key: bytes,
        part: Part,
        message: Envelope | None = None,
        is_urgent: bool = False,
    ) -> int | None:
        """Queue what one agent says to another, for the end of the turn.

        Args:
            host_key: The other agent's host.
            part: What is said.
            message: The envelope, where it is a message.
            is_urgent: Whether it goes before frames under way were read.

        Returns:
            A number to ask :meth:`is_under_way` by; nothing where there is no room.

        """
        flow = self._flows[host_key]
        ticket = flow.post(packed_part(part), message, is_urgent)
        if ticket is not None:
            self._unsent[host_key] = flow
        return ticket

    def admit(self, host_key: bytes, address: str) -> None:
        """Let one more host speak.

        Args:
            host_key: Its public key, 32 bytes.
            address: Where it listens, as in ``127.0.0.1:7100``.
        """
        self._sockets.admit(host_key, address)

    def flush(self, now: int) -> None:
        """Send what waits, as far as the windows of the other hosts allow."""
        while self._unsent:
            host_key, flow = self._unsent.popitem()
            self._send(now, host_key, flow)

    def take(self, host_key: bytes, data: bytes, now: int) -> list[Part]:
        """The parts of a frame that has come from a host.

        Args:
            host_key: The key that the connection proved.
            data: The frame.
            now: The time, in milliseconds.

        Raises:
            EnvelopeError: If it is no frame.
        """
        head, parts = unpacked(data)
        flow = self._flows[host_key]
        flow.take(head, now)
        self._heard_at[host_key] = now
        if flow.is_waiting:
            self._unsent[host_key] = flow
        if flow.owes_word and host_key not in self._owing:
            self._owing.add(host_key)
            self._timers.at(now + WORD_WAIT, self._give_word, host_key)
        return parts

    def is_under_way(self, host_key: bytes, ticket: int, now: int | None) -> bool:
        """Whether what was posted was not read yet.

        Args:
            host_key: The host that it was posted to.
            ticket: What :meth:`post` gave.
            now: The time, where a host that was silent for long does not count; None: it counts.
        """
        flow = self._flows.get(host_key)
        if flow is None or not flow.is_unread(ticket):
            return False
        return now is None or flow.is_heard(now - self._patience)

    def is_heard(self, host_key: bytes, since: int) -> bool:
        """Whether a frame of a host has come since a time.

        Args:
            host_key: The host's public key.
            since: The time, in milliseconds.
        """
        return self._heard_at.get(host_key, since - 1) >= since

    def reaches(self, host_key: bytes) -> bool:
        """Whether there is a connection to a host; one is begun where there is none."""
        return self._sockets.send(host_key, self._flows[host_key].word())

    def _send(self, now: int, host_key: bytes, flow: Flow) -> None:
        while True:
            frame = flow.next_frame(now)
            if frame is None:
                break
            if not self._sockets.send(host_key, frame.data):
                self._refuse(frame.messages + flow.lose())
                return
        self._see_it_read(now, host_key, flow)

    def _see_it_read(self, now: int, host_key: bytes, flow: Flow) -> None:
        if flow.is_under_way and host_key not in self._asking:
            self._asking.add(host_key)
            self._timers.at(now + ASK_WAIT, self._ask, host_key)

    def _give_word(self, now: int, host_key: bytes) -> None:
        """Acknowledge what was read, unless a frame has done so."""
        self._owing.discard(host_key)
        flow = self._flows[host_key]
        if flow.owes_word:
            self._sockets.send(host_key, flow.word())

    def _ask(self, now: int, host_key: bytes) -> None:
        """Ask a host that has acknowledged nothing for a while; it may be gone or new."""
        flow = self._flows[host_key]
        self._asking.discard(host_key)
        if flow.is_stuck(now - ASK_WAIT):
            self._question(now, host_key, flow)
        self._see_it_read(now, host_key, flow)

    def _keep_up(self, now: int) -> None:
        """Ask hosts that were silent for a while whether they are there, once for all agents."""
        for host_key, heard_at in self._heard_at.items():
            flow = self._flows[host_key]
            if now - heard_at >= self._patience and not flow.is_under_way:
                self._question(now, host_key, flow)
                self._see_it_read(now, host_key, flow)
        self._timers.at(now + self._patience // 2, self._keep_up)

    def _question(self, now: int, host_key: bytes, flow: Flow) -> None:
        if not self._sockets.send(host_key, flow.question(now)):
            self._refuse(flow.lose())

    def _refuse(self, messages: list[Envelope]) -> None:
        for message in messages:
            self._refused(message)
