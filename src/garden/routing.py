"""Sending one message: ``garden.route`` and the path that it returns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from garden.datasets.spec import load
from garden.datasets.task import MIN_NODES, SearchTask
from garden.errors import GraphError, SpecError, expect
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.notebook import table_as_html
from garden.provenance import check_fit
from garden.resolve import DEFAULT_STRATEGY, StrategyLike, contender_named
from garden.search.config import MaxHops, check_max_hops, limit_of
from garden.search.episode_rng import episode_streams
from garden.search.lazy_rollout import MIN_NODES as MIN_LAZY_NODES
from garden.search.lazy_rows import LazyRows, RowSource
from garden.search.progress import Progress, silent
from garden.search.rounds import settle
from garden.search.temperature_tuning import prepare
from garden.search.walk import Choice, Walk, walk
from garden.strategies.base import Strategy, is_ready
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.protocols import Fitted, Tempered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from garden.plots.walk import View

_LOG = logging.getLogger("garden")
_NEUTRAL_TEMPERATURE = 1.0

HOP_COLUMNS = ("hop", "node", "probability")


@dataclass(frozen=True, eq=False)
class RoutedMessage:
    """The path of one message, by node names, beside the length of the shortest path."""

    graph: Graph
    strategy: str  # its name
    memory: str  # its name
    walk: Walk  # by positions
    target: int  # its position
    distance: int  # hops of the shortest path
    max_hops: int
    represented_nodes: int  # how many nodes have a row: all, or those that the message met

    @property
    def path(self) -> list[str]:
        """The names of the nodes that held the message, the source first."""
        return [self.graph.node_names[node] for node in self.walk.nodes]

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each hop under its holder's scores and memory."""
        return self.walk.probabilities

    @property
    def delivered(self) -> bool:
        """Whether the message arrived before it was truncated."""
        return self.walk.delivered

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return self.walk.hops

    def to_json(self) -> dict[str, Any]:
        """The path as plain values, as ``garden route --json`` writes it."""
        return {
            "graph": self.graph.name,
            "strategy": self.strategy,
            "memory": self.memory,
            "source": self.path[0],
            "target": self.graph.node_names[self.target],
            "delivered": self.delivered,
            "hops": self.hops,
            "distance": self.distance,
            "max_hops": self.max_hops,
            "represented_nodes": self.represented_nodes,
            "path": self.path,
            "probabilities": list(self.probabilities),
        }

    def __repr__(self) -> str:
        source, target = self.path[0], self.graph.node_names[self.target]
        fate = f"{'delivered' if self.delivered else 'not delivered'} in {self.hops} hops"
        return (
            f"RoutedMessage({source!r} → {target!r}, {fate}, shortest {self.distance}, "
            f"by {self.strategy}, memory {self.memory})"
        )

    def _repr_html_(self) -> str:
        fate = "delivered" if self.delivered else "not delivered"
        title = (
            f"{self.graph.name}: {fate} in {self.hops} hops (shortest {self.distance}) "
            f"by {self.strategy}, memory {self.memory}"
        )
        return table_as_html(title, HOP_COLUMNS, self.rows())

    def rows(self) -> list[tuple[str, str, str]]:
        """Hop, node and probability of each holder as text, the source first."""
        probabilities = ["", *(f"{probability:.3f}" for probability in self.probabilities)]
        hops = enumerate(zip(self.path, probabilities, strict=True))
        return [(str(hop), node, probability) for hop, (node, probability) in hops]

    def plot(
        self,
        path: str | Path | None = None,
        *,
        ax: Axes | None = None,
        view: View = "auto",
    ) -> Figure:
        """A picture of the path, in the graph or alone.

        Args:
            path: A file to save the picture to (.png, .svg or .pdf).
            ax: Matplotlib axes to draw on; a figure of its own is made without them.
            view: The ``graph`` around the path, the ``trip`` alone with each hop at its distance to
                the target, or ``auto``: the trip alone where the graph is too dense.

        Returns:
            The matplotlib figure.
        """
        from garden.plots.walk import draw_walk

        return draw_walk(self.graph, self.walk.nodes, self.target, path, ax, view)


def route(
    graph: Graph | str,
    strategy: StrategyLike = DEFAULT_STRATEGY,
    *,
    source: str | int,
    target: str | int,
    memory: str = "none",
    max_hops: MaxHops = "auto",
    seed: int = 0,
    progress: Progress = silent,
    cache: bool = True,
    watch: Callable[[Choice], None] | None = None,
) -> RoutedMessage:
    """Send one message and return its path.

    Args:
        graph: A graph, or a spec as :func:`garden.load` takes it.
        strategy: Who decides: a name such as ``"greedy"`` or ``"universal+explore"``, a run
            folder, or an object with ``represent`` and ``score``.
        source: The name or position of the node that sends.
        target: The name or position of the node that shall receive.
        memory: The memory, where the strategy's name holds none.
        max_hops: The hop at which the message is given up. `auto`: 100; where source and target
            are more than 50 hops apart, ten times their distance, at most 10,000.
        seed: Fixes the random choices, and the split that temperatures are tuned on.
        progress: Called as tuning goes on.
        cache: Whether settled rows of large graphs are read from the user's cache, and kept there.
        watch: Called with what each holder chose from.

    Example:
        >>> import garden
        >>> message = garden.route("kaiser-hilgetag:n=50,seed=1", "greedy", source=0, target=9)
        >>> message.path[0], message.hops >= message.distance
        ('0', True)
    """
    graph = load(graph)
    start, end = graph.position(source), graph.position(target)
    if start == end:
        raise GraphError(f"source and target are both {str(source)!r}: give two different nodes")
    check_max_hops(max_hops)
    expect("seed", seed, Integral, otherwise="a whole number")
    if seed < 0:
        raise SpecError(f"seed {seed} is negative: use 0 or more")
    contender = contender_named(strategy, memory)
    check_fit(contender.strategy, graph)
    ready = ready_without_task(contender.strategy, graph, seed, progress)
    distance = int(pair_distances(graph, np.array([[start, end]]))[0])
    limit = limit_of(max_hops, distance)
    rows = row_source(graph, ready, progress, cache)
    trip = walk(
        graph,
        ready,
        rows,
        start,
        end,
        contender.memory,
        limit,
        int(episode_streams(seed, 0, 1)[0]),
        watch,
    )
    represented = rows.num_represented if isinstance(rows, LazyRows) else len(rows)
    names = contender.label, contender.memory.name
    return RoutedMessage(graph, *names, trip, end, distance, limit, represented)


def row_source(
    graph: Graph, strategy: Strategy, progress: Progress = silent, cache: bool = True
) -> RowSource:
    """The rows that messages are routed by.

    Args:
        graph: The graph.
        strategy: The strategy, fitted and tuned.
        progress: Called as rounds go on.
        cache: Whether settled rows of large graphs are read from the user's cache.

    Returns:
        The rows of all nodes; on a large graph those that messages meet, unless agents talk.
    """
    if not isinstance(strategy, GossipStrategy) and graph.num_nodes >= MIN_LAZY_NODES:
        return LazyRows(graph, strategy)
    return settle(graph, strategy, progress, cache=cache).rows


def ready_without_task(
    strategy: Strategy, graph: Graph, seed: int = 0, progress: Progress = silent
) -> Strategy:
    """The strategy fitted to a graph and tuned on a split of it, where it is not ready yet.

    Args:
        strategy: The strategy.
        graph: The graph.
        seed: Of the split that a temperature is tuned on.
        progress: Called as tuning goes on.
    """
    if is_ready(strategy):
        return strategy
    if graph.num_nodes >= MIN_NODES:
        return prepare(strategy, SearchTask.split(graph, seed=seed), progress=progress)
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = strategy.fit(ego_graphs(graph))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        _LOG.info(
            "%s is too small to tune on: temperature %g is used", graph.name, _NEUTRAL_TEMPERATURE
        )
        return strategy.with_temperature(_NEUTRAL_TEMPERATURE)
    return strategy
