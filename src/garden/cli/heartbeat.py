"""Lines on standard error that say what is being done, where no terminal shows a bar."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

EVERY = 10.0  # seconds between two lines; nobody waits longer than 15, however slow the machine
_LOOK = 1.0  # seconds between two looks at the clock


def print_line(text: str) -> None:
    """A line on standard error; a full or closed one is no reason to stop."""
    with suppress(OSError, ValueError):
        print(f"garden: {text}", file=sys.stderr, flush=True)


class Heartbeat:
    """Remembers what was last said to be done, and repeats it as time goes by."""

    def __init__(
        self,
        what: str,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = print_line,
    ) -> None:
        self._clock, self._say = clock, say
        self._began = self._said = clock()
        self._what, self._done, self._total = what, 0.0, 0.0
        self._whole = (what, self._began)
        self._lock = threading.Lock()

    def show(self, what: str, done: float = 0.0, total: float = 0.0) -> None:
        """Take note of where the work stands; a total of 0 is one that nobody knows.

        After a step that is done, and until the next one is known, the whole is at work.
        """
        with self._lock:
            if 0 < total <= done:
                (self._what, self._began), self._total = self._whole, 0.0
            else:
                self._began = self._began if what == self._what else self._clock()
                self._what, self._done, self._total = what, done, total
        self.beat()

    def beat(self) -> None:
        """Say where the work stands, if nothing was said for long enough."""
        with self._lock:
            now = self._clock()
            if now - self._said < EVERY:
                return
            self._said = now
            line = self._line(now - self._began)
        self._say(line)

    def _line(self, seconds: float) -> str:
        share = self._done / self._total if self._total > 0 else 0.0
        if share <= 0:
            return f"{self._what}: {duration(seconds)} so far"
        left = seconds / share - seconds
        return f"{self._what}: {100 * share:.0f} % after {duration(seconds)}, {duration(left)} left"

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Beat in the background until the block ends."""
        ended = threading.Event()

        def keep_beating() -> None:
            while not ended.wait(_LOOK):
                self.beat()

        thread = threading.Thread(target=keep_beating, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()


def duration(seconds: float) -> str:
    """A length of time in a word or two."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
