"""Hops per second of sampled walks on one core, beside igraph's and NetworkX's random walks.

Ours is a memoryless softmax walk of DistanceWalker whose scores are known; igraph's and
NetworkX's are unguided. Real data are used where they are at hand (`facebook:3437`), else a
Kaiser–Hilgetag graph of about that size. Then power-law graphs of mean degree 16 that outgrow the
cache, with random profiles, beside igraph alone.
"""

from __future__ import annotations

import random
import time

import igraph
import numpy as np

from _timing import best_seconds, report
from garden.api import load
from garden.datasets.random_graphs import power_law
from garden.errors import GardenError
from garden.graphs.convert import to_networkx
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.episode_rng import episode_streams
from garden.search.kernels import walk_memoryless
from garden.strategies.walkers import DistanceWalker

EPISODES, MAX_HOPS = 30_000, 100
SIZES = (10_000, 100_000, 1_000_000)
NUM_ATTRIBUTES = 16


def main() -> None:
    graph = benchmark_graph()
    long_walk, short_walks = igraph_hops_per_second(graph)
    speeds = {
        "ours": guided_hops_per_second(graph),
        "igraph": max(long_walk, short_walks),
        "igraph_one_walk_of_1000000": long_walk,
        "igraph_walks_of_100": short_walks,
        "networkx": networkx_hops_per_second(graph),
    }
    rows = [(name, f"{speed / 1e6:.2f} million") for name, speed in speeds.items()]
    ratio = speeds["ours"] / speeds["igraph"]
    rows.append(("ours / igraph", f"{ratio:.1f} ×"))
    by_size = [speeds_at(num_nodes) for num_nodes in SIZES]
    for at in by_size:
        name = f"power-law, {at['num_nodes']:,} nodes"
        speed = f"{at['ours'] / 1e6:.2f} million, igraph {at['igraph'] / 1e6:.2f} million"
        rows.append((name, f"{speed}: {at['ratio']:.1f} ×"))
    content = {"graph": graph.name, **speeds, "ratio": ratio, "by_size": by_size}
    report(f"Hops per second, one core, {graph.name}", ("walk", "hops/s"), rows, content)


def benchmark_graph() -> Graph:
    try:
        return load("facebook:3437")
    except GardenError:
        return load("kaiser-hilgetag:n=532,alpha=10,beta=1")


def speeds_at(num_nodes: int) -> dict[str, float]:
    plain = power_law(num_nodes, 16)
    profiles = np.random.default_rng(0).integers(0, 2, (num_nodes, NUM_ATTRIBUTES))
    names = tuple(f"x{column}" for column in range(NUM_ATTRIBUTES))
    parts = plain.indptr, plain.indices, profiles.astype(np.float32), plain.node_names, names
    graph = Graph(*parts, plain.name)
    ours, igraph_best = guided_hops_per_second(graph), max(igraph_hops_per_second(graph))
    return {
        "num_nodes": num_nodes,
        "ours": ours,
        "igraph": igraph_best,
        "ratio": ours / igraph_best,
    }


def guided_hops_per_second(graph: Graph) -> float:
    walker = DistanceWalker(temperature=0.5)
    rows = walker.represent(ego_graphs(graph))
    target = 0
    scores = walker.score(rows, rows.take(np.array([target])))[0]
    sources = np.random.default_rng(0).integers(1, graph.num_nodes, EPISODES)
    streams = episode_streams(0, 0, EPISODES)
    hops = np.empty(EPISODES, dtype=np.int64)
    paths = np.empty((0, 0), dtype=np.int32)

    def run() -> None:
        walk_memoryless(
            graph.indptr,
            graph.indices,
            scores,
            False,
            target,
            sources,
            streams,
            MAX_HOPS,
            hops,
            paths,
        )

    seconds = best_seconds(run, repeats=5)
    return float(np.minimum(hops, MAX_HOPS).sum() / seconds)


def igraph_hops_per_second(graph: Graph) -> tuple[float, float]:
    """As one long walk, and as many short ones."""
    ig = igraph.Graph(n=graph.num_nodes, edges=graph.edges())
    long_walk = best_seconds(lambda: ig.random_walk(0, 1_000_000))
    starts = [i % graph.num_nodes for i in range(1_000)]
    short_walks = best_seconds(lambda: [ig.random_walk(start, MAX_HOPS) for start in starts])
    return 1_000_000 / long_walk, len(starts) * MAX_HOPS / short_walks


def networkx_hops_per_second(graph: Graph) -> float:
    other = to_networkx(graph)
    holder = next(iter(other))
    rng = random.Random(0)
    start = time.perf_counter()
    for _ in range(100_000):
        holder = rng.choice(list(other[holder]))
    return 100_000 / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
