"""Ctrl-C between updates and not within one, so that what is stored is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


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
