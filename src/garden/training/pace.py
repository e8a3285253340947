"""What updates and validations take, by measurement, and how much of them lies ahead.

A time limit is held by this, and people are told how long a training may take. Free of torch.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

_RECENT = 50  # updates that the rate is taken from

Clock = Callable[[], float]
"""The time in seconds, from any fixed moment on."""


@dataclass
class Pace:
    """Measured times, in seconds. ``lap`` says what the time since the last lap was spent on."""

    clock: Clock = time.monotonic
    updates: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT))
    num_updates: int = 0
    embedding: float = 0.0  # of the last validation: representing all nodes
    scoring: float = 0.0  # scores of all nodes for its targets
    walking: float = 0.0  # expected hops, at one temperature
    storing: float = 0.0  # whatever else belongs to a validation
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._since = self.clock()

    def lap(self) -> float:
        """The seconds since the last lap."""
        now = self.clock()
        passed, self._since = now - self._since, now
        return passed

    def updated(self) -> None:
        """An update was made. The first, which warms things up, counts until there are more."""
        if self.num_updates == 1:
            self.updates.clear()
        self.updates.append(self.lap())
        self.num_updates += 1

    def start_validation(self) -> None:
        """A validation begins: forget what the last one took."""
        self.embedding = self.scoring = self.walking = self.storing = 0.0
        self.lap()

    @property
    def update(self) -> float:
        """The seconds that an update takes, the mean of recent ones; 0 before the first."""
        return fmean(self.updates) if self.updates else 0.0

    def validation(self, num_temperatures: int = 1, share: float = 1.0) -> float:
        """The seconds that a validation takes, by what the last one took.

        Args:
            num_temperatures: how many are tried: each is one more walk.
            share: of the validation targets; scoring and walking shrink with it.
        """
        of_targets = self.scoring + num_temperatures * self.walking
        return self.embedding + share * of_targets + self.storing


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
