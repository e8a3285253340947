"""Reusable memory for large observations.

Allocating a hundred megabytes costs more than filling them. A buffer is used again once neither the
array that was handed out nor any view of it is referenced any more, and never before.
"""

from __future__ import annotations

import weakref
from typing import Any, final

import numpy as np

MAX_BUFFERS = 3  # the observation in hand, the one before it, and the one being made


@final
class Buffers:
    """A pool of float32 arrays of one shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._in_use: list[tuple[np.ndarray, weakref.ref[Any]]] = []

    def take(self) -> np.ndarray:
        """An array with arbitrary contents, to be filled by the caller."""
        for number, (buffer, window) in enumerate(self._in_use):
            if window() is None:
                del self._in_use[number]
                return self._tracked(buffer)
        return self._tracked(np.empty(self._shape, dtype=np.float32))

    def _tracked(self, buffer: np.ndarray) -> np.ndarray:
        # NumPy wraps a memoryview of its own, which every view of the array keeps alive.
        array = np.asarray(memoryview(buffer))  # type: ignore[arg-type]
        window: Any = array.base
        self._in_use = [*self._in_use[-(MAX_BUFFERS - 1) :], (buffer, weakref.ref(window))]
        return array
