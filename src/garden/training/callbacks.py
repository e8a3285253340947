"""Who is told how a training goes: the display of its progress, loggers, callbacks of one's own.

The display is a live bar on a terminal and lines elsewhere: a line comes with every validation, and
at least every 15 seconds, and after the first few updates one says how long the training may take.
TensorBoard and W&B are told where asked for.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garden.errors import DataError, SpecError, duration, expect
from garden.training.config import RunOptions

if TYPE_CHECKING:
    from garden.training.state import Clock, Plan

Record = dict[str, Any]
"""A validation of one seed, as ``metrics.jsonl`` holds it."""

_METHODS = ("on_start", "on_update", "on_validation", "close")  # of a listener
_SILENCE = 15.0  # seconds after which a line says that training goes on
_EARLY_UPDATES = 10  # after so many the first estimate is given
_EARLY_SECONDS = 30.0  # or after this time, where updates are slow


class Listener:
    """Somebody who wants to know how training goes.

    Subclass it and override what you need: by itself it does nothing. An exception that a listener
    raises ends the training; ``KeyboardInterrupt`` ends it as Ctrl-C does, with all that was
    learned. Weights, random numbers and the order of updates are out of a listener's reach.
    """

    def on_start(self, plan: Plan) -> None:
        """Everything is set up and the first update follows; ``plan`` stays up to date."""

    def on_update(self, update: int, total: int) -> None:
        """An update was made.

        Args:
            update: its number, from 1.
            total: how many there will be at most; fewer once a cool-down has begun.
        """

    def on_validation(self, records: Sequence[Record]) -> None:
        """A validation was made; one record per seed, as in ``metrics.jsonl``.

        A record has ``update``, ``seconds``, ``validation_ratio``, ``validation_truncation``,
        ``best_ratio``, and what the method says of its last update (``loss``, …).
        """

    def close(self) -> None:
        """Training is over, however it ended."""


def check_listeners(listeners: Sequence[object]) -> None:
    """Refuse callbacks that cannot listen: each must have all methods of :class:`Listener`."""
    expect("callbacks", listeners, Sequence, otherwise="a list of callbacks")
    for place, listener in enumerate(listeners):
        missing = [name for name in _METHODS if not callable(getattr(listener, name, None))]
        if isinstance(listener, type) or missing:
            raise SpecError(
                f"callbacks[{place}] is {listener!r}: give an object of a subclass of "
                "garden.training.callbacks.Listener"
            )


class SeedListener(Listener):
    """Hears the validations of one seed of a stack."""

    def __init__(self, seed: int, hear: Callable[[Record], None]) -> None:
        self.seed = seed
        self.hear = hear

    def on_validation(self, records: Sequence[Record]) -> None:
        """Pass this seed's record on."""
        self.hear(records[self.seed])


def listeners_for(folder: Path, options: RunOptions, seed: int) -> list[Listener]:
    """The extra loggers that the options ask for.

    Args:
        folder: the run folder that the loggers write into.
        options: which loggers are wanted.
        seed: the place of the run in its stack.
    """
    listeners: list[Listener] = []
    for name, opened in {"tensorboard": _tensorboard, "wandb": _wandb}.items():
        if not getattr(options, name):
            continue
        try:
            listeners.append(SeedListener(seed, opened(folder)))
        except ImportError:
            raise DataError(
                f"`{name}=True` needs the extra: pip install 'garden-search[logging]'"
            ) from None
    return listeners


def _tensorboard(folder: Path) -> Callable[[Record], None]:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(folder / "tensorboard"))

    def hear(record: Record) -> None:
        for name, value in record.items():
            writer.add_scalar(name, value, record["update"])
        writer.flush()

    return hear


def _wandb(folder: Path) -> Callable[[Record], None]:
    import wandb

    run = wandb.init(mode="offline", dir=str(folder), project="garden", reinit="create_new")
    return lambda record: run.log(record, step=record["update"])


def progress_listener() -> Listener:
    """The bar where a terminal and rich are at hand, plain lines otherwise."""
    if sys.stderr is not None and sys.stderr.isatty():
        try:
            return LiveBar()
        except ImportError:  # no rich on this machine
            pass
    return LineLog()


class LineLog(Listener):
    """A line on standard error for every validation, and whenever it was silent for long."""

    def __init__(
        self,
        clock: Clock = time.monotonic,
        say: Callable[[str], None] | None = None,
        silence: float = _SILENCE,
    ) -> None:
        self.clock, self.silence = clock, silence
        self.say = _to_stderr if say is None else say
        self.plan: Plan | None = None
        self.announcement = Announcement(clock)
        self.started = self.spoken = clock()
        self._closed = threading.Event()
        threading.Thread(target=self._break_silence, daemon=True).start()

    def on_start(self, plan: Plan) -> None:
        """Know where training stands from now on."""
        self.plan = plan

    def on_update(self, update: int, total: int) -> None:
        """Say how long it may take, and where it stands if nothing was said for long.

        Args:
            update: its number, from 1.
            total: how many there will be at most.
        """
        announced = self.announcement.due(self.plan)
        if announced is not None:
            self._speak(announced)
        self.speak_if_silent()

    def on_validation(self, records: Sequence[Record]) -> None:
        """Print a line: the update, the validation ratio, the best so far, and the pace."""
        self._speak(f"update {records[0]['update']}, {describe(records)}{self._pace()}")

    def close(self) -> None:
        """Say nothing more; the thread that breaks silences ends."""
        self._closed.set()

    def speak_if_silent(self) -> None:
        """Say where training stands if nothing was said for long."""
        if self.clock() - self.spoken < self.silence:
            return
        if self.plan is None:
            self._speak(f"setting up, {self.clock() - self.started:.0f} s so far")
        else:
            plan = self.plan
            self._speak(f"update {plan.update} of at most {plan.last_update}{self._pace()}")

    def _break_silence(self) -> None:
        """Look every second, so that a line comes within a long validation too."""
        while not self._closed.wait(1.0):
            self.speak_if_silent()

    def _speak(self, words: str) -> None:
        self.spoken = self.clock()
        self.say(f"garden: {words}")

    def _pace(self) -> str:
        left = None if self.plan is None else self.plan.seconds_left()
        if self.plan is None or left is None:
            return ""
        rate = 1 / max(1e-9, self.plan.pace.update)
        return f", {rate:.1f} updates/s, {in_words(left)} left at most"


class LiveBar(Listener):
    """A bar with rate, validation ratio, truncation, entropy and the time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self.bar = Progress(
            TextColumn("training"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[state]}"),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self.task: Any = None
        self.plan: Plan | None = None
        self.announcement = Announcement()

    def on_start(self, plan: Plan) -> None:
        """Put the bar on the screen."""
        self.plan = plan
        self.task = self.bar.add_task(
            "training", total=plan.last_update, rate="", state="", left=""
        )
        self.bar.update(self.task, completed=plan.update)
        self.bar.start()

    def on_update(self, update: int, total: int) -> None:
        """Move the bar on, with the rate of updates and the time left.

        Args:
            update: its number, from 1: how far the bar is.
            total: how many there will be at most: the bar's length.
        """
        if self.plan is None:
            return
        announced = self.announcement.due(self.plan)
        if announced is not None:
            self.bar.console.print(f"garden: {announced}", markup=False, highlight=False)
        left = self.plan.seconds_left()
        self.bar.update(
            self.task,
            completed=update,
            total=total,
            rate=f"{1 / max(1e-9, self.plan.pace.update):.1f}/s",
            left="" if left is None else as_clock(left),
        )

    def on_validation(self, records: Sequence[Record]) -> None:
        """Show the last validation beside the bar."""
        if self.task is not None:
            self.bar.update(self.task, state=describe_briefly(records))

    def close(self) -> None:
        """Take the bar off the screen."""
        self.bar.stop()


class Announcement:
    """Says once, after the first few updates, how long a training may take."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self.first: float | None = None  # when the first update was made
        self.made = False

    def due(self, plan: Plan | None) -> str | None:
        """The line, if this is the moment."""
        if plan is None or self.made:
            return None
        if self.first is None:
            self.first = self.clock()
        if plan.num_made < _EARLY_UPDATES and self.clock() - self.first < _EARLY_SECONDS:
            return None
        self.made = True
        return announcement_of(plan)


def announcement_of(plan: Plan) -> str | None:
    """How long the training may take, in words."""
    left = plan.seconds_left()
    if left is None:
        return None
    words = f"training may take {in_words(left)} ({plan.last_update - plan.update} updates left)"
    if plan.is_limited:
        return f"training will be stopped in {in_words(left)}, by the time limit"
    if plan.may_end_early:
        words += "; it ends sooner where validation stops improving"
    return words


def in_words(seconds: float) -> str:
    """A time as people say it."""
    return f"about {duration(seconds)}"


def as_clock(seconds: float) -> str:
    """A time in the width of a bar."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def describe(records: Sequence[Record]) -> str:
    """A validation in words: means over the seeds of the stack."""
    words = f"validation ratio {_mean(records, 'validation_ratio'):.2f}"
    words += f" (best {_mean(records, 'best_ratio'):.2f})"
    words += f", truncated {100 * _mean(records, 'validation_truncation'):.1f} %"
    if "entropy" in records[0]:
        words += f", entropy {_mean(records, 'entropy'):.2f}"
    return words


def describe_briefly(records: Sequence[Record]) -> str:
    """The same in the width of a bar."""
    words = f"ratio {_mean(records, 'validation_ratio'):.2f}"
    words += f" trunc {100 * _mean(records, 'validation_truncation'):.0f}%"
    return words + (f" H {_mean(records, 'entropy'):.2f}" if "entropy" in records[0] else "")


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _mean(records: Sequence[Record], name: str) -> float:
    return float(sum(record[name] for record in records) / len(records))
