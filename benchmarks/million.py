"""What single tasks take on graphs of a million nodes and mean degree 16, beside their bars.

    python benchmarks/million.py [--nodes 1000000] [--task NAME …] [--out results/scale]

Every task runs in a process of its own, once on a small graph and then on the large one. Making or
writing that is not counted where it is not the task; memory is the most that the process held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import garden
from _timing import peak_gigabytes, report
from garden.datasets.files import write_graph
from garden.datasets.graph_summary import graph_statistics
from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.search.config import Evaluation, EvaluationConfig

KIND = "kind=binary,blocks=20,homophily=0.7,noise=0.0,missing=0.0,seed=0"
FAMILIES = ("power-law", "small-world", "block-model", "geometric")
TARGETS, CHAIN_TARGETS = 64, 16
SMALL = 200  # nodes of the graph on which a task warms up


class Task(NamedTuple):
    """What is measured, and what it may take."""

    title: str
    spec: str  # of the graph, with {n} for the number of nodes
    work: Callable[[Any], object]  # on the graph, or on what `form` says
    most_seconds: float
    most_gigabytes: float | None = None
    form: str = "graph"  # or `spec`, or the name of a file or folder that the graph is written to
    share: float = 1.0  # of the nodes that are asked for


def distances_of_targets(graph: Graph) -> None:
    """Hops from 64 nodes to all nodes."""
    distances(graph, np.random.default_rng(0).choice(graph.num_nodes, TARGETS, replace=False))


def evaluated(pairs: int, evaluation: Evaluation, *names: str) -> Callable[[Graph], None]:
    """An evaluation of some strategies, one episode a pair, all that it needs included."""

    def work(graph: Graph) -> None:
        config = EvaluationConfig(pairs=pairs, episodes_per_pair=1, evaluation=evaluation)
        garden.evaluate(SearchTask.split(graph), names, config=config, cache=False)

    return work


FOUR = ("greedy", "bidirectional+visited", "universal+backtrack", "beacons:k=16,paths=1")
PLAIN = "{family}:n={{n}},degree=16"
WITH = f"{PLAIN},attributes=64,{KIND}"
LOG = WITH.format(family="power-law")
TABLE = f"{PLAIN},attributes=20,kind=real".format(family="power-law")
TASKS = {
    **{
        f"generate-{family}": Task(
            f"generate {family} with 64 attributes", WITH.format(family=family),
            garden.load, 60, 6, "spec",
        )
        for family in FAMILIES
    },
    "npz": Task("open a mapped .npz, 64 attributes", LOG, garden.load, 2, None, "graph.npz"),
    "parquet": Task(
        "read Parquet, node rows of 20 real columns", TABLE, garden.load, 20, 6, "graph.parquet"
    ),
    "csv": Task("read CSV, the same", TABLE, garden.load, 60, 6, "tables"),
    **{
        f"distances-{family}": Task(
            f"distances of {TARGETS} targets, {family}", PLAIN.format(family=family),
            distances_of_targets, 15,
        )
        for family in FAMILIES[:2]
    },
    "exact-greedy": Task(
        f"exact chain of greedy towards {CHAIN_TARGETS} targets",
        LOG, evaluated(CHAIN_TARGETS, "exact", "greedy"), 180, 8,
    ),
    "exact-beacons": Task(
        f"exact chain of beacons:paths=1 towards {CHAIN_TARGETS} targets, settling included",
        LOG, evaluated(CHAIN_TARGETS, "exact", "beacons:k=16,paths=1"), 180, 8,
    ),
    "four": Task(
        "evaluate 300 pairs by greedy, bidirectional+visited, universal+backtrack, beacons:paths=1",
        LOG, evaluated(300, "sampled", *FOUR), 900, 12,
    ),
    "info": Task(
        "data info of 300,000 nodes", PLAIN.format(family="power-law"), graph_statistics, 20,
        share=0.3,
    ),
}  # fmt: skip


def prepared(task: Task, nodes: int, folder: Path) -> Any:
    """What the work of a task is done on, made or written anew."""
    spec = task.spec.format(n=nodes)
    if task.form == "spec":
        return spec
    graph = garden.load(spec)
    if task.form == "graph":
        return graph
    write_graph(graph, folder / task.form, compress=False)
    return folder / task.form


def measured(name: str, nodes: int) -> dict[str, float]:
    """Seconds of wall and processor, and gigabytes, of a task, in this process."""
    task = TASKS[name]
    with tempfile.TemporaryDirectory() as place:
        small, large = (Path(place) / part for part in ("small", "large"))
        for folder in (small, large):
            folder.mkdir()
        task.work(prepared(task, SMALL, small))
        on = prepared_alone(name, nodes, large)
        since, cpu = time.perf_counter(), time.process_time()
        task.work(on)
        cpu = time.process_time() - cpu
        return {"wall_s": time.perf_counter() - since, "cpu_s": cpu, "peak_gb": peak_gigabytes()}


def prepared_alone(name: str, nodes: int, folder: Path) -> Any:
    """What the large graph's work is done on; files by another process, whose memory is no part."""
    task = TASKS[name]
    nodes = round(nodes * task.share)
    if task.form in ("spec", "graph"):
        return prepared(task, nodes, folder)
    command = [sys.executable, __file__, "--write", name, "--nodes", str(nodes)]
    subprocess.run([*command, "--folder", str(folder)], check=True)
    return folder / task.form


def in_process(name: str, nodes: int) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--alone", name, "--nodes", str(nodes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}: {numbers}", file=sys.stderr, flush=True)
    return numbers


def stored(out: Path | None, nodes: int) -> dict[str, dict[str, float]]:
    """What was measured and stored before, of graphs of this size."""
    path = out / "million.json" if out else None
    if path is None or not path.exists():
        return {}
    content = json.loads(path.read_text("utf-8"))
    return content["measured"] if content["nodes"] == nodes else {}


def main() -> None:
    """Measure, and print a table; store it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--task", choices=list(TASKS), nargs="*", default=list(TASKS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--alone", choices=list(TASKS))
    parser.add_argument("--write", choices=list(TASKS))
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_known_args()[0]
    if chosen.alone:
        print(json.dumps(measured(chosen.alone, chosen.nodes)))
        return
    if chosen.write:
        prepared(TASKS[chosen.write], chosen.nodes, chosen.folder)
        return
    fresh = {name: in_process(name, chosen.nodes) for name in chosen.task}
    kept = stored(chosen.out, chosen.nodes)
    found = {name: {**kept, **fresh}[name] for name in TASKS if name in {*kept, *fresh}}
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
        chosen.out.mkdir(parents=True, exist_ok=True)
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
        table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        (chosen.out / "million.md").write_text(table, encoding="utf-8")
        text = json.dumps(content, indent=1) + "\n"
        (chosen.out / "million.json").write_text(text, encoding="utf-8")
    report("Tasks on a million nodes", columns, rows, content)


if __name__ == "__main__":
    main()
