"""Memory for large observations, lent out and taken back.

Fresh memory of a hundred megabytes costs more than filling it. A buffer is used again as soon as
nobody holds the array that was lent, nor any part of it, and never before.
"""

from __future__ import annotations

import weakref
from typing import Any, final

import numpy as np

MAX_BUFFERS = 3  # the observation in hand, the one before it, and the one being made


@final
class Buffers:
    """Lends float32 arrays of one shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._lent: list[tuple[np.ndarray, weakref.ref[Any]]] = []

    def lend(self) -> np.ndarray:
        """An array to be filled; what stands in it is left over from earlier."""
        for number, (buffer, borrower) in enumerate(self._lent):
            if borrower() is None:
                del self._lent[number]
                return self._tracked(buffer)
        return self._tracked(np.empty(self._shape, dtype=np.float32))

    def _tracked(self, buffer: np.ndarray) -> np.ndarray:
        # NumPy takes hold of a memoryview of its own, which every view of the array keeps alive.
        array = np.asarray(memoryview(buffer))  # type: ignore[arg-type]
        window: Any = array.base
        self._lent = [*self._lent[-(MAX_BUFFERS - 1) :], (buffer, weakref.ref(window))]
        return array
