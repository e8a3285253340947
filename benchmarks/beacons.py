"""Settling ``beacons`` beside breadth-first searches from as many sources as a sketch has entries.

    python benchmarks/beacons.py [--nodes 1000000] [--json FILE|-]

Both find the same number of distances per node, in one process on one core: SciPy's search in
compiled code, and sketches by the compiled build. Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

import garden
from _timing import peak_gigabytes, report
from garden.graphs.graph import Graph
from garden.search.rounds import settle
from garden.strategies.gossip.beacons import Beacons


def seconds_of_searches(graph: Graph, count: int) -> float:
    """Breadth-first searches from random sources, one after another."""
    adjacency = graph.adjacency()
    sources = np.random.default_rng(0).integers(graph.num_nodes, size=min(count, 3))
    start = time.process_time()
    for source in sources:
        breadth_first_order(adjacency, source, directed=False, return_predecessors=False)
    return (time.process_time() - start) * count / len(sources)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    nodes = parser.parse_known_args()[0].nodes
    settle(garden.load("power-law:n=200,degree=4"), Beacons())  # compiles
    rows, content = [], []
    for spec in (f"power-law:n={nodes},degree=16", f"small-world:n={nodes},degree=10"):
        start = time.process_time()
        graph = garden.load(spec)
        loaded = time.process_time() - start
        start = time.process_time()
        cost = settle(graph, Beacons(paths=0)).cost
        settled = time.process_time() - start
        assert cost is not None
        searched = seconds_of_searches(graph, round(cost.entries_per_node))
        one = {
            "graph": spec,
            "load_s": loaded,
            "settle_s": settled,
            "searches_s": searched,
            "ratio": searched / settled,
            "entries_per_node": cost.entries_per_node,
            "bytes_per_node": cost.bytes_per_node,
            "peak_gb": peak_gigabytes(),
        }
        content.append(one)
        rows.append(
            (
                spec,
                f"{loaded:.1f}",
                f"{settled:.1f}",
                f"{searched:.1f}",
                f"{one['ratio']:.2f}",
                f"{cost.entries_per_node:.1f}",
                f"{cost.bytes_per_node:.0f}",
                f"{one['peak_gb']:.1f}",
            )
        )
    columns = (
        "graph",
        "load, s",
        "settle, s",
        "as many searches, s",
        "searches / settle",
        "entries a node",
        "bytes a node",
        "peak, GB",
    )
    report("Settling beacons:k=16,paths=0", columns, rows, content)


if __name__ == "__main__":
    main()
