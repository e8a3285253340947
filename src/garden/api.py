"""The facade: the verbs of garden as functions, and names turned into strategies."""

from __future__ import annotations

import difflib
import importlib
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from garden.datasets.spec import load
from garden.datasets.task import MIN_NODES, SearchTask
from garden.errors import GraphError, SpecError, StrategyError
from garden.graphs.graph import Graph
from garden.graphs.paths import pair_distances
from garden.graphs.views import ego_graphs
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.progress import Progress, silent
from garden.search.report import Report
from garden.search.tune import prepare
from garden.search.walk import Walk, episode_streams, walk
from garden.strategies.base import Fitted, Strategy, Tempered
from garden.strategies.memory import Memory, memory_named
from garden.strategies.registry import WALKERS

__all__ = ["RoutedMessage", "contender_named", "evaluate", "load", "route", "strategy_named"]

_LOG = logging.getLogger("garden")
_NEUTRAL_TEMPERATURE = 1.0

StrategyLike = str | Strategy


@dataclass(frozen=True, eq=False)
class RoutedMessage:
    """The trip of one message, by node names, beside the shortest way."""

    graph: Graph
    strategy: str
    memory: str
    walk: Walk
    target: int
    distance: int

    @property
    def path(self) -> list[str]:
        """The nodes that held the message, the source first."""
        return [self.graph.node_names[node] for node in self.walk.nodes]

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The chance of each hop, as its holder saw it."""
        return self.walk.probabilities

    @property
    def delivered(self) -> bool:
        """Whether the message arrived."""
        return self.walk.delivered

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return self.walk.hops

    def to_json(self) -> dict[str, Any]:
        """The trip as plain values, as ``garden route --json`` writes it."""
        return {
            "graph": self.graph.name,
            "strategy": self.strategy,
            "memory": self.memory,
            "source": self.path[0],
            "target": self.graph.node_names[self.target],
            "delivered": self.delivered,
            "hops": self.hops,
            "distance": self.distance,
            "path": self.path,
            "probabilities": list(self.probabilities),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the trip; saved where a path is given, else returned as a matplotlib figure."""
        from garden.plots.walk import draw_walk

        return draw_walk(self.graph, self.walk.nodes, self.target, path)


def evaluate(
    task: SearchTask | Graph | str,
    strategies: Sequence[StrategyLike] | StrategyLike | None = None,
    memory: str = "none",
    seed: int = 0,
    config: EvaluationConfig | None = None,
    progress: Progress = silent,
) -> Report:
    """Compare strategies on a task; a graph or a spec is split with ``seed`` first.

    A strategy is a name (``distance``, ``bidirectional+visited``, ``package.module:Class``) or an
    object; without any, all walkers that the graph allows are compared.
    """
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task), seed=seed)
    if strategies is None:
        strategies = default_strategies(task.graph)
    elif isinstance(strategies, str | Strategy):
        strategies = [strategies]
    contenders = [contender_named(strategy, memory) for strategy in strategies]
    return compare(task, contenders, config or EvaluationConfig(), progress)


def route(
    graph: Graph | str,
    strategy: StrategyLike = "bidirectional+visited",
    *,
    source: str | int,
    target: str | int,
    memory: str = "none",
    max_hops: int = 100,
    seed: int = 0,
    progress: Progress = silent,
) -> RoutedMessage:
    """Send one message and watch where it goes."""
    graph = load(graph)
    start, goal = graph.position(source), graph.position(target)
    if start == goal:
        raise GraphError(f"source and target are both {str(source)!r}: give two different nodes")
    max_hops = EvaluationConfig(max_hops=max_hops).max_hops
    contender = contender_named(strategy, memory)
    ready = _ready_without_task(contender.strategy, graph, seed, progress)
    trip = walk(
        graph,
        ready,
        ready.represent(ego_graphs(graph)),
        start,
        goal,
        contender.memory,
        max_hops,
        int(episode_streams(seed, 0, 1)[0]),
    )
    distance = int(pair_distances(graph, np.array([[start, goal]]))[0])
    return RoutedMessage(graph, contender.label, contender.memory.name, trip, goal, distance)


def default_strategies(graph: Graph) -> list[str]:
    """The walkers that can work on this graph."""
    walkers = {name: make() for name, make in WALKERS.items()}
    usable = [
        name
        for name, walker in walkers.items()
        if graph.num_attributes > 0 or not walker.needs_attributes
    ]
    if len(usable) < len(walkers):
        left_out = ", ".join(name for name in walkers if name not in usable)
        _LOG.info("%s has no attributes: %s are left out", graph.name, left_out)
    return usable


def contender_named(strategy: StrategyLike, memory: str = "none") -> Contender:
    """A strategy with its memory: ``NAME+MEMORY`` overrides the memory given for all."""
    if not isinstance(strategy, str):
        return Contender(strategy.name, strategy, memory_named(memory))
    name, own_memory = _split_memory(strategy)
    chosen: Memory = own_memory or memory_named(memory)
    return Contender(name, strategy_named(name), chosen)


def strategy_named(name: str) -> Strategy:
    """The strategy with this name: a walker, or a class given as ``package.module:Class``."""
    if name in WALKERS:
        return WALKERS[name]()
    if ":" in name:
        return _strategy_of_dotted_name(name)
    close = difflib.get_close_matches(name, WALKERS, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise SpecError(
        f"unknown strategy {name!r}: {hint}walkers are {', '.join(WALKERS)}; "
        "a class of your own is package.module:Class"
    )


def _split_memory(name: str) -> tuple[str, Memory | None]:
    base, plus, memory = name.rpartition("+")
    if not plus:
        return name, None
    if not base:
        raise SpecError(f"{name!r} names a memory but no strategy: write NAME+{memory}")
    return base, memory_named(memory)


def _strategy_of_dotted_name(name: str) -> Strategy:
    module_name, _, class_name = name.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # an installed `garden` does not look here by itself
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise SpecError(f"{name}: cannot import {module_name!r} ({error})") from None
    made = getattr(module, class_name, None)
    if not callable(made):
        raise SpecError(f"{name}: {module_name} has no class {class_name!r}")
    try:
        strategy = made()
    except Exception as error:
        raise StrategyError(f"{name}: cannot be made without arguments ({error})") from None
    if not isinstance(strategy, Strategy):
        raise StrategyError(f"{name}: not a garden.strategies.base.Strategy")
    return strategy


def _ready_without_task(
    strategy: Strategy, graph: Graph, seed: int, progress: Progress
) -> Strategy:
    if graph.num_nodes >= MIN_NODES:
        return prepare(strategy, SearchTask.split(graph, seed=seed), progress=progress)
    if isinstance(strategy, Fitted):
        strategy = strategy.fit(ego_graphs(graph))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        _LOG.info(
            "%s is too small to tune on: temperature %g is used", graph.name, _NEUTRAL_TEMPERATURE
        )
        return strategy.with_temperature(_NEUTRAL_TEMPERATURE)
    return strategy
