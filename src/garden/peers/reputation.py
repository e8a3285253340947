"""Which neighbours bring receipts back: a defence against those that take messages and drop them.

A holder knows to whom it passed a message on, and through whom a receipt returned. A neighbour
that takes messages and seldom brings a receipt back is avoided. An honest one that sends on to a
dropper is blamed as well, so that blame fades with time, and whoever has no other neighbour takes
it. Receipts are not checked on the way: an attacker that forges them keeps its good name.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

MAX_WATCHED: Final = 4_096  # messages that a receipt is waited for
FADING: Final = 0.95  # what is left of a neighbour's record after one more message
LEAST_SENT: Final = 2.0  # messages, faded, below which nobody is judged
LEAST_SHARE: Final = 0.34  # of them that must have brought a receipt


class Reputation:
    """What became of the messages that an agent passed on, by neighbour."""

    def __init__(self, patience: int) -> None:
        """Reputations of neighbours of whom nothing is known yet.

        Args:
            patience: Milliseconds after which a receipt is no longer expected.
        """
        self._patience = patience
        self._waiting: OrderedDict[tuple[bytes, int, int], int] = OrderedDict()  # since when
        self._used: OrderedDict[bytes, dict[int, int]] = OrderedDict()  # neighbour: attempt
        self._sent: dict[int, float] = {}
        self._missing: dict[int, float] = {}
        self._avoided: frozenset[int] = frozenset()

    @property
    def avoided(self) -> frozenset[int]:
        """Neighbours through whom too few receipts came back."""
        return self._avoided

    def used_before(self, message_id: bytes, attempt: int) -> frozenset[int]:
        """The neighbours that earlier attempts of a message went to from here.

        Args:
            message_id: 16 bytes.
            attempt: The present one; those before it count.
        """
        used = self._used.get(message_id)
        if not used:
            return frozenset()
        return frozenset(one for one, when in used.items() if when < attempt)

    def passed_on(self, neighbour: int, message_id: bytes, attempt: int, now: int) -> None:
        """A message was sent to a neighbour.

        Args:
            neighbour: Its key.
            message_id: 16 bytes.
            attempt: From 0.
            now: The time, in milliseconds.
        """
        place = (message_id, attempt, neighbour)
        if place not in self._waiting:
            self._waiting[place] = now
        self._used.setdefault(message_id, {}).setdefault(neighbour, attempt)
        if len(self._waiting) > MAX_WATCHED:
            self._waiting.popitem(last=False)
        if len(self._used) > MAX_WATCHED:
            self._used.popitem(last=False)

    def refused(self, neighbour: int, message_id: bytes, attempt: int) -> None:
        """A neighbour did not take a message: no receipt is due.

        Args:
            neighbour: Its key.
            message_id: 16 bytes.
            attempt: From 0.
        """
        self._waiting.pop((message_id, attempt, neighbour), None)

    def receipt(self, neighbour: int, message_id: bytes, attempt: int) -> None:
        """A receipt came back through a neighbour.

        Args:
            neighbour: Its key.
            message_id: 16 bytes.
            attempt: That which the receipt answers.
        """
        if self._waiting.pop((message_id, attempt, neighbour), None) is not None:
            self._note(neighbour, 0.0)

    def expire(self, now: int) -> None:
        """Count those receipts that should have come by now."""
        while self._waiting:
            place, since = next(iter(self._waiting.items()))
            if since + self._patience > now:
                return
            del self._waiting[place]
            self._note(place[2], 1.0)

    def forget(self, neighbour: int) -> None:
        """Drop what was counted about a neighbour that has gone."""
        self._sent.pop(neighbour, None)
        self._missing.pop(neighbour, None)
        self._avoided -= {neighbour}

    def _note(self, neighbour: int, missing: float) -> None:
        sent = self._sent[neighbour] = FADING * self._sent.get(neighbour, 0.0) + 1
        lost = FADING * self._missing.get(neighbour, 0.0) + missing
        self._missing[neighbour] = lost
        if sent >= LEAST_SENT and (sent - lost) / sent < LEAST_SHARE:
            self._avoided |= {neighbour}
        else:
            self._avoided -= {neighbour}
