"""What `universal` costs a peer: the row of an ego graph of twenty neighbours, and their scores.

One holder, one message, no cached table. Bars: 1 ms for the row, 20 µs for each neighbour's score.
Real data are used where they are at hand, else a Kaiser–Hilgetag graph. Times are the processor's,
medians over 100 targets, one thread.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from _timing import report
from garden.api import load
from garden.errors import GardenError
from garden.experiments.paper.runtime.timing import milliseconds
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import strategy_named

SPECS = ("facebook:414", "facebook:686", "facebook:348", "facebook:0", "facebook:3437")
DEGREE, NUM_TARGETS, REPEATS = 20, 100, 5


def main() -> None:
    torch.set_num_threads(1)
    rows, content = [], {}
    for graph in graphs():
        row, score = times_of(graph)
        rows.append((graph.name, f"{row:.3f}", f"{1000 * score / DEGREE:.1f}"))
        content[graph.name] = {"row_ms": row, "score_us": 1000 * score / DEGREE}
    columns = ("graph", "row, ms (bar 1)", "score of a neighbour, µs (bar 20)")
    report("universal: a row of twenty neighbours, and their scores", columns, rows, content)


def graphs() -> list[Graph]:
    try:
        return [load(spec) for spec in SPECS]
    except GardenError:
        return [load("kaiser-hilgetag:n=532,alpha=10,beta=1")]


def times_of(graph: Graph) -> tuple[float, float]:
    """Milliseconds of one row and of twenty scores; holders have about that many neighbours."""
    universal = strategy_named("universal")
    announced = universal.represent(ego_graphs(graph))
    enough = np.flatnonzero(graph.degrees >= DEGREE)
    holders = enough[np.argsort(graph.degrees[enough], kind="stable")][:10]
    targets = np.random.default_rng(0).integers(graph.num_nodes, size=NUM_TARGETS)
    alone = ego_graphs(graph, holders)

    def representing(place: int) -> Callable[[], object]:
        ego = alone.alone(place)
        return lambda: universal.represent_one(ego)

    def scoring(number: int) -> Callable[[], object]:
        heard = announced.take(graph.neighbours(holders[number % len(holders)])[:DEGREE])
        goal = announced.take(np.repeat(targets[number], DEGREE))
        return lambda: universal.score_pairs(heard, goal)

    calls = {
        ("universal", "row"): [representing(place) for place in range(len(holders))],
        ("universal", "score"): [scoring(number) for number in range(NUM_TARGETS)],
    }
    times = milliseconds(calls, REPEATS)
    row, score = (float(np.median(times[group]["processor"])) for group in calls)
    return row, score


if __name__ == "__main__":
    main()
