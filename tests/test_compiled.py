"""Kernels where nothing can be written: neither the package's folder nor a home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import garden

PACKAGE = Path(garden.__file__).parent
KERNELS = sorted(
    ".".join(("garden", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if "garden.compiled import" in path.read_text(encoding="utf-8")
)


@pytest.fixture
def closed_package(tmp_path):
    """A copy of the package in which a file stands where compiled code would be kept.

    Permissions would not do: nothing is closed to root.
    """
    ignored = shutil.ignore_patterns("__pycache__", "weights")
    shutil.copytree(PACKAGE, tmp_path / "garden", ignore=ignored)
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        folder.chmod(0o755)  # whatever it was in the tree that is tested
        (folder / "__pycache__").write_text("")
    return tmp_path


def ran(package: Path, program: str) -> str:
    """What a program prints that finds this package, and no home."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    closed = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=kept | closed,
        cwd=package,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compiled__every_module_with_a_kernel_imports_where_nothing_can_be_written(closed_package):
    assert "garden.search.kernels" in KERNELS
    assert "garden.strategies.universal.kernel" in KERNELS
    lines = [f"import {name}" for name in KERNELS]
    lines.append("print(garden.search.kernels.__file__)")
    assert ran(closed_package, "\n".join(lines)).startswith(str(closed_package))


def test_compiled__kernels_give_the_same_numbers_where_nothing_can_be_written(closed_package):
    program = """
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.graphs.distances import distances
print(distances(kaiser_hilgetag(n=40, beta=1, seed=0)).tolist())
"""
    assert ran(closed_package, program) == ran(PACKAGE.parent, program)


def test_compiled__no_module_compiles_in_a_way_of_its_own():
    own = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "import numba" in path.read_text(encoding="utf-8")
    ]
    assert own == ["compiled.py"]
