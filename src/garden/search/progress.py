"""How long-running functions report progress to their caller."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float, float], None]
"""Called with the name of a step, how much of it is done, and how much there is in all."""


def silent(what: str, done: float, total: float) -> None:
    """Report nothing: the default, called as any other progress function is.

    Args:
        what: The name of a step.
        done: How much of it is done.
        total: How much there is in all.
    """


def duration(seconds: float) -> str:
    """A length of time as text: ``45 s``, ``3 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
