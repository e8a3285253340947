"""Settling ``beacons`` and passing messages in shards, beside one process in the same run.

    python benchmarks/cluster.py [--nodes 100000] [--shards 2] [--messages 1000] [--json FILE|-]

One process settles with the compiled build and walks message by message, as peers walk; the actors
of a local Ray do the same in shards. Actors load compiled kernels from numba's cache, within the
time measured: run it once before. Starting Ray and reading the shards is timed apart. Memory of the
actors counts what they share more than once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import garden
from _timing import peak_gigabytes, report
from garden.cluster.cutting import cut_shards
from garden.cluster.network import Cluster
from garden.graphs.graph import Graph
from garden.resolve import contender_named
from garden.search.rounds import node_keys, settle
from garden.search.walk import walk_by_keys

STRATEGY = "beacons+backtrack"
MAX_HOPS = 100


def pairs_of(num_nodes: int, count: int) -> np.ndarray:
    """Sources and targets of messages, (count, 2)."""
    pairs = np.random.default_rng(0).integers(num_nodes, size=(2 * count, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]][:count]


def ids_of(count: int) -> list[bytes]:
    """The ids of messages."""
    return [number.to_bytes(16, "little") for number in range(1, count + 1)]


def in_one_process(graph: Graph, pairs: np.ndarray) -> tuple[dict[str, float], list[tuple]]:
    """Seconds, and the path of each message."""
    contender, keys = contender_named(STRATEGY), node_keys(graph, 0)
    start = time.perf_counter()
    rows = settle(graph, contender.strategy).rows
    settled = time.perf_counter()
    paths = []
    for (source, target), message in zip(pairs.tolist(), ids_of(len(pairs)), strict=True):
        number = int.from_bytes(message, "little")
        walk = walk_by_keys(
            graph,
            contender.strategy,
            rows,
            source,
            target,
            contender.memory,
            MAX_HOPS,
            keys,
            number,
        )
        paths.append(tuple(keys[list(walk.nodes)].tolist()))
    done = time.perf_counter()
    return {"one_settle_s": settled - start, "one_messages_s": done - settled}, paths


def in_shards(graph: Graph, num_shards: int, pairs: np.ndarray) -> tuple[dict[str, Any], list]:
    """Seconds, bytes and memory, and the path of each message."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "shards"
        start = time.perf_counter()
        cut_shards(graph, num_shards, folder)
        figures["cut_s"] = time.perf_counter() - start
        figures["disk_bytes"] = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        start = time.perf_counter()
        with Cluster(folder, STRATEGY) as cluster:
            figures["start_s"] = time.perf_counter() - start
            start = time.perf_counter()
            settled = cluster.settle()
            between = time.perf_counter()
            names = [(graph.node_names[one], graph.node_names[other]) for one, other in pairs]
            sent = cluster.send(names, MAX_HOPS, ids=ids_of(len(pairs)))
            figures["messages_s"] = time.perf_counter() - between
            figures["settle_s"] = between - start
            figures["rounds"] = settled.rounds
            figures["entries_per_node"] = settled.entries_per_node
            figures["bytes_per_node"] = settled.bytes_per_node
            figures["bytes_between_shards_per_node"] = settled.bytes_between_shards_per_node
            figures["bytes_between_shards_per_message"] = cluster.message_bytes / len(sent)
            figures["hops_per_message"] = float(np.mean([one.hops for one in sent]))
            figures["actors_peak_gb"] = sum(cluster.peak_bytes()) / 1e9
    return figures, [one.path for one in sent]


def measured(nodes: int, shards: int, messages: int) -> dict[str, Any]:
    """All figures of one graph."""
    spec = f"power-law:n={nodes},degree=16"
    graph = garden.load(spec)
    settle(garden.load("power-law:n=200,degree=4"), contender_named(STRATEGY).strategy)  # compiles
    pairs = pairs_of(nodes, messages)
    one, expected = in_one_process(graph, pairs)
    figures, paths = in_shards(graph, shards, pairs)
    assert paths == expected, "the paths differ"
    total = figures["settle_s"] + figures["messages_s"]
    return {
        "graph": spec,
        "num_edges": graph.num_edges,
        "shards": shards,
        "messages": messages,
        **one,
        **figures,
        "ratio": total / (one["one_settle_s"] + one["one_messages_s"]),
        "driver_peak_gb": peak_gigabytes(),
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--messages", type=int, default=1_000)
    given = parser.parse_known_args()[0]
    content = measured(given.nodes, given.shards, given.messages)
    rows = [
        (name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
        for name, value in content.items()
    ]
    report("A cluster beside one process", ("", "value"), rows, [content])


if __name__ == "__main__":
    main()
