"""How long an agent waits for its neighbours, as whoever drives it knows."""

from __future__ import annotations

from typing import Protocol, final


class Waits(Protocol):
    """What a driver knows of the ways to an agent's neighbours."""

    def ack_wait(self, neighbour: int) -> int:
        """How long an acknowledgement of this neighbour is waited for, in milliseconds."""
        ...

    @property
    def pace(self) -> int:
        """The time in which a neighbour is to hear one announcement, at least, in milliseconds.

        Where answers take longer than the usual interval, announcements that follow each other
        faster would tell neighbours what is to change again before they have read it.
        """
        ...

    def is_under_way(self, neighbour: int) -> bool:
        """Whether what was sent to it last was not read yet, and it goes on reading.

        It is waited for then, however long that takes: the answer cannot have been lost.
        """
        ...

    def is_unread(self, neighbour: int) -> bool:
        """Whether what was sent to it last was not read yet, and may still be.

        It is of no use then to send it again; but a neighbour that reads nothing for long is gone.
        """
        ...

    def is_there(self, neighbour: int, since: int) -> bool:
        """Whether the neighbour is known to run, without being asked.

        Args:
            neighbour: Its key.
            since: How old the knowledge may be, in milliseconds.
        """
        ...


@final
class UsualWaits:
    """Waits equally long for all; nothing is known of what they have read."""

    def __init__(self, usual: int) -> None:
        """Take the wait, in milliseconds."""
        self._usual = usual

    def ack_wait(self, neighbour: int) -> int:
        """The usual wait, whoever the neighbour is."""
        return self._usual

    @property
    def pace(self) -> int:
        """0: the usual interval."""
        return 0

    def is_under_way(self, neighbour: int) -> bool:
        """False: nothing is known."""
        return False

    def is_unread(self, neighbour: int) -> bool:
        """False: nothing is known."""
        return False

    def is_there(self, neighbour: int, since: int) -> bool:
        """False: nothing is known.

        Args:
            neighbour: Counts for nothing.
            since: Counts for nothing.
        """
        return False
