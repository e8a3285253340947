"""How long a holder takes to choose, and a node to represent itself: one message, one thread.

A timing is a measurement. Its address says what was measured; the result says on which machine,
and another measurement would give other digits.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.datasets.task import draw_pairs
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.registry import MODELS
from garden.random_streams import TIMED_NODES, TIMED_PAIRS
from garden.resolve import strategy_named
from garden.strategies.base import Strategy, scores_at_holder
from garden.strategies.protocols import Fitted, Tempered
from garden.strategies.registry import WALKERS
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights, choose

Call = Callable[[], object]
PARTS = ("action", "representation")
TIMED = (*WALKERS, "mlpa2c", "mlpa2cwd", "garden", "trellis")
_NUM_FITTED = 200  # nodes whose ego graphs a walker is fitted on: its cost per action is the same


@final
@dataclass(frozen=True)
class Timing(Work):
    """Every strategy on the same holders and targets of one graph."""

    kind: ClassVar[str] = "timing"

    graph: str
    seed: int
    strategies: tuple[str, ...] = TIMED
    num_targets: int = 100
    repeats: int = 20

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Time all strategies on one thread.

        Args:
            cache: Where policies come from; none is needed, since untrained models cost the same.

        Returns:
            The graph's size, the machine, and by strategy and part what :func:`milliseconds` gives.
        """
        graph = graph_of(self.graph)
        pairs = draw_pairs(
            np.arange(graph.num_nodes), graph.num_nodes, self.num_targets, [self.seed, TIMED_PAIRS]
        )
        with one_torch_thread():
            calls = {
                (name, part): of_part
                for name in self.strategies
                for part, of_part in timed_calls(
                    ready_strategy(name, graph, self.seed), graph, pairs
                ).items()
            }
            times = milliseconds(calls, self.repeats)
            machine = machine_facts()
        return {
            "num_nodes": graph.num_nodes,
            "num_edges": graph.num_edges,
            "num_attributes": graph.num_attributes,
            "mean_degree": 2 * graph.num_edges / graph.num_nodes,
            "holder_degrees": graph.degrees[pairs[:, 0]].tolist(),
            "machine": machine,
            "strategies": {
                name: {part: times[name, part] for part in PARTS} for name in self.strategies
            },
        }


def ready_strategy(name: str, graph: Graph, seed: int) -> Strategy:
    """A walker with some temperature, fitted where it has to be, or an untrained model.

    Neither temperatures nor weights change what an action costs.

    Args:
        name: A walker or a model.
        graph: What a model is sized for, and a walker that learns something is fitted to.
        seed: Of a model's initial weights.
    """
    if name in MODELS:
        from garden.models.policy import Policy

        return Policy.untrained(graph.attribute_names, name, seed, profiles=graph.attributes)
    strategy = strategy_named(name)
    if isinstance(strategy, Fitted):
        count = min(_NUM_FITTED, graph.num_nodes)
        draws = np.random.default_rng([seed, TIMED_NODES])
        nodes = draws.choice(graph.num_nodes, count, replace=False)
        strategy = strategy.fit(ego_graphs(graph, nodes))
    return strategy.with_temperature(1.0) if isinstance(strategy, Tempered) else strategy


def timed_calls(strategy: Strategy, graph: Graph, pairs: np.ndarray) -> dict[str, list[Call]]:
    """An action and a representation for each (holder, target) of the pairs.

    A holder has its neighbours' representations already, and the message brings the target's;
    the action is all that follows. What is represented is the holder's own ego graph.

    Args:
        strategy: Whose calls.
        graph: The graph.
        pairs: Holders and targets, (num_pairs, 2).

    Returns:
        By part, a call per pair, each without arguments.
    """
    neighbours = [graph.neighbours(holder) for holder in pairs[:, 0]]
    nodes = np.unique(np.concatenate([*neighbours, pairs[:, 1]]))
    rows = strategy.represent(ego_graphs(graph, nodes))
    alone = ego_graphs(graph, pairs[:, 0])

    def acting(number: int) -> Call:
        candidates = rows.take(np.searchsorted(nodes, neighbours[number]))
        target = rows.take(np.searchsorted(nodes, pairs[number, 1:]))
        return lambda: chosen_neighbour(strategy, candidates, target, 0.5)

    def representing(number: int) -> Call:
        ego = alone.alone(number)
        return lambda: strategy.represent_one(ego)

    numbers = range(len(pairs))
    return {
        "action": [acting(number) for number in numbers],
        "representation": [representing(number) for number in numbers],
    }


def chosen_neighbour(
    strategy: Strategy, candidates: Representations, target: Representations, uniform: float
) -> int:
    """One action of a memoryless holder: the position among its neighbours of the next holder.

    Args:
        strategy: Who chooses.
        candidates: A row per neighbour.
        target: One row.
        uniform: In [0, 1): settles a choice by chance.
    """
    scores = scores_at_holder(strategy, candidates, target)
    return choose(choice_weights(scores, strategy.selection), uniform)


def milliseconds(
    calls: Mapping[tuple[str, str], Sequence[Call]], repeats: int
) -> dict[tuple[str, str], dict[str, Any]]:
    """Times of each group of calls: a mean, and the median repeat of each call.

    A round goes through all calls of all groups, so that no call finds its own traces in the
    caches, and whatever else the machine does slows every group alike. The first round warms up.

    Args:
        calls: Groups of calls without arguments, by any key.
        repeats: How many rounds are measured.

    Returns:
        By group ``mean`` and ``median`` of the clock on the wall, the latter a number per call, and
        ``processor``, as ``median`` but of the time that the processor spent on the call, which
        other work of a busy machine leaves alone.
    """
    times = {group: np.empty((repeats + 1, len(some), 2)) for group, some in calls.items()}
    for turn in range(repeats + 1):
        for group, some in calls.items():
            for number, call in enumerate(some):
                times[group][turn, number] = _nanoseconds(call)
    return {group: _summary(table[1:] / 1e6) for group, table in times.items()}


def _nanoseconds(call: Call) -> tuple[int, int]:
    """Time of one call: on the wall, and of the processor."""
    busy = time.thread_time_ns()
    start = time.perf_counter_ns()
    call()
    stop = time.perf_counter_ns()
    return stop - start, time.thread_time_ns() - busy


def _summary(times: np.ndarray) -> dict[str, Any]:
    """Of times (repeats, num_calls, 2)."""
    medians = np.median(times, axis=0).round(5)
    return {
        "mean": round(float(times[..., 0].mean()), 6),
        "median": medians[:, 0].tolist(),
        "processor": medians[:, 1].tolist(),
    }


def machine_facts() -> dict[str, Any]:
    """What a timing depends on beside the code."""
    import torch

    return {
        "processor": _processor_name(),
        "cpu_count": os.cpu_count(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "platform": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "numpy": np.__version__,
    }


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Torch computes on one thread inside, and on as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
