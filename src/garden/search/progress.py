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
