"""How long-running functions tell where they stand, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float, float], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def silent(what: str, done: float, total: float) -> None:
    """Tell nobody."""
