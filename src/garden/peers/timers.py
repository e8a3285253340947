"""Timers of one agent: a heap of calls to make, without a clock."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


class Timers:
    """Calls to make at some time. Those of one time are made in the order they were set."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._count = 0
        self._asked: int | None = None  # the earliest wake that was asked for

    @property
    def first(self) -> int | None:
        """When the first call is due."""
        return self._heap[0][0] if self._heap else None

    def at(self, time: int, call: Callable[..., None], *arguments: Any) -> None:
        """Make a call at a time; it is handed the time when it is made, then the arguments.

        Args:
            time: In milliseconds of the agent's clock.
            call: What to call.
            *arguments: What it is handed after the time.
        """
        self._count += 1
        heapq.heappush(self._heap, (time, self._count, call, arguments))

    def run(self, now: int) -> None:
        """Make all calls that are due."""
        if self._asked is not None and self._asked <= now:
            self._asked = None
        heap = self._heap
        while heap and heap[0][0] <= now:
            _, _, call, arguments = heapq.heappop(heap)
            call(now, *arguments)

    def next_wake(self) -> int | None:
        """When to be woken, where that is earlier than what was asked for already."""
        if not self._heap:
            return None
        first = self._heap[0][0]
        if self._asked is not None and self._asked <= first:
            return None
        self._asked = first
        return first
