"""The graphs and strategies of a server, by the ids that it handed out.

Clients name them by these ids alone. A graph is loaded, and a strategy made ready on it, when it is
first asked for; both are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import scipy.sparse as sp

from garden.datasets.snap import found_here
from garden.datasets.spec import load
from garden.datasets.valley import VALLEY, valley
from garden.datasets.wikispeedia import directed_links
from garden.errors import GardenError, SpecError
from garden.graphs.graph import Graph
from garden.provenance import check_fit
from garden.resolve import DEFAULT_STRATEGY, contender_named, contender_of
from garden.routing import ready_without_task, row_source
from garden.search.compare import Contender
from garden.search.lazy_rows import RowSource
from garden.search.rounds import settle
from garden.strategies.base import Strategy
from garden.strategies.gossip.protocol import GossipStrategy
from garden.web.schemas import GraphEntry, StrategyEntry

MAX_UPLOADS = 20
WIKISPEEDIA = "wikispeedia"
DEFAULT_STRATEGIES = (
    DEFAULT_STRATEGY,
    "universal",
    "beacons",  # the first that works without attributes
    "greedy",
    "distance",
    "connection",
    "random",
)
Source = Literal["command", "upload", "shipped"]


class UnknownIdError(GardenError):
    """An id that the server has not handed out."""


@dataclass
class GraphShelf:
    """A graph that may not be loaded yet."""

    id: str
    spec: str
    source: Source
    graph: Graph | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    links: sp.csr_array | None = None

    @property
    def name(self) -> str:
        """What people see: never the folder that a file lies in."""
        return without_folder(self.spec)

    def loaded(self) -> Graph:
        """The graph, which is loaded when it is first asked for and kept."""
        with self.lock:
            if self.graph is None:
                found = valley() if self.spec == VALLEY else load(self.spec)
                self.graph = found.renamed(self.name)
            return self.graph

    def directed(self) -> sp.csr_array | None:
        """Its links in their own directions, loaded once; None where they have none."""
        folder = found_here(WIKISPEEDIA) if self.spec == WIKISPEEDIA else None
        if folder is None:
            return None
        graph = self.loaded()
        with self.lock:
            if self.links is None:
                self.links = directed_links(folder, graph)
            return self.links

    def entry(self) -> GraphEntry:
        """The graph as a menu shows it; sizes only once it has been loaded."""
        sizes = (None, None) if self.graph is None else (len(self.graph), self.graph.num_edges)
        return GraphEntry(
            id=self.id, name=self.name, num_nodes=sizes[0], num_edges=sizes[1], source=self.source
        )


@dataclass(frozen=True)
class Player:
    """A strategy that is ready on one graph."""

    contender: Contender  # its strategy fitted and tuned
    rows: RowSource
    rounds: int
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class StrategyShelf:
    """A strategy with its memory, not yet ready on any graph."""

    id: str
    name: str
    contender: Contender

    def entry(self) -> StrategyEntry:
        """The strategy as a menu shows it: what it knows and needs, and whether it was learned."""
        strategy = self.contender.strategy
        return StrategyEntry(
            id=self.id,
            name=self.name,
            knows=strategy.knows,
            needs_attributes=strategy.needs_attributes,
            learned=hasattr(strategy, "trained_graph") or strategy.name == "universal",
            has_value=has_value(strategy),
        )


def default_graphs() -> tuple[str, ...]:
    """What is offered where no graph is named: Wikispeedia, where it is on this machine."""
    return () if found_here(WIKISPEEDIA) is None else (WIKISPEEDIA,)


def without_folder(name: str) -> str:
    """A spec or strategy's name without the folders of a path in it."""
    if "/" not in name or name.startswith("collection:"):
        return name
    family, colon, _ = name.partition(":")
    last = name.rstrip("/").rsplit("/", 1)[-1]
    return f"{family}:{last}" if colon and "/" not in family else last


def has_value(strategy: Strategy) -> bool:
    """Whether it learned a value of each node."""
    return bool(getattr(getattr(strategy, "info", None), "trains_value", False))


class Library:
    """All graphs and strategies of a server.

    Args:
        graphs: Specs from the command line; the example is always there beside them.
        strategies: Names from the command line; a default choice where there are none.
    """

    def __init__(self, graphs: Sequence[str] = (), strategies: Sequence[str] = ()) -> None:
        self._lock = threading.Lock()
        self.graphs: dict[str, GraphShelf] = {}
        self.strategies: dict[str, StrategyShelf] = {}
        self._players: dict[tuple[str, str], Player] = {}
        self._making: dict[tuple[str, str], threading.Lock] = {}
        for spec in graphs:
            self._shelve(spec, "command", None)
        self.example = self._shelve(VALLEY, "shipped", None).id
        for name in strategies or DEFAULT_STRATEGIES:
            self._add(without_folder(name), contender_named(name))

    def _shelve(self, spec: str, source: Source, graph: Graph | None) -> GraphShelf:
        with self._lock:
            shelf = GraphShelf(f"g{len(self.graphs)}", spec, source, graph)
            self.graphs[shelf.id] = shelf
        return shelf

    def add_upload(self, name: str, graph: Graph) -> GraphShelf:
        """Keep a graph that somebody uploaded, under the name that they gave it.

        Args:
            name: What people see.
            graph: The graph.
        """
        uploads = sum(shelf.source == "upload" for shelf in self.graphs.values())
        if uploads >= MAX_UPLOADS:
            raise SpecError("many graphs were uploaded already: start the server anew")
        return self._shelve(name, "upload", graph)

    def add_policy(self, name: str, strategy: Strategy) -> StrategyShelf:
        """Keep a policy that was trained here, and let it remember as the default does.

        Args:
            name: What people see.
            strategy: The policy.
        """
        return self._add(name, contender_of(name, strategy, "backtrack"))

    def _add(self, name: str, contender: Contender) -> StrategyShelf:
        with self._lock:
            shelf = StrategyShelf(f"s{len(self.strategies)}", name, contender)
            self.strategies[shelf.id] = shelf
        return shelf

    def graph(self, graph_id: str) -> Graph:
        """The graph with this id."""
        if graph_id not in self.graphs:
            raise UnknownIdError("no such graph: reload the page")
        return self.graphs[graph_id].loaded()

    def strategy(self, strategy_id: str) -> StrategyShelf:
        """The strategy with this id."""
        if strategy_id not in self.strategies:
            raise UnknownIdError("no such strategy: reload the page")
        return self.strategies[strategy_id]

    @property
    def game_graph(self) -> str:
        """The graph that people play on first: Wikispeedia where it is offered."""
        wikis = [shelf.id for shelf in self.graphs.values() if shelf.spec == WIKISPEEDIA]
        return wikis[0] if wikis else self.example

    def links(self, graph_id: str) -> sp.csr_array | None:
        """The links of a graph in their own directions; None where they have none."""
        self.graph(graph_id)
        return self.graphs[graph_id].directed()

    def strategy_for(self, graph: Graph) -> str:
        """The id of the first strategy that can play on a graph."""
        for shelf in list(self.strategies.values()):
            if graph.num_attributes or not shelf.contender.strategy.needs_attributes:
                return shelf.id
        raise SpecError("no strategy here plays on a graph without attributes")

    def node(self, graph: Graph, position: int) -> int:
        """The position, if a node has it.

        Args:
            graph: The graph.
            position: At least 0; beyond the last node it is refused.
        """
        if position >= graph.num_nodes:
            raise UnknownIdError(f"no node {position}: the graph has {graph.num_nodes}")
        return position

    def player(self, graph_id: str, strategy_id: str) -> Player:
        """The strategy ready on the graph; made once, however many ask.

        Args:
            graph_id: The graph.
            strategy_id: The strategy.
        """
        key = (graph_id, strategy_id)
        graph, shelf = self.graph(graph_id), self.strategy(strategy_id)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            if key not in self._players:
                self._players[key] = player_on(graph, shelf.contender)
            return self._players[key]


def player_on(graph: Graph, contender: Contender) -> Player:
    """A strategy made ready on a graph.

    Args:
        graph: The graph.
        contender: A strategy that may still have to be fitted or tuned, and its memory.
    """
    if contender.strategy.needs_attributes and graph.num_attributes == 0:
        raise SpecError(f"{contender.label} compares attributes, and this graph has none")
    check_fit(contender.strategy, graph)
    ready = ready_without_task(contender.strategy, graph)
    rounds = 0
    rows: RowSource
    if isinstance(ready, GossipStrategy):
        settled = settle(graph, ready, cache=True)
        rows, rounds = settled.rows, settled.cost.rounds if settled.cost else 0
    else:
        rows = row_source(graph, ready)
    return Player(Contender(contender.label, ready, contender.memory), rows, rounds)


def random_pair(graph: Graph, seed: int) -> tuple[int, int]:
    """The positions of two different nodes, drawn uniformly: source and target.

    Args:
        graph: A graph of at least two nodes.
        seed: Which pair.
    """
    source, target = np.random.default_rng(seed).choice(graph.num_nodes, 2, replace=False)
    return int(source), int(target)
