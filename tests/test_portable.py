"""The four environments: what of them this machine can play, and what they leave out."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("portable.py")
AVX2 = {"sse2", "pni", "sse4_2", "avx2", "fma"}


@pytest.fixture(scope="module")
def portable():
    spec = importlib.util.spec_from_file_location("portable", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["portable"] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["portable"]


def test_portable__what_the_processor_cannot_honour_is_skipped_with_a_line(portable, capsys):
    variables = portable.ENVIRONMENTS["b"].variables
    assert portable.honoured(variables, AVX2) == variables
    assert capsys.readouterr().out == ""
    assert portable.honoured(variables, AVX2 - {"avx2"}) == {"PYTHONHASHSEED": "2"}
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "skipped OPENBLAS_CORETYPE=Haswell: this processor has no avx2" in lines[2]


@pytest.mark.parametrize(("name", "threads"), [("a", "1"), ("b", "4"), ("c", "1"), ("d", None)])
def test_portable__each_environment_sets_threads_itself(portable, monkeypatch, name, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    variables = portable.variables_of(portable.ENVIRONMENTS[name], AVX2)
    assert variables.get("OMP_NUM_THREADS") == threads


def test_portable__the_third_has_no_home_and_a_tree_that_cannot_be_written(portable, monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    assert "HOME" not in portable.variables_of(portable.ENVIRONMENTS["c"], AVX2)
    assert "HOME" in portable.variables_of(portable.ENVIRONMENTS["a"], AVX2)
    with portable.closed_copy() as (tree, temporary):
        package = tree / "src" / "garden"
        assert (package / "__init__.py").stat().st_mode & 0o777 == 0o444
        assert package.stat().st_mode & 0o777 == 0o555
        assert os.access(temporary, os.W_OK)
        assert not (tree / ".git").exists()
    assert not tree.parent.exists()


def test_portable__an_environment_that_there_is_not_is_refused():
    done = subprocess.run([sys.executable, str(SCRIPT), "e"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no environment 'e': choose from a, b, c, d" in done.stderr
