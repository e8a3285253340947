"""How the kernels are compiled: kept on disk where a folder for that can be written.

numba keeps compiled code beside the module or in the user's cache and refuses to compile at all
where it may write neither; there a kernel is compiled anew by each process. Importing this module
needs numba, and fails where a process does without (:func:`.process_settings.kernels_wanted`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garden.process_settings import kernels_wanted

if not kernels_wanted():
    raise ImportError("compiled kernels are switched off in this process")

import numba


def compiled(**flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a kernel with these flags of ``numba.njit``; it lets the GIL go."""

    def compiled_function(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, nogil=True, **flags)(function)
        except RuntimeError:  # what numba raises where it can write no cache
            return numba.njit(nogil=True, **flags)(function)

    return compiled_function


def inlined(function: Callable[..., Any]) -> Any:
    """A function that becomes part of the kernels that call it, and is never compiled by itself."""
    return numba.njit(nogil=True, inline="always")(function)
