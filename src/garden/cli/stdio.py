"""Standard output and error as they come: closed, full, or unable to spell every letter."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path


def ready_streams() -> None:
    """Give closed streams a place to go, and let unspellable letters become question marks."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def abandon_stdout() -> None:
    """Point standard output elsewhere, so that what it still holds fails in silence at exit."""
    with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _nowhere() -> io.TextIOWrapper:
    return Path(os.devnull).open("w", encoding="utf-8")
