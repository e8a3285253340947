"""What environment variables tell this process: threads and memory to use, work to cut short.

``OMP_NUM_THREADS`` limits the threads that work is spread over. ``GARDEN_MEMORY`` sets how many
gigabytes a process may count on, whatever the machine says; 0 switches that check off. Where
``GARDEN_SHORT`` is set, trainings make a few updates, an experiment runs its first job at a small
size, and nothing is written under ``results/``, so that tests can run every command of the
documentation in seconds. ``GARDEN_KERNELS=0`` does without numba, which takes about 100 MB: the
plain definitions run then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from garden.errors import GardenError, SpecError

Item = TypeVar("Item")
Result = TypeVar("Result")

SHORT_VARIABLE = "GARDEN_SHORT"
KERNELS_VARIABLE = "GARDEN_KERNELS"
SHORT_UPDATES = 3
"""The updates of a training that is cut short."""

MEMORY_VARIABLE = "GARDEN_MEMORY"
_LEAST_CHECKED = 1e9  # bytes; below it nothing is asked
MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")


def cut_short() -> bool:
    """Whether work is cut short in this process."""
    return os.environ.get(SHORT_VARIABLE, "") not in ("", "0")


def kernels_wanted() -> bool:
    """Whether kernels are compiled in this process, where numba is there."""
    return os.environ.get(KERNELS_VARIABLE, "") != "0"


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """The function's results for all items, in their order, by as many threads as may be used.

    Args:
        function: Lets the GIL go, as compiled kernels do, or nothing is gained.
        items: Its arguments; one item needs no other thread.
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


class MemoryLimitError(GardenError):
    """Work that would need more memory than there is."""


def require_memory(num_bytes: float, what: str, advice: str) -> None:
    """Refuse work that needs more memory than is available, in a line that says what to set.

    Estimates are rough, and on the high side of what was measured.

    Args:
        num_bytes: About how much it takes.
        what: The work, as the subject of a sentence.
        advice: What to do about it: which option to set, and how.

    Raises:
        MemoryLimitError: If it is a gigabyte or more, and more than there is.

    """
    if num_bytes < _LEAST_CHECKED:
        return
    available = available_bytes()
    if available is not None and num_bytes > available:
        raise MemoryLimitError(
            f"{what} takes about {num_bytes / 1e9:.3g} GB of memory and {available / 1e9:.3g} GB "
            f"are available: {advice}; {MEMORY_VARIABLE}=0 tries it all the same"
        )


def available_bytes() -> float | None:
    """What this process may still take without swapping; None where that is unknown.

    The least of what the system has free (``/proc/meminfo``) and what the process's control group
    leaves, unless ``GARDEN_MEMORY`` says otherwise.
    """
    asked = os.environ.get(MEMORY_VARIABLE, "").strip()
    if asked:
        return _bytes_asked_for(asked)
    found = [size for size in (_free_of_system(), _free_of_group()) if size is not None]
    return min(found, default=None)


def _bytes_asked_for(text: str) -> float | None:
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not gigabytes >= 0:
        raise SpecError(f"{MEMORY_VARIABLE}={text}: give gigabytes, such as 8, or 0 for no limit")
    return 1e9 * gigabytes if gigabytes else None


def _free_of_system() -> float | None:
    try:
        lines = MEMINFO.read_text().splitlines()
        sizes = dict(line.split(":", 1) for line in lines)
        return 1024 * float(sizes["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return None


def _free_of_group() -> float | None:
    try:
        limit, used = ((GROUP / f"memory.{one}").read_text() for one in ("max", "current"))
        return float(limit) - float(used)
    except (OSError, ValueError):  # no such group, or one without a limit, which says max
        return None
