"""Shortened work, so that tests can run every command of the documentation in seconds.

Where the environment variable ``GARDEN_SHORT`` is set, trainings make a few updates, an experiment
runs its first job at a small size, and nothing is written under ``results/``.
"""

from __future__ import annotations

import os

VARIABLE = "GARDEN_SHORT"
UPDATES = 3


def cut_short() -> bool:
    """Whether work is cut short in this process."""
    return os.environ.get(VARIABLE, "") not in ("", "0")
