"""Who may listen to a training: the progress display, log files, and callbacks of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from garden.errors import SpecError
from garden.training.pace import Pace


@dataclass
class Plan:
    """What lies before a training; the trainer keeps it up to date."""

    update: int  # how many updates have been made
    last_update: int  # how many there will be, at most
    validate_every: int
    may_end_early: bool
    pace: Pace
    num_temperatures: int = 0  # that are tried at the end
    deadline: float | None = None  # by the pace's clock
    num_started: int = 0  # updates that had been made when this run began

    @property
    def num_made(self) -> int:
        """Updates since this run began."""
        return self.update - self.num_started

    def seconds_left(self) -> float | None:
        """How long it may still take, validations included; None before the first update."""
        if self.pace.num_updates == 0:
            return None
        seconds = self._scheduled_seconds()
        if self.deadline is not None:
            seconds = min(seconds, self.deadline - self.pace.clock())
        return max(0.0, seconds)

    @property
    def is_limited(self) -> bool:
        """Whether, by what is known, the time limit comes before the end of the schedule."""
        return (
            self.deadline is not None
            and self.pace.clock() + self._scheduled_seconds() > self.deadline
        )

    def _scheduled_seconds(self) -> float:
        pace, every = self.pace, self.validate_every
        validations = -(-self.last_update // every) - self.update // every
        seconds = (self.last_update - self.update) * pace.update + validations * pace.validation()
        return seconds + (pace.validation(self.num_temperatures) if self.num_temperatures else 0)


class Listener:
    """Somebody who wants to know how training goes.

    Subclass it and override what you need: by itself it does nothing. An exception that a listener
    raises ends the training; ``KeyboardInterrupt`` ends it as Ctrl-C does, with all that was
    learned. Weights, random numbers and the order of updates are out of a listener's reach.
    """

    def on_start(self, plan: Plan) -> None:
        """Everything is set up and the first update follows; ``plan`` stays up to date."""

    def on_update(self, update: int, total: int) -> None:
        """An update was made, the ``update``-th of at most ``total``."""

    def on_validation(self, records: Sequence[dict[str, Any]]) -> None:
        """A validation was made; one record per seed, as in ``metrics.jsonl``.

        A record has ``update``, ``seconds``, ``validation_ratio``, ``validation_truncation``,
        ``best_ratio``, and what the method says of its last update (``loss``, …).
        """

    def close(self) -> None:
        """Training is over, however it ended."""


_METHODS = ("on_start", "on_update", "on_validation", "close")


def check_listeners(listeners: Sequence[object]) -> None:
    """Refuse callbacks that cannot listen."""
    for place, listener in enumerate(listeners):
        missing = [name for name in _METHODS if not callable(getattr(listener, name, None))]
        if isinstance(listener, type) or missing:
            raise SpecError(
                f"callbacks[{place}] is {listener!r}: give an object of a subclass of "
                "garden.training.listener.Listener"
            )
