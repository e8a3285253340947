"""What single tasks take on graphs of a million nodes and mean degree 16, beside their bars.

    python benchmarks/million.py [--nodes 1000000] [--task NAME …] [--out results/scale]

Every task runs in a process of its own, once on a small graph and then on the large one. Making the
graph is not counted, but for tasks that make one; of memory it is the most that the process held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import garden
from _timing import peak_gigabytes, report
from garden.datasets.graph_summary import graph_statistics
from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.search.config import EvaluationConfig

ATTRIBUTES = "attributes=64,kind=binary,blocks=20,homophily=0.7,noise=0.0,missing=0.0,seed=0"
FAMILIES = ("power-law", "small-world", "block-model", "geometric")
TARGETS, CHAIN_TARGETS = 64, 16
SMALL = 200  # nodes of the graph on which a task warms up


class Task(NamedTuple):
    """What is measured, and what it may take."""

    title: str
    spec: str  # of the graph, with {n} for the number of nodes
    work: Callable[[Graph], object] | None  # None where making the graph is the task
    most_seconds: float
    most_gigabytes: float | None = None
    share: float = 1.0  # of the nodes that are asked for


def distances_of_targets(graph: Graph) -> None:
    """Hops from 64 nodes to all nodes."""
    distances(graph, np.random.default_rng(0).choice(graph.num_nodes, TARGETS, replace=False))


def exact(name: str) -> Callable[[Graph], None]:
    """A strategy's exact evaluation towards 16 targets, all that it needs included."""

    def work(graph: Graph) -> None:
        config = EvaluationConfig(pairs=CHAIN_TARGETS, evaluation="exact")
        garden.evaluate(SearchTask.split(graph), [name], config=config, cache=False)

    return work


WITH = "power-law:n={n},degree=16," + ATTRIBUTES
TASKS = {
    **{
        f"generate-{family}": Task(
            f"generate {family} with 64 attributes", f"{family}:n={{n}},degree=16,{ATTRIBUTES}",
            None, 60, 6,
        )
        for family in FAMILIES
    },
    **{
        f"distances-{family}": Task(
            f"distances of {TARGETS} targets, {family}", f"{family}:n={{n}},degree=16",
            distances_of_targets, 15,
        )
        for family in FAMILIES[:2]
    },
    "exact-greedy": Task(
        f"exact chain of greedy towards {CHAIN_TARGETS} targets", WITH, exact("greedy"), 180, 8
    ),
    "exact-beacons": Task(
        f"exact chain of beacons:paths=1 towards {CHAIN_TARGETS} targets, settling included",
        WITH, exact("beacons:k=16,paths=1"), 180, 8,
    ),
    "info": Task(
        "data info of 300,000 nodes", "power-law:n={n},degree=16", graph_statistics, 20, None, 0.3
    ),
}  # fmt: skip


def measured(task: Task, nodes: int) -> dict[str, float]:
    """Seconds of wall and processor, and gigabytes, of a task, in this process."""
    graph = garden.load(task.spec.format(n=SMALL))
    if task.work:
        task.work(graph)
        graph = garden.load(task.spec.format(n=round(nodes * task.share)))
    since, cpu = time.perf_counter(), time.process_time()
    if task.work:
        task.work(graph)
    else:
        garden.load(task.spec.format(n=nodes))
    cpu = time.process_time() - cpu
    return {"wall_s": time.perf_counter() - since, "cpu_s": cpu, "peak_gb": peak_gigabytes()}


def in_process(name: str, nodes: int) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--alone", name, "--nodes", str(nodes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}: {numbers}", file=sys.stderr, flush=True)
    return numbers


def main() -> None:
    """Measure, and print a table; store it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--task", choices=list(TASKS), nargs="*", default=list(TASKS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--alone", choices=list(TASKS))
    chosen = parser.parse_known_args()[0]
    if chosen.alone:
        print(json.dumps(measured(TASKS[chosen.alone], chosen.nodes)))
        return
    found = {name: in_process(name, chosen.nodes) for name in chosen.task}
    columns = ["what", "wall, s", "processor, s", "bar, s", "GB", "bar, GB"]
    rows = []
    for name, one in found.items():
        task = TASKS[name]
        seconds = [f"{one[key]:.3g}" for key in ("wall_s", "cpu_s")]
        most = "" if task.most_gigabytes is None else f"{task.most_gigabytes:g}"
        bar = f"{task.most_seconds:g}"
        rows.append([task.title, *seconds, bar, f"{one['peak_gb']:.2g}", most])
    command = "python benchmarks/million.py --out results/scale"
    content = {"nodes": chosen.nodes, "measured": found, "command": command}
    if chosen.out:
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
        table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        (chosen.out / "million.md").write_text(table, encoding="utf-8")
        text = json.dumps(content, indent=1) + "\n"
        (chosen.out / "million.json").write_text(text, encoding="utf-8")
    report("Tasks on a million nodes", columns, rows, content)


if __name__ == "__main__":
    main()
