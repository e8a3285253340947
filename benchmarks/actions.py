"""Time per action and per representation of every strategy, as in the paper's runtime table.

One message, one holder, a batch of one, no cached score table: the holder scores its neighbours
from their representations and chooses. Means over 100 targets, one thread.
"""

from __future__ import annotations

import numpy as np
import torch

from _timing import report
from garden.api import load
from garden.datasets.task import SearchTask, draw_pairs
from garden.errors import GardenError
from garden.experiments.paper.runtime.timing import PARTS, milliseconds, timed_calls
from garden.graphs.graph import Graph
from garden.resolve import strategy_named
from garden.search.temperature_tuning import prepare
from garden.strategies.registry import WALKERS

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
            action, representation = times_of(graph, name)
            degree = f"{graph.degrees.mean():.1f}"
            rows.append((spec, name, f"{action:.4f}", f"{representation:.4f}", degree))
            content[f"{spec} {name}"] = {"action_ms": action, "representation_ms": representation}
    columns = ("graph", "strategy", "action, ms", "representation, ms", "mean degree")
    report("Time per action and per representation", columns, rows, content)


def times_of(graph: Graph, name: str) -> tuple[float, float]:
    """Milliseconds of one action and of one representation."""
    strategy = prepare(strategy_named(name), SearchTask.split(graph))
    pairs = draw_pairs(np.arange(graph.num_nodes), graph.num_nodes, NUM_TARGETS, [0])
    calls = timed_calls(strategy, graph, pairs)
    times = milliseconds({(name, part): calls[part] for part in PARTS}, repeats=1)
    action, representation = (float(times[name, part]["mean"]) for part in PARTS)
    return action, representation


if __name__ == "__main__":
    main()
