"""Rounds before the search: agents tell their neighbours their rows until none changes.

:func:`settle` drives any strategy with rounds in simulation, synchronously: in each round every
agent with a neighbour whose row changed hears all of its neighbours' rows. ``beacons`` has a
compiled build that gives the same rows (:mod:`.sketch_kernels`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from garden.errors import GraphError, StrategyError
from garden.graphs.ego import EgoGraphs, ragged_rows
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.process_settings import require_memory
from garden.search.progress import Progress, silent
from garden.search.settled_cache import cache_file, read_rows, write_rows
from garden.strategies.base import Strategy, checked_representations
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.cards import CardCost, cards_of, cost_of, left_cards
from garden.strategies.gossip.directory import Directory
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations, concatenated, differing_rows

ROWS_PER_BLOCK = 1 << 16  # neighbours' rows that are heard at a time
ROUNDS_PER_NODE = 4  # more than it takes to tell something across a graph and back
BYTES_PER_BEACON = 150  # of each node at the peak of settling, from those of benchmarks
MIN_ROUNDS = 1000  # for graphs so small that a fixed number of rounds may be longer


@dataclass(frozen=True)
class GossipCost:
    """What the rounds cost; an entry is told once to each neighbour, when it changes."""

    rounds: int
    """Rounds in which something changed."""

    entries_per_node: float
    """Entries that a settled row holds, on average."""

    bytes_per_node: float
    """The bytes of those."""

    bytes_per_link: float
    """Bytes told over a link in all rounds, both ways, on average."""

    cards: CardCost | None = None
    """What leaving cards with directories costs, where that is done."""

    def to_json(self) -> dict[str, Any]:
        """Its fields; ``cards`` where there are some."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, eq=False)
class Settled:
    """The rows that agents search with, and what making them cost."""

    rows: Representations  # one per node
    cost: GossipCost | None  # None for a strategy without rounds


def node_keys(graph: Graph, seed: int) -> np.ndarray:
    """The key of each node: a hash of its name and the seed, (num_nodes,) uint64.

    Where two are equal, a :class:`garden.GraphError` says so.

    Args:
        graph: the graph.
        seed: salts the hashes.
    """
    return different_keys(keys_of_names(graph.node_names, seed), graph.name)


def keys_of_names(names: Sequence[str], seed: int) -> np.ndarray:
    """The hash of each name and the seed, (num_names,) uint64.

    Args:
        names: of the nodes.
        seed: salts the hashes.
    """
    salt = seed.to_bytes(8, "little")
    digests = b"".join(
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt).digest()
        for name in names
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def different_keys(keys: np.ndarray, name: str) -> np.ndarray:
    """The keys of a network with this name, (num_nodes,); equal ones are refused.

    Args:
        keys: of all nodes, (num_nodes,).
        name: of the network, for the error.

    Returns:
        The same keys.
    """
    if len(np.unique(keys)) < len(keys):
        raise GraphError(f"{name}: two nodes have the same key: choose another seed")
    return keys


def representations_of(graph: Graph, strategy: Strategy) -> Representations:
    """The rows that the agents of a graph search with, one per node.

    Args:
        graph: the graph.
        strategy: with or without rounds.
    """
    return settle(graph, strategy).rows


def settle(
    graph: Graph,
    strategy: Strategy,
    progress: Progress = silent,
    egos: EgoGraphs | None = None,
    cache: bool = False,
) -> Settled:
    """The rows of a strategy on a graph: after its rounds, or from ego graphs alone.

    Args:
        graph: The graph, of one component or several.
        strategy: The strategy, fitted and tuned.
        progress: Called as rounds go on.
        egos: The ego graphs of all nodes, where they are at hand.
        cache: Whether rows that had rounds are read from the user's cache, and kept there
            (:mod:`garden.search.settled_cache`).
    """
    if not isinstance(strategy, GossipStrategy):
        egos = egos or ego_graphs(graph)
        return Settled(
            checked_representations(strategy.represent(egos), len(egos), strategy.name), None
        )
    if isinstance(strategy, Directory):
        return _settled_directory(graph, strategy, progress, egos or ego_graphs(graph), cache)
    path = cache_file(graph, strategy) if cache else None
    kept = read_rows(path, graph.num_nodes) if path is not None else None
    if kept is not None:
        return Settled(kept[0], GossipCost(**kept[1]))
    settled = _settle_afresh(graph, strategy, progress)
    if path is not None and settled.cost is not None:
        write_rows(path, settled.rows, settled.cost.to_json())
    return settled


def _settle_afresh(graph: Graph, strategy: GossipStrategy, progress: Progress) -> Settled:
    keys = node_keys(graph, strategy.key_seed)
    if isinstance(strategy, Beacons):
        try:
            from garden.search.sketch_kernels import built_sketches
        except ImportError:  # no numba on this machine
            return settle_by_rounds(graph, strategy, keys, progress)
        require_memory(
            graph.num_nodes * strategy.k * BYTES_PER_BEACON,
            f"settling {strategy.name} on {graph.num_nodes} nodes",
            f"keep fewer beacons, such as beacons:k={max(1, strategy.k // 2)}",
        )
        classes = strategy.classes(graph.degrees)
        rows = built_sketches(graph, keys, classes, strategy.k, progress)
        if strategy.paths:
            rows = _with_built_paths(graph, keys, classes, strategy.paths, rows)
        return Settled(rows, _cost_of_sketches(graph, strategy, rows))
    return settle_by_rounds(graph, strategy, keys, progress)


def _with_built_paths(
    graph: Graph, keys: np.ndarray, classes: np.ndarray, paths: int, rows: Representations
) -> Representations:
    from garden.search.path_kernels import built_paths
    from garden.search.sketch_kernels import built_sketches

    near = built_sketches(graph, keys, classes, paths)
    return Representations({}, {**rows.ragged, **built_paths(graph, keys, near)})


def _settled_directory(
    graph: Graph, strategy: Directory, progress: Progress, egos: EgoGraphs, cache: bool
) -> Settled:
    """The rows of ``beacons`` with what agents see, and the cost of the cards that they leave."""
    sight = strategy.sight(egos, node_keys(graph, strategy.key_seed)[egos.members])
    sketches = settle(graph, strategy.beacons, progress, cache=cache)
    rows = strategy.joined(sketches.rows, sight)
    assert sketches.cost is not None
    cards = cost_of(left_cards(rows, strategy.k), cards_of(rows, strategy.beacons))
    return Settled(rows, replace(sketches.cost, cards=cards))


def settle_by_rounds(
    graph: Graph, strategy: GossipStrategy, keys: np.ndarray, progress: Progress = silent
) -> Settled:
    """The rows after as many rounds as it takes until none changes.

    Args:
        graph: The graph.
        strategy: The strategy.
        keys: (num_nodes,) uint64, all different.
        progress: Called after each round.
    """
    egos = ego_graphs(graph)
    rows = _checked("begin", strategy.begin(egos, keys[egos.members]), len(egos), strategy)
    told = float((strategy.size_of(rows)[1] * graph.degrees).sum())
    listening = np.flatnonzero(graph.degrees > 0)
    rounds = 0
    while len(listening):
        heard = heard_rows(graph, strategy, rows, listening)
        before = rows.take(listening)
        changed = differing_rows(before, heard)
        who = listening[changed]
        if len(who):
            after = heard.take(np.flatnonzero(changed))
            _, num_bytes = strategy.told(before.take(np.flatnonzero(changed)), after)
            told += float((num_bytes * graph.degrees[who]).sum())
            rows = rows.replaced(who, after)
            rounds += 1
            progress("settling", rounds, rounds + 1)
        if rounds > max(MIN_ROUNDS, ROUNDS_PER_NODE * graph.num_nodes):
            raise StrategyError(
                f"{strategy.name}: its rows still change after {rounds} rounds on "
                f"{graph.num_nodes} nodes: it does not settle"
            )
        positions, _ = ragged_rows(graph.indptr, who)
        listening = np.unique(graph.indices[positions])
    return Settled(rows, _cost(graph, strategy, rows, rounds, told))


def heard_rows(
    graph: Graph, strategy: GossipStrategy, rows: Representations, agents: np.ndarray
) -> Representations:
    """The new rows of some agents, a block of them at a time.

    Args:
        graph: the graph.
        strategy: with rounds.
        rows: of all agents before the round.
        agents: positions of those that hear, (num_agents,).

    Returns:
        Their rows after it, in the order of ``agents``.
    """
    ends = np.cumsum(graph.degrees[agents])
    parts = []
    full = np.arange(ROWS_PER_BLOCK, ends[-1], ROWS_PER_BLOCK)
    for block in np.split(agents, np.unique(np.searchsorted(ends, full))):
        if len(block) == 0:
            continue
        positions, offsets = ragged_rows(graph.indptr, block)
        owner = np.repeat(np.arange(len(block)), np.diff(offsets))
        heard = strategy.hear(rows.take(block), rows.take(graph.indices[positions]), owner)
        parts.append(_checked("hear", heard, len(block), strategy, like=rows))
    return concatenated(parts)


def _checked(
    what: str,
    rows: Representations,
    num_rows: int,
    strategy: Strategy,
    like: Representations | None = None,
) -> Representations:
    """What ``begin`` or ``hear`` gave, or an error where it is not so many rows of one kind."""
    if not isinstance(rows, Representations) or len(rows) != num_rows:
        raise StrategyError(f"{strategy.name}: {what} must give Representations of {num_rows} rows")
    if like is not None and _names(rows) != _names(like):
        raise StrategyError(
            f"{strategy.name}: hear gives {', '.join(_names(rows))} where begin gave "
            f"{', '.join(_names(like))}: a row has the same arrays in every round"
        )
    return rows


def _names(rows: Representations) -> list[str]:
    return [*sorted(rows.arrays), *sorted(f"ragged {name}" for name in rows.ragged)]


def _cost(
    graph: Graph, strategy: GossipStrategy, rows: Representations, rounds: int, told: float
) -> GossipCost:
    entries, num_bytes = strategy.size_of(rows)
    links = max(1, graph.num_edges)
    return GossipCost(rounds, float(entries.mean()), float(num_bytes.mean()), told / links)


def _cost_of_sketches(graph: Graph, strategy: Beacons, rows: Representations) -> GossipCost:
    """What synchronous rounds would have cost: an entry at distance d is told in round d + 1."""
    _, num_bytes = strategy.size_of(rows)
    told = float((num_bytes * graph.degrees).sum())
    rounds = int(rows.ragged["distances"].values.max(initial=0))
    return _cost(graph, strategy, rows, rounds, told)
