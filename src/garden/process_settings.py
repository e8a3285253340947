"""What environment variables tell this process: how many threads to use, whether to cut work short.

``OMP_NUM_THREADS`` limits the threads that work is spread over. Where ``GARDEN_SHORT`` is set,
trainings make a few updates, an experiment runs its first job at a small size, and nothing is
written under ``results/``, so that tests can run every command of the documentation in seconds.
``GARDEN_KERNELS=0`` does without numba, which takes about 100 MB: the plain definitions run then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

SHORT_VARIABLE = "GARDEN_SHORT"
KERNELS_VARIABLE = "GARDEN_KERNELS"
SHORT_UPDATES = 3
"""The updates of a training that is cut short."""


def cut_short() -> bool:
    """Whether work is cut short in this process."""
    return os.environ.get(SHORT_VARIABLE, "") not in ("", "0")


def kernels_wanted() -> bool:
    """Whether kernels are compiled in this process, where numba is there."""
    return os.environ.get(KERNELS_VARIABLE, "") != "0"


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """The function's results for all items, in their order, by as many threads as may be used.

    It serves functions that let the GIL go, as compiled kernels do. One item needs no other thread.
    """
    if len(items) == 1:
        return [function(items[0])]
    with ThreadPoolExecutor(usable_threads()) as pool:
        return list(pool.map(function, items))


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
