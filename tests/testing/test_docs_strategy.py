"""The strategy of the documentation, run as it is written there."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "your-own-strategy.md").read_text(encoding="utf-8")
BLOCKS = [block.split("```")[0] for block in PAGE.split("```python\n")[1:]]
(EXAMPLE,) = [block for block in BLOCKS if "class Surroundings" in block]
(COMMAND,) = [
    line.removeprefix("$ garden ")
    for line in PAGE.splitlines()
    if line.startswith("$ garden ") and "surroundings:" in line
]


@pytest.fixture
def folder(tmp_path):
    """A folder with the example in a file of its own."""
    (tmp_path / "surroundings.py").write_text(EXAMPLE, encoding="utf-8")
    return tmp_path


def output_of(folder, *arguments):
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_docs__the_strategy_is_short_and_its_own_test_passes(folder):
    assert len(EXAMPLE.splitlines()) <= 30
    assert "1 passed" in output_of(folder, "pytest", "-q", "surroundings.py")


def test_docs__the_strategy_plays_by_its_dotted_name(folder):
    spec = "kaiser-hilgetag:n=40,beta=1,seed=1"
    arguments = shlex.split(COMMAND.replace("facebook:414", spec))
    report = json.loads(output_of(folder, "garden", *arguments, "--json", "-"))
    names = [result["name"] for result in report["strategies"]]
    assert names == ["surroundings:Surroundings", "greedy"]
    ours, greedy = (result["oracle_ratio"] for result in report["strategies"])
    assert 1 <= ours < greedy


def test_docs__the_figures_are_those_of_the_command(folder, real_data):
    report = json.loads(output_of(folder, "garden", *shlex.split(COMMAND), "--json", "-"))
    ours, greedy = (result["oracle_ratio"] for result in report["strategies"])
    text = " ".join(PAGE.split())
    assert f"an oracle ratio of {ours:.1f} where `greedy` needs {greedy:.1f}" in text
