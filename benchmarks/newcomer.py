"""What a newcomer waits for: commands of this tree beside those of an older checkout.

``--before PATH`` names the older one. Every command is run once by each tree to warm up, as kernels
are compiled then; later runs alternate, and the fastest counts. The older tree measures no large
graph, since that could take it minutes. Seconds of the processor stand beside those of the clock,
which depend on whatever else the machine does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np

from _timing import report
from garden.datasets.npz import write_npz
from garden.graphs.graph import Graph

HERE = Path(__file__).resolve().parents[1]
REPEATS = 2
LARGE = {"n": 300_000, "m": 8, "seed": 0}


class Seconds(NamedTuple):
    """How long a command took."""

    clock: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE|-")
    parser.add_argument("--before", metavar="PATH", type=Path)
    before = parser.parse_args().before
    trees = {"now": HERE} | ({"before": before.resolve()} if before else {})
    garden = ("-m", "garden")
    spec = evaluated_graph()
    commands: dict[str, Sequence[str]] = {
        "evaluate": (*garden, "evaluate", spec),
        "route": (*garden, "route", "kaiser-hilgetag:n=200,beta=1", "--source=0", "--target=99"),
        "--help": (*garden, "--help"),
        "import garden": ("-c", "import garden"),
    }
    seconds = {name: alternating(trees, command) for name, command in commands.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.npz"
        write_npz(large_graph(), path)
        command = (*garden, "data", "info", str(path))
        seconds["data info"] = alternating({"now": HERE}, command)
    content = {
        name: {tree: of_tree._asdict() for tree, of_tree in times.items()}
        for name, times in seconds.items()
    }
    rows = [row(name, times) for name, times in seconds.items()]
    title = f"Commands; evaluate {spec}, data info of {LARGE['n']:,} nodes"
    columns = ("command", "now", "processor", "before", "processor", "now / before")
    report(title, columns, rows, content)


def evaluated_graph() -> str:
    """719 nodes and 802 attributes where the data folder has them, or something like it."""
    path = Path(os.environ.get("GARDEN_DATA", ".")) / "collection" / "circles" / "6934.npz"
    return str(path) if path.exists() else "kaiser-hilgetag:n=700,beta=1"


def large_graph() -> Graph:
    edges = np.array(nx.barabasi_albert_graph(**LARGE).edges)
    return Graph.from_edges(edges, LARGE["n"])


def alternating(trees: dict[str, Path], command: Sequence[str]) -> dict[str, Seconds]:
    """The fastest of a few runs by each tree, after one that warms up."""
    for tree in trees.values():
        run(tree, command)
    runs = [{name: run(tree, command) for name, tree in trees.items()} for _ in range(REPEATS)]
    return {
        name: Seconds(*(min(times) for times in zip(*(each[name] for each in runs), strict=True)))
        for name in trees
    }


def run(tree: Path, command: Sequence[str]) -> Seconds:
    """The seconds that this Python command takes with the tree's own package."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        env=environment,
        cwd=tree,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed in {tree}")
    return Seconds(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def row(name: str, times: dict[str, Seconds]) -> tuple[str, ...]:
    now, before = times["now"], times.get("before")
    cells = (name, f"{now.clock:.2f} s", f"{now.processor:.2f} s")
    if before is None:
        return (*cells, "–", "–", "–")
    ratio = f"{now.clock / before.clock:.2f}"
    return (*cells, f"{before.clock:.2f} s", f"{before.processor:.2f} s", ratio)


if __name__ == "__main__":
    main()
