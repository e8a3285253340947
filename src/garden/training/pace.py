"""How fast a training goes: what updates and validations take, and what is therefore left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

Clock = Callable[[], float]
_RECENT = 50  # updates that the rate is taken from


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
        """What an update takes."""
        return fmean(self.updates) if self.updates else 0.0

    def validation(self, num_temperatures: int = 1, share: float = 1.0) -> float:
        """What a validation takes, on a share of its targets."""
        of_targets = self.scoring + num_temperatures * self.walking
        return self.embedding + share * of_targets + self.storing
