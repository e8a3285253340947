"""Settling ``beacons`` and passing messages in shards, beside one process in the same run.

    python benchmarks/cluster.py [--nodes 100000] [--shards 2] [--messages 1000] [--json FILE|-]
    python benchmarks/cluster.py --count 2 4 8 16 [--nodes 10000] [--json FILE|-]

One process settles with the compiled build and walks message by message, as peers walk; the actors
of a local Ray do the same in shards. Actors load compiled kernels from numba's cache, within the
time measured: run it once before. Starting Ray and reading the shards is timed apart. Processor
time, which other work on the machine disturbs less, is the driver's and that of the busiest actor.
Memory of the actors counts what they share more than once. With ``--count`` nothing is timed: it
counts what so many shards hold and tell, in one process.
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
from garden.cluster.beacon_rounds import BeaconRounds
from garden.cluster.cutting import cut_shards
from garden.cluster.network import Cluster
from garden.cluster.shard_files import read_shard
from garden.graphs.graph import Graph
from garden.resolve import contender_named
from garden.search.rounds import node_keys, settle
from garden.search.walk import walk_by_keys
from garden.strategies.gossip.beacons import Beacons

STRATEGY = "beacons:paths=0+backtrack"
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
    start, cpu = time.perf_counter(), time.process_time()
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
    figures = {"one_settle_s": settled - start, "one_messages_s": done - settled}
    return {**figures, "one_cpu_s": time.process_time() - cpu}, paths


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
            before, cpu = cluster.usage(), time.process_time()
            start = time.perf_counter()
            settled = cluster.settle()
            between = time.perf_counter()
            names = [(graph.node_names[one], graph.node_names[other]) for one, other in pairs]
            sent = cluster.send(names, MAX_HOPS, ids=ids_of(len(pairs)))
            figures["messages_s"] = time.perf_counter() - between
            figures["settle_s"] = between - start
            after, cpu = cluster.usage(), time.process_time() - cpu
            used = [b.cpu_seconds - a.cpu_seconds for a, b in zip(before, after, strict=True)]
            figures["cpu_s"] = cpu + max(used)
            figures["rounds"] = settled.rounds
            figures["entries_per_node"] = settled.entries_per_node
            figures["bytes_per_node"] = settled.bytes_per_node
            figures["bytes_between_shards_per_node"] = settled.bytes_between_shards_per_node
            figures["bytes_between_shards_per_message"] = cluster.message_bytes / len(sent)
            figures["hops_per_message"] = float(np.mean([one.hops for one in sent]))
            figures["actors_peak_gb"] = sum(one.peak_bytes for one in after) / 1e9
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
        "cpu_ratio": figures["cpu_s"] / one["one_cpu_s"],
        "driver_peak_gb": peak_gigabytes(),
    }


def counted(nodes: int, num_shards: int) -> dict[str, Any]:
    """What shards hold and tell each other until they have settled, in one process."""
    graph, strategy = garden.load(f"power-law:n={nodes},degree=16"), Beacons(paths=0)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "shards"
        manifest = cut_shards(graph, num_shards, folder)
        size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        shards = [read_shard(folder, manifest, number) for number in range(num_shards)]
    rounds = [BeaconRounds(shard, strategy, nodes) for shard in shards]
    told, num_bytes, changed = [one.begin() for one in rounds], 0, 1
    while changed:
        num_bytes += sum(
            one.num_bytes
            for home, parts in enumerate(told)
            for shard, one in enumerate(parts)
            if shard != home
        )
        columns = list(zip(*told, strict=True))
        heard = [one.hear(parts) for one, parts in zip(rounds, columns, strict=True)]
        changed, told = sum(one[0] for one in heard), [one[1] for one in heard]
    columns = list(zip(*told, strict=True))
    rows = [one.finish(parts) for one, parts in zip(rounds, columns, strict=True)]
    entries = sum(len(one.ragged["keys"].values) for one in rows)
    own = sum(
        int(one.ragged["keys"].offsets[shard.num_own])
        for one, shard in zip(rows, shards, strict=True)
    )
    return {
        "nodes": nodes,
        "shards": num_shards,
        "entries_per_node": own / nodes,
        "bytes_between_shards_per_node": num_bytes / nodes,
        "border_rows_per_node": sum(len(shard.homes) for shard in shards) / nodes,
        "entries_held_per_node": entries / nodes,
        "row_bytes_held_per_node": sum(int(one.bytes_per_row.sum()) for one in rows) / nodes,
        "link_bytes_per_node": sum(shard.indices.nbytes for shard in shards) / nodes,
        "disk_bytes_per_node": size / nodes,
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--count", type=int, nargs="+")
    given = parser.parse_known_args()[0]
    if given.count:
        counts = [counted(given.nodes, shards) for shards in given.count]
        cells = [[f"{value:.6g}" for value in one.values()] for one in counts]
        report("Shards", [name.replace("_", " ") for name in counts[0]], cells, counts)
        return
    content = measured(given.nodes, given.shards, given.messages)
    rows = [
        (name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
        for name, value in content.items()
    ]
    report("A cluster beside one process", ("", "value"), rows, [content])


if __name__ == "__main__":
    main()
