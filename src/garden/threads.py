"""How many threads to work with: as many as the process may use at once."""

from __future__ import annotations

import os


def usable_threads() -> int:
    """The cores that this process may run on, or ``OMP_NUM_THREADS`` where that is less.

    BLAS and torch follow that variable too: set it to 1 where one process runs per core.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # systems that bind no process to a core
        cores = os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # one number per nesting
    return min(cores, int(asked)) if asked.isdecimal() and int(asked) > 0 else cores
