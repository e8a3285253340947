"""How long other hosts take to answer, so that what is slow is not taken for lost.

One question to each host is timed at a time: an announcement or a message, until its
acknowledgement is there. A question that was sent again counts from its first sending. Hosts that
answer slowly are waited for longer, they alone, and within a bound: a host that lies about it
delays what goes to itself.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple, TypeAlias, final

from garden.peers.envelopes import Ack, Announcement, Body, Envelope, Heard, Message

MOST_TIMES: Final = 8  # the usual wait, at most
FORGET_AFTER: Final = 60_000  # ms until another question is timed where one was never answered

_Question: TypeAlias = Hashable


class _Timed(NamedTuple):
    """A question that has not been answered yet."""

    question: _Question
    at: int


@final
class RoundTrips:
    """The smoothed times from questions to answers, by host."""

    def __init__(self, usual: int) -> None:
        """Nothing is known yet.

        Args:
            usual: How long an answer is waited for at least, in milliseconds.
        """
        self._usual = usual
        self._timed: dict[bytes, _Timed] = {}
        self._smoothed: dict[bytes, float] = {}

    def wait(self, host: bytes) -> int:
        """How long an answer of a host is waited for, in milliseconds."""
        smoothed = self._smoothed.get(host)
        if smoothed is None:
            return self._usual
        return max(self._usual, min(MOST_TIMES * self._usual, int(2 * smoothed)))

    @property
    def mean(self) -> int:
        """The mean of the smoothed times of all hosts, in milliseconds, within the same bound."""
        if not self._smoothed:
            return 0
        mean = sum(self._smoothed.values()) / len(self._smoothed)
        return min(MOST_TIMES * self._usual, int(mean))

    def sent(self, host: bytes, envelope: Envelope, now: int) -> None:
        """An envelope goes to an agent of a host.

        Args:
            host: The other host's key; empty: this one.
            envelope: An announcement or message begins a measurement, where none is under way.
            now: The time, in milliseconds.
        """
        timed = self._timed.get(host)
        if timed is not None and now - timed.at < FORGET_AFTER:
            return
        question = _question(envelope.body)
        if question is not None:
            self._timed[host] = _Timed((envelope.sender, envelope.receiver, question), now)

    def received(self, host: bytes, envelope: Envelope, now: int) -> None:
        """An envelope has come from an agent of a host.

        Args:
            host: The other host's key; empty: this one.
            envelope: The answer to what is being timed ends the measurement.
            now: The time, in milliseconds.
        """
        timed = self._timed.get(host)
        if timed is None:
            return
        answered = _answered(envelope.body)
        if answered is None or timed.question != (envelope.receiver, envelope.sender, answered):
            return
        del self._timed[host]
        taken = now - timed.at
        before = self._smoothed.get(host, taken)
        share = 0.5 if taken > before else 0.125  # slowness is believed sooner than its end
        self._smoothed[host] = before + share * (taken - before)


def _question(body: Body) -> _Question | None:
    """What a body asks to be acknowledged, where it does."""
    if isinstance(body, Announcement):
        return body.session, body.number
    if isinstance(body, Message):
        return body.id, body.attempt, body.hop
    return None


def _answered(body: Body) -> _Question | None:
    """What a body acknowledges, where it does."""
    if isinstance(body, Heard):
        return body.known, body.number
    if isinstance(body, Ack):
        return body.id, body.attempt, body.hop
    return None
