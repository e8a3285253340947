"""Processor time and memory against the number of nodes, beside a plain breadth-first search.

    python benchmarks/scale.py [--sizes 10000 100000 1000000] [--out results/scale] [--json FILE|-]

Power-law graphs of mean degree 16 with the attributes of ``results/scale/setting.json``. Every step
runs in a process of its own, on one core, once on a small graph and then on this one; its memory is
the most that the process held. A slope is that of a line through the logarithms of all sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

import garden
from _timing import peak_gigabytes, report
from garden.datasets.files import write_graph
from garden.datasets.graph_summary import graph_statistics
from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph
from garden.plots.figures import new_axes, save_figure
from garden.plots.style import LINE_COLOURS, LINE_STYLES
from garden.search.config import EvaluationConfig
from garden.search.episode_rng import episode_streams
from garden.search.kernels import walk_memoryless
from garden.search.rounds import settle
from garden.strategies.gossip.beacons import Beacons

SIZES = (10_000, 100_000, 1_000_000)
SETTING = "attributes=64,kind=binary,blocks=20,homophily=0.7,noise=0.0,missing=0.0,seed=0"
PAIRS, ROUTES, SOURCES, EPISODES, MAX_HOPS = 100, 10, 10, 30_000, 100
SMALL = 200  # nodes of the graph on which a step warms up


def load(folder: Path) -> None:
    """Edges and profiles from two Parquet files."""
    garden.load(folder / "graph.parquet")


def info(folder: Path) -> None:
    """What ``garden data info`` measures, the graph from an ``.npz`` that is mapped."""
    graph_statistics(opened(folder))


def gossip(folder: Path) -> None:
    """``beacons:k=16,paths=0`` until nothing changes."""
    settle(opened(folder), Beacons(k=16, paths=0))


def gossip_paths(folder: Path) -> None:
    """``beacons:k=16,paths=1`` until nothing changes."""
    settle(opened(folder), Beacons(k=16, paths=1))


def evaluate(folder: Path) -> None:
    """``garden evaluate --pairs 100 --episodes-per-pair 1`` of two strategies without rounds."""
    config = EvaluationConfig(pairs=PAIRS, episodes_per_pair=1, evaluation="sampled")
    strategies = ["greedy", "universal+backtrack"]
    garden.evaluate(SearchTask.split(opened(folder)), strategies, config=config)


def route(folder: Path) -> None:
    """Ten messages by ``universal+backtrack``."""
    graph = opened(folder)
    nodes = np.random.default_rng(0).choice(graph.num_nodes, 2 * ROUTES, replace=False)
    for source, target in nodes.reshape(-1, 2).tolist():
        ends = {"source": graph.node_names[source], "target": graph.node_names[target]}
        garden.route(graph, "universal+backtrack", **ends)


def walks(folder: Path) -> None:
    """30,000 walks of at most 100 hops from a table of scores."""
    graph = opened(folder)
    rng = np.random.default_rng(0)
    scores, sources = rng.normal(size=graph.num_nodes), rng.integers(1, graph.num_nodes, EPISODES)
    hops, paths = np.empty(EPISODES, dtype=np.int64), np.empty((0, 0), dtype=np.int32)
    streams, links = episode_streams(0, 0, EPISODES), (graph.indptr, graph.indices)
    walk_memoryless(*links, scores, False, 0, sources, streams, MAX_HOPS, hops, paths)


def search(folder: Path) -> None:
    """Plain breadth-first searches from ten sources, by SciPy."""
    graph = opened(folder)
    adjacency = graph.adjacency()
    for source in np.random.default_rng(0).integers(graph.num_nodes, size=SOURCES):
        breadth_first_order(adjacency, source, directed=True, return_predecessors=False)


STEPS: dict[str, tuple[Callable[[Path], None], str]] = {
    "load": (load, "load from Parquet"),
    "info": (info, "data info"),
    "gossip": (gossip, "settle beacons, no paths"),
    "gossip_paths": (gossip_paths, "settle beacons, paths=1"),
    "evaluate": (evaluate, "evaluate, 100 pairs"),
    "route": (route, "route, 10 messages"),
    "walks": (walks, "30,000 walks"),
    "search": (search, "10 breadth-first searches"),
}


def opened(folder: Path) -> Graph:
    """The graph of a folder, mapped."""
    return garden.load(folder / "graph.npz")


def make(folder: Path, nodes: int) -> None:
    """Write the graph of so many nodes in both forms."""
    graph = garden.load(f"power-law:n={nodes},degree=16,{SETTING}")
    write_graph(graph, folder / "graph.npz", compress=False)
    write_graph(graph, folder / "graph.parquet")


def measured(step: str, folder: Path) -> dict[str, float]:
    """Seconds of processor and wall, and gigabytes, of a step, in this process."""
    work = STEPS[step][0]
    with tempfile.TemporaryDirectory() as small:
        make(Path(small), SMALL)
        work(Path(small))
    since, cpu = time.perf_counter(), time.process_time()
    work(folder)
    seconds = time.process_time() - cpu
    return {"cpu_s": seconds, "wall_s": time.perf_counter() - since, "peak_gb": peak_gigabytes()}


def in_process(step: str, folder: Path) -> dict[str, float]:
    """The same in a process of its own, on one core."""
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


Row = Sequence[dict[str, float] | None]
"""What a step took at every size; None where it was not measured."""


def points(sizes: Sequence[int], row: Row, key: str) -> tuple[list[int], list[float]]:
    """The sizes that were measured, and the numbers there."""
    there = [(nodes, one[key]) for nodes, one in zip(sizes, row, strict=True) if one]
    return [nodes for nodes, _ in there], [value for _, value in there]


def slopes_of(sizes: Sequence[int], row: Row) -> dict[str, float]:
    """Of lines through the logarithms of processor time and of memory."""
    slopes = {}
    for key in ("cpu_s", "peak_gb"):
        logs = [np.log(numbers) for numbers in points(sizes, row, key)]
        slopes[key] = float(np.polyfit(*logs, 1)[0]) if len(logs[0]) > 1 else float("nan")
    return slopes


def all_measured(sizes: Sequence[int]) -> dict[str, Any]:
    """Every step at every size, and the slopes."""
    found: dict[str, list[dict[str, float]]] = {step: [] for step in STEPS}
    for nodes in sizes:
        with tempfile.TemporaryDirectory() as name:
            make(Path(name), nodes)
            for step in STEPS:
                found[step].append(in_process(step, Path(name)))
                print(f"{nodes:,} nodes, {step}: {found[step][-1]}", file=sys.stderr, flush=True)
    slopes = {step: slopes_of(sizes, row) for step, row in found.items()}
    return {"setting": SETTING, "sizes": list(sizes), "measured": found, "slopes": slopes}


def table_rows(content: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: seconds and gigabytes at every size, and both slopes."""
    columns = ["step"]
    columns += [f"{nodes:,} nodes: s, GB" for nodes in content["sizes"]]
    rows = []
    for step, (_, title) in STEPS.items():
        row = content["measured"][step]
        cells = [f"{one['cpu_s']:.3g}, {one['peak_gb']:.2g}" if one else "–" for one in row]
        slopes = content["slopes"][step]
        rows.append([title, *cells, f"{slopes['cpu_s']:.2f}", f"{slopes['peak_gb']:.2f}"])
    return [*columns, "slope, s", "slope, GB"], rows


def draw(content: dict[str, Any], path: Path) -> None:
    """Seconds and gigabytes against nodes, both axes logarithmic."""
    first = new_axes(9.0, 4.5)
    figure = first.figure
    figure.clear()
    for place, (key, label) in enumerate((("cpu_s", "processor time, s"), ("peak_gb", "GB"))):
        axes = figure.add_subplot(1, 2, place + 1)
        for number, (step, (_, title)) in enumerate(STEPS.items()):
            row = content["measured"][step]
            colour = LINE_COLOURS[number % len(LINE_COLOURS)]
            style = LINE_STYLES[number % len(LINE_STYLES)]
            sizes, values = points(content["sizes"], row, key)
            axes.loglog(sizes, values, style, color=colour, marker="o", label=title)
        axes.set_xlabel("nodes")
        axes.set_ylabel(label)
    axes.legend(fontsize=7)
    save_figure(figure, path)


def store(content: dict[str, Any], out: Path) -> None:
    """The numbers, a table in Markdown and the figure, with the command."""
    columns, rows = table_rows(content)
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    (out / "scale.md").write_text(table, encoding="utf-8")
    (out / "scale.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    draw(content, out / "scale.png")


def main() -> None:
    """Measure, and print a table; store it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--step", choices=list(STEPS))
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_known_args()[0]
    if chosen.step:
        print(json.dumps(measured(chosen.step, chosen.folder)))
        return
    content = all_measured(chosen.sizes)
    content["command"] = "python benchmarks/scale.py --out results/scale"
    if chosen.out:
        store(content, chosen.out)
    report("Processor time and memory against nodes", *table_rows(content), content)


if __name__ == "__main__":
    main()
