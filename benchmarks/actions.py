"""Time per action and per representation of every strategy, as in the paper's runtime table.

One message, one holder, a batch of one, no cached score table: the holder scores its neighbours
from their representations and chooses. Means over 100 targets, one thread.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from _timing import report
from garden.api import load
from garden.datasets.task import SearchTask
from garden.errors import GardenError
from garden.graphs.ego import EgoGraph
from garden.graphs.graph import Graph
from garden.graphs.views import ego_graphs
from garden.names import strategy_named
from garden.search.tune import prepare
from garden.strategies.base import Representations, Strategy
from garden.strategies.registry import WALKERS
from garden.strategies.selection import choice_weights, choose

NUM_TARGETS = 100


def main() -> None:
    torch.set_num_threads(1)
    rows, content = [], {}
    for spec in ("facebook:414", "facebook:686", "facebook:348", "facebook:0", "facebook:3437"):
        try:
            graph = load(spec)
        except GardenError as error:
            print(f"{spec} left out: {error}")
            continue
        names = [*WALKERS, f"garden-{spec.replace(':', '-')}"]
        for name in names:
            action, representation = milliseconds(graph, name)
            degree = f"{graph.degrees.mean():.1f}"
            rows.append((spec, name, f"{action:.4f}", f"{representation:.4f}", degree))
            content[f"{spec} {name}"] = {"action_ms": action, "representation_ms": representation}
    columns = ("graph", "strategy", "action, ms", "representation, ms", "mean degree")
    report("Time per action and per representation", columns, rows, content)


def milliseconds(graph: Graph, name: str) -> tuple[float, float]:
    """Of one action and of one representation."""
    strategy = prepare(strategy_named(name), SearchTask.split(graph))
    egos = ego_graphs(graph)
    rows = strategy.represent(egos)
    rng = np.random.default_rng(0)
    nodes = rng.integers(0, graph.num_nodes, (NUM_TARGETS, 2))
    tables = [
        (rows.take(graph.neighbours(holder)), rows.take(np.full(graph.degrees[holder], target)))
        for holder, target in nodes
    ]
    alone = [egos.alone(int(node)) for node in nodes[:, 0]]
    return _mean_ms(strategy, tables, alone)


def _mean_ms(
    strategy: Strategy,
    tables: list[tuple[Representations, Representations]],
    alone: list[EgoGraph],
) -> tuple[float, float]:
    def act() -> None:
        for candidates, targets in tables:
            scores = strategy.score_pairs(candidates, targets)
            choose(choice_weights(scores, strategy.selection), 0.5)

    def represent() -> None:
        for ego in alone:
            strategy.represent_one(ego)

    times = []
    for work in (act, represent):
        work()
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start) / NUM_TARGETS)
    return times[0], times[1]


if __name__ == "__main__":
    main()
