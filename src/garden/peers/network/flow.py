"""What one host sends another, and how much of that it has read: no sockets, no clock.

Parts wait in a queue until a frame takes them, as many as it holds. Frames are numbered, and each
tells which frame of the other host was read last. No more than a window of frames is under way, so
that a host that reads slowly makes others collect, and is never sent more than it has room for. Of
each part it is known whether it was read; what was not read needs no repetition while the other
host goes on reading.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple, final

from garden.peers.envelopes import Envelope
from garden.peers.network.wire import Head, packed

BATCH: Final = 32_768  # bytes of parts in a frame; a part that is longer goes alone
WINDOW: Final = 64  # frames under way
WINDOW_BYTES: Final = 1 << 20
QUEUE: Final = 1_000  # parts that wait, beyond which messages are refused
MOST_PARTS: Final = 65_536  # beyond which everything is refused
MOST_BYTES: Final = 1 << 24


class _Queued(NamedTuple):
    """A part that waits, and the message in it that is answered as busy if it cannot go."""

    data: bytes
    message: Envelope | None


class _UnderWay(NamedTuple):
    """A frame that was not read yet, as far as is known."""

    number: int
    through: int  # parts posted up to its last one
    size: int


class Outgoing(NamedTuple):
    """A frame to be sent, and the messages in it."""

    data: bytes
    messages: list[Envelope]


@final
class Flow:
    """The frames between this host and one other."""

    def __init__(self, life: int) -> None:
        """Nothing was sent or read.

        Args:
            life: A number that no other life of this host has.
        """
        self._life = life
        self._queue: deque[_Queued] = deque()
        self._queued_bytes = 0
        self._under_way: deque[_UnderWay] = deque()
        self._bytes_under_way = 0
        self._number = 0
        self._posted = 0  # parts, since the beginning
        self._read = 0  # of these, the ones that the other host has read, or that are lost
        self._is_urgent = False  # whether something in the queue does not wait
        self._heard_at = 0  # when the other host was last heard, or a first frame went out
        self._moved_at = 0  # when it last read something, or a first frame went out
        self._other_life = 0
        self._other_number = 0
        self._told = 0  # the other's frame that it knows to be read

    @property
    def is_waiting(self) -> bool:
        """Whether parts wait for a frame."""
        return bool(self._queue)

    @property
    def is_under_way(self) -> bool:
        """Whether frames are under way."""
        return bool(self._under_way)

    @property
    def owes_word(self) -> bool:
        """Whether the other host does not know yet what was read of it."""
        return self._other_number > self._told

    def post(
        self, data: bytes, message: Envelope | None = None, is_urgent: bool = False
    ) -> int | None:
        """Queue a part.

        Args:
            data: Its bytes.
            message: The envelope in it, where that is a message.
            is_urgent: Whether it goes before frames under way were read. What does not waits for
                that, or until a frame is full.

        Returns:
            A number to ask :meth:`is_unread` by; nothing where there is no room.

        """
        limit = MOST_PARTS if message is None else QUEUE
        if len(self._queue) >= limit or self._queued_bytes + len(data) > MOST_BYTES:
            return None
        self._queue.append(_Queued(data, message))
        self._queued_bytes += len(data)
        self._posted += 1
        self._is_urgent |= is_urgent
        return self._posted

    def next_frame(self, now: int) -> Outgoing | None:
        """A frame of what waits, where there is something and the window has room."""
        if not self._queue:
            return None
        if len(self._under_way) >= WINDOW or self._bytes_under_way >= WINDOW_BYTES:
            return None
        if self._under_way and not self._is_urgent and self._queued_bytes < BATCH:
            return None
        parts: list[bytes] = []
        messages: list[Envelope] = []
        size = 0
        while self._queue and (not size or size + len(self._queue[0].data) <= BATCH):
            data, message = self._queue.popleft()
            parts.append(data)
            size += len(data)
            if message is not None:
                messages.append(message)
        self._queued_bytes -= size
        self._is_urgent &= bool(self._queue)
        self._number += 1
        self._begin(now)
        through = self._posted - len(self._queue)
        self._under_way.append(_UnderWay(self._number, through, size))
        self._bytes_under_way += size
        return Outgoing(packed(self._head(), parts), messages)

    def word(self) -> bytes:
        """A frame without parts: it tells what was read, and asks for nothing."""
        return packed(self._head())

    def question(self, now: int) -> bytes:
        """A frame without parts that is to be acknowledged, and all before it."""
        self._number += 1
        self._begin(now)
        self._under_way.append(_UnderWay(self._number, self._posted - len(self._queue), 0))
        return packed(self._head())

    def take(self, head: Head, now: int) -> None:
        """The head of a frame of the other host.

        Args:
            head: What the frame says of the frames between the two hosts.
            now: The time, in milliseconds.
        """
        if head.life != self._other_life:
            self._other_life, self._other_number, self._told = head.life, 0, 0
        self._other_number = max(self._other_number, head.number)
        self._heard_at = now
        if head.read_life != self._life or head.read > self._number:
            return
        under_way = self._under_way
        while under_way and under_way[0].number <= head.read:
            frame = under_way.popleft()
            self._bytes_under_way -= frame.size
            self._read = frame.through
            self._moved_at = now

    def is_unread(self, ticket: int) -> bool:
        """Whether the part that :meth:`post` gave this number was not read yet."""
        return ticket > self._read

    def is_heard(self, since: int) -> bool:
        """Whether the other host was heard since a time."""
        return self._heard_at > since

    def is_stuck(self, since: int) -> bool:
        """Whether frames are under way, none of which was read since a time."""
        return bool(self._under_way) and self._moved_at <= since

    def lose(self) -> list[Envelope]:
        """There is no connection: forget all frames; the messages that still waited."""
        messages = [one.message for one in self._queue if one.message is not None]
        self._queue.clear()
        self._is_urgent = False
        self._under_way.clear()
        self._queued_bytes = self._bytes_under_way = 0
        self._read = self._posted
        self._told = 0
        return messages

    def _begin(self, now: int) -> None:
        if not self._under_way:
            self._moved_at = now
            self._heard_at = max(self._heard_at, now)

    def _head(self) -> Head:
        self._told = self._other_number
        return Head(self._life, self._number, self._other_life, self._other_number)
