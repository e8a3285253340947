"""How much memory there is, and refusing work that would need more before a machine swaps.

Estimates are rough and on the high side of what was measured. ``GARDEN_MEMORY`` sets how many
gigabytes a process may count on, whatever the machine says; 0 switches the check off.
"""

from __future__ import annotations

import os
from pathlib import Path

from garden.errors import GardenError, SpecError

MEMORY_VARIABLE = "GARDEN_MEMORY"
_LEAST_CHECKED = 1e9  # bytes; below it nothing is asked
_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


class MemoryLimitError(GardenError):
    """Work that would need more memory than there is."""


def require_memory(num_bytes: float, what: str, advice: str) -> None:
    """Refuse work that needs more memory than is available, in a line that says what to set.

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
        lines = _MEMINFO.read_text().splitlines()
        sizes = dict(line.split(":", 1) for line in lines)
        return 1024 * float(sizes["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return None


def _free_of_group() -> float | None:
    try:
        limit, used = ((_GROUP / f"memory.{one}").read_text() for one in ("max", "current"))
        return float(limit) - float(used)
    except (OSError, ValueError):  # no such group, or one without a limit, which says max
        return None
