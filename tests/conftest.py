"""Fixtures that every room's tests may use."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

GARDEN_DATA = Path(os.environ.get("GARDEN_DATA", ""))  # as it is before any test changes it

settings.register_profile("nothing kept", database=None)
if not os.access(Path(__file__).parents[1], os.W_OK):  # where failures found would be kept
    settings.load_profile("nothing kept")


@pytest.fixture(autouse=True)
def _garden_log() -> Iterator[None]:
    """The command line sets up the log for its own process; the next test has it as it was."""
    logger = logging.getLogger("garden")
    before = logger.handlers, logger.level, logger.propagate
    yield
    logger.handlers, logger.propagate = before[0], before[2]
    logger.setLevel(before[1])


@pytest.fixture(scope="session")
def home_for_ray() -> None:
    """Skips where Ray, which keeps files in the user's home, has none to write to."""
    pytest.importorskip("ray")
    if not os.access(Path("~").expanduser(), os.W_OK):
        pytest.skip("Ray keeps files in the user's home, and there is none to write to")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real datasets; without it the test is skipped."""
    if not (GARDEN_DATA / "facebook" / "414.edges").is_file():
        pytest.skip("GARDEN_DATA does not point at a folder with the real datasets")
    return GARDEN_DATA
