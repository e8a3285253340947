"""Showing how a training goes: a live bar on a terminal, a line per validation elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from garden.training.trainer import Listener

Record = dict[str, Any]


def progress_listener() -> Listener:
    """The bar where a terminal and rich are at hand, plain lines otherwise."""
    if sys.stderr is not None and sys.stderr.isatty():
        try:
            return LiveBar()
        except ImportError:  # no rich on this machine
            pass
    return LineLog()


class LineLog:
    """One line per validation on standard error."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.first_update: int | None = None
        self.total = 0

    def on_update(self, update: int, total: int) -> None:
        """Count."""
        if self.first_update is None:
            self.first_update = update - 1
        self.total = total

    def on_validation(self, records: Sequence[Record]) -> None:
        """Say where training stands."""
        update = records[0]["update"]
        made = update - (self.first_update or 0)
        rate = made / max(1e-9, time.monotonic() - self.started)
        left = f", {(self.total - update) / rate:.0f} s left" if made > 0 and rate > 0 else ""
        print(
            f"garden: update {update}, {describe(records)}, {rate:.1f} updates/s{left}",
            file=sys.stderr,
        )

    def close(self) -> None:
        """Nothing to do."""


class LiveBar:
    """A bar with rate, validation ratio, truncation, entropy and the time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self.bar = Progress(
            TextColumn("training"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task: Any = None
        self.started = time.monotonic()
        self.first_update = 0

    def on_update(self, update: int, total: int) -> None:
        """Move the bar."""
        if self.task is None:
            self.first_update = update - 1
            self.task = self.bar.add_task("training", total=total, rate="", state="")
            self.bar.start()
        rate = (update - self.first_update) / max(1e-9, time.monotonic() - self.started)
        self.bar.update(self.task, completed=update, rate=f"{rate:.1f}/s")

    def on_validation(self, records: Sequence[Record]) -> None:
        """Show the last validation beside the bar."""
        if self.task is not None:
            self.bar.update(self.task, state=describe_briefly(records))

    def close(self) -> None:
        """Take the bar off the screen."""
        self.bar.stop()


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


def _mean(records: Sequence[Record], name: str) -> float:
    return float(sum(record[name] for record in records) / len(records))
