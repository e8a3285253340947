"""Exact evaluation, ego graphs and generation at full size: seconds and memory.

Exact chains stand beside the plain SciPy form of the same computation.
"""

from __future__ import annotations

import time

import numpy as np

from _timing import best_seconds, peak_gigabytes, report
from garden.api import load
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import GardenError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.chain import chain_table, solve_chain_plain
from garden.strategies.walkers import DistanceWalker


def main() -> None:
    start = time.perf_counter()
    large = kaiser_hilgetag(n=20_000, alpha=30, beta=1, seed=0)
    content: dict[str, float] = {"kaiser_hilgetag_20000_s": time.perf_counter() - start}
    small, pages = graph_or("facebook:3437", kaiser_hilgetag(n=532, beta=1)), large
    pages = graph_or("musae-facebook", large)
    content["chain_all_sources_test_targets_s"] = chain_seconds(
        small, SearchTask.split(small).test_targets
    )
    content["chain_scipy_s"] = scipy_seconds(small, SearchTask.split(small).test_targets)
    content["ratio"] = content["chain_scipy_s"] / content["chain_all_sources_test_targets_s"]
    start = time.perf_counter()
    egos = ego_graphs(pages)
    content["ego_graphs_s"] = time.perf_counter() - start
    arrays = (egos.offsets, egos.members, egos.edge_offsets, egos.edges)
    content["ego_graphs_gigabytes"] = sum(array.nbytes for array in arrays) / 1e9
    content["chain_32_targets_s"] = chain_seconds(pages, SearchTask.split(pages).test_targets[:32])
    content["peak_gigabytes"] = peak_gigabytes()
    rows = [(name, f"{value:.3g}") for name, value in content.items()]
    report(f"Search on {small.name} and {pages.name}", ("what", "value"), rows, content)


def graph_or(spec: str, stand_in: Graph) -> Graph:
    try:
        return load(spec)
    except GardenError:
        return stand_in


def chain_seconds(graph: Graph, targets: np.ndarray) -> float:
    walker = DistanceWalker(temperature=0.5)
    rows = walker.represent(ego_graphs(graph))
    return best_seconds(lambda: chain_table(graph, walker, rows, targets, 100), repeats=2)


def scipy_seconds(graph: Graph, targets: np.ndarray) -> float:
    walker = DistanceWalker(temperature=0.5)
    rows = walker.represent(ego_graphs(graph))
    nobody = np.empty(0, dtype=np.int64)

    def run() -> None:
        scores = walker.score(rows, rows.take(targets))
        for row, target in zip(scores, targets, strict=True):
            solve_chain_plain(graph, row, "softmax", int(target), 100, nobody)

    return best_seconds(run, repeats=1)


if __name__ == "__main__":
    main()
