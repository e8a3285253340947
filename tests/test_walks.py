"""How many files a newcomer meets on the two walks of CONTRIBUTING.

A file counts if a Python function of it runs: what a breakpoint in each function would stop in.
Bodies of modules and classes, and whatever runs while a module is imported, are left out; compiled
kernels run as no Python function.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COUNTING = """
import json, sys, threading
from pathlib import Path
import garden
from garden.cli.main import main

package = str(Path(garden.__file__).parent)
ran = set()

def note(frame, event, value):
    name = frame.f_code.co_filename
    if name in ran or not name.startswith(package):
        return
    outer = frame
    while outer is not None:
        if outer.f_code.co_name == "<module>" and outer.f_code.co_filename.startswith(package):
            return  # while a module is imported
        outer = outer.f_back
    ran.add(name)

sys.settrace(note)
threading.settrace(note)
main(sys.argv[1:])
sys.settrace(None)
print(json.dumps(sorted(Path(name).relative_to(package).as_posix() for name in ran)))
"""
GENERATED = "kaiser-hilgetag:n=40,alpha=5,beta=2,seed=0"
WALKS = {
    "garden evaluate facebook:414 --strategy greedy": 26,
    "garden train facebook:414": 38,
}


def files_of(words, folder):
    """The files of the package in which a function runs, in a process of its own."""
    surroundings = {**os.environ, "GARDEN_SHORT": "1"}
    command = [sys.executable, "-c", COUNTING, *words]
    done = subprocess.run(
        command, env=surroundings, cwd=folder, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def graph_at_hand():
    """The graph of the walks, and a generated one where there is no data folder."""
    file = Path(os.environ.get("GARDEN_DATA", ROOT)) / "facebook" / "414.edges"
    return "facebook:414" if file.is_file() else GENERATED


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="kernels run as Python")
@pytest.mark.parametrize(("walk", "most"), WALKS.items(), ids=["evaluate", "train"])
def test_contributing__a_walk_meets_few_files(walk, most, tmp_path, monkeypatch):
    monkeypatch.delenv("GARDEN_KERNELS", raising=False)
    words = walk.replace("facebook:414", graph_at_hand()).split()[1:]
    files = files_of(words, tmp_path)
    assert {"api.py", "cli/main.py", "datasets/spec.py", "graphs/graph.py"} <= set(files)
    assert len(files) <= most, files


def test_contributing__tells_how_many_files_the_walks_meet():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = re.findall(r"^\*\*`(garden [^`]+)`\*\* \(functions of (\d+) files\)", text, re.M)
    assert dict(told) == {walk: str(most) for walk, most in WALKS.items()}
