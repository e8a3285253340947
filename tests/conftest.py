"""Fixtures that every room's tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GARDEN_DATA = Path(os.environ.get("GARDEN_DATA", ""))  # as it is before any test changes it


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real datasets; without it the test is skipped."""
    if not (GARDEN_DATA / "facebook" / "414.edges").is_file():
        pytest.skip("GARDEN_DATA does not point at a folder with the real datasets")
    return GARDEN_DATA
