"""Everything that changes while a stack of models trains, how it is stored, and when it ends.

A seed's state file holds its last weights, its best weights, its optimiser moments and the random
state, so that one file is enough to continue exactly (:mod:`garden.training.resume`).

A training whose validation has not improved for long is not simply cut off: a falling step size is
worth a good part of the gain, and a model at full step size jumps about its best. So the step size
first falls to 0 over a few updates (the cool-down), and then training ends. Ctrl-C ends a
training between two updates, so that what is stored is whole.

What updates and validations take is measured: a time limit is held by this, and people are told how
long a training may take.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from types import FrameType

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.policy import write_tensors
from garden.training.methods.config import TrainingConfig

STATE_FILE = "state.safetensors"
NOTABLE = 0.001  # what a validation ratio must gain, where a cool-down follows, to count
MOMENTS = ("exp_avg", "exp_avg_sq")  # of an optimiser, that are stored
_RECENT = 50  # updates that the rate is taken from

Clock = Callable[[], float]
"""The time in seconds, from any fixed moment on."""


@dataclass
class SeedProgress:
    """How far one seed has come."""

    best_ratio: float = float("inf")
    best_update: int = -1
    stale: int = 0  # validations since the best
    notable_ratio: float = float("inf")  # the last best that was better by more than a trifle
    idle: int = 0  # validations since that
    temperature: float = 1.0  # chosen at the end, for models that have one
    tempered_ratio: float | None = None  # the best model's ratio at that temperature


@dataclass
class TrainingState:
    """A stack of models in training."""

    model: Model
    optimiser: torch.optim.Optimizer
    generator: torch.Generator
    best: dict[str, Tensor]  # the best weights of each seed, stacked
    seeds: list[SeedProgress]
    update: int = 0
    validated: int = -1  # the last update that was validated
    cooling_since: int = -1  # the update at which the step size began to fall to 0
    seconds: float = 0.0
    stats: list[dict[str, float]] = field(default_factory=list)  # of the last update, per seed

    def keep_best(self, seed: int) -> None:
        """Remember this seed's present weights as its best."""
        for name, tensor in self.model.state_dict().items():
            if is_stacked(name):
                self.best[name][seed] = tensor[seed]
            else:
                self.best[name].copy_(tensor)

    def save(self, folders: Sequence[Path]) -> None:
        """Write each seed's state into its folder."""
        for seed, folder in enumerate(folders):
            record = {
                "update": self.update,
                "validated": self.validated,
                "cooling_since": self.cooling_since,
                "seconds": self.seconds,
                "stats": self.stats[seed] if self.stats else {},
                "progress": vars(self.seeds[seed]),
                "device": self.generator.device.type,
                "stack": [len(self.seeds), seed],
            }
            write_tensors(folder / STATE_FILE, self._tensors_of(seed), record)

    def _tensors_of(self, seed: int) -> dict[str, Tensor]:
        tensors = {"random": self.generator.get_state()}
        for name, tensor in self.model.state_dict().items():
            tensors[f"last.{name}"] = slice_of(name, tensor, seed)
            tensors[f"best.{name}"] = slice_of(name, self.best[name], seed)
        for name, parameter in self.model.named_parameters():
            moments = self.optimiser.state.get(parameter, {})
            for moment in MOMENTS:
                if moment in moments:
                    tensors[f"{moment}.{name}"] = moments[moment][seed : seed + 1]
        return tensors


def is_stacked(name: str) -> bool:
    """Whether an entry of a model's state has a seed axis.

    The input scaling has none, nor has what is known of profiles.
    """
    return name not in ("shift", "scale") and not name.startswith("known.")


def weights_of(stacked: Mapping[str, Tensor], seed: int) -> dict[str, Tensor]:
    """One seed's part of stacked weights.

    Args:
        stacked: entries of a model's state, of all seeds.
        seed: the place of the seed in the stack.

    Returns:
        views, each a stack of one; what has no seed axis is there whole.
    """
    return {name: slice_of(name, tensor, seed) for name, tensor in stacked.items()}


def slice_of(name: str, tensor: Tensor, seed: int) -> Tensor:
    """One seed's part of an entry of a model's state, as a stack of one.

    Args:
        name: of the entry.
        tensor: of all seeds.
        seed: the place of the seed in the stack.
    """
    return tensor[seed : seed + 1] if is_stacked(name) else tensor


def note_ratio(progress: SeedProgress, ratio: float, update: int) -> bool:
    """Count a validation; whether it is the best so far.

    Args:
        progress: a seed's record of its validations.
        ratio: the validation ratio.
        update: the update that was validated.
    """
    progress.stale += 1
    progress.idle += 1
    if ratio < progress.notable_ratio - NOTABLE:
        progress.notable_ratio, progress.idle = ratio, 0
    if ratio >= progress.best_ratio:
        return False
    progress.best_ratio, progress.best_update, progress.stale = ratio, update, 0
    return True


def has_lost_patience(state: TrainingState, config: TrainingConfig) -> bool:
    """Whether no seed has improved for as many validations as patience says.

    Args:
        state: says how many validations ago each seed improved, and whether it is cooling down.
        config: says how many of those, and of the cool-down's updates, there may be.
    """
    if config.patience == 0 or state.cooling_since >= 0:
        return False
    if config.cooldown == 0:
        return all(seed.stale >= config.patience for seed in state.seeds)
    if state.update + config.cooldown >= config.updates:
        return False  # the schedule ends sooner than a cool-down would
    return all(seed.idle >= config.patience for seed in state.seeds)


def last_update(state: TrainingState, config: TrainingConfig) -> int:
    """The update at which training ends, as far as is known.

    Args:
        state: says when a cool-down began, if it did.
        config: says how many updates there are, and how many of a cool-down.
    """
    if state.cooling_since < 0:
        return config.updates
    return min(config.updates, state.cooling_since + config.cooldown)


def step_size(state: TrainingState, config: TrainingConfig) -> float:
    """The step size of the next update: the schedule's, or what a cool-down leaves of it.

    Args:
        state: says how many updates were made, and when a cool-down began.
        config: has the learning rate, the schedule and the cool-down's length.
    """
    scheduled = config.learning_rate * step_share(state.update, config)
    if state.cooling_since < 0:
        return scheduled
    height = config.learning_rate * step_share(state.cooling_since, config)
    left = 1 - (state.update - state.cooling_since) / config.cooldown
    return min(scheduled, height * left)


def step_share(update: int, config: TrainingConfig) -> float:
    """The share of the learning rate that the schedule gives an update.

    Args:
        update: how many updates were made before it.
        config: names the schedule, and says how many updates there are.
    """
    if config.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * update / config.updates))


@dataclass
class Interrupt:
    """Whether somebody asked to stop, and again."""

    requested: bool = False
    repeated: bool = False


@contextmanager
def deferred_interrupt(interrupt: Interrupt) -> Iterator[None]:
    """Within the block, the first Ctrl-C is noted and the second one interrupts as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        if interrupt.requested:
            interrupt.repeated = True
            raise KeyboardInterrupt
        interrupt.requested = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def seed_of_stack(seeds: tuple[int, ...]) -> int:
    """One number for the random stream that a stack of seeds shares."""
    number = 0
    for seed in seeds:
        number = (number * 1_000_003 + seed + 1) % (1 << 63)
    return number


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
