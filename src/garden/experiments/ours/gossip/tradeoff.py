"""Oracle ratio against the size of sketches, beside rivals: units of work."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.hub_labels import MAX_NODES, hub_labels
from garden.experiments.ours.gossip.landmarks import landmark_rows
from garden.experiments.ours.gossip.outcomes import outcome_of_walks, outcomes_by_memory
from garden.experiments.ours.gossip.sketch_labels import full_name
from garden.experiments.ours.gossip.sketch_walks import PricedBeacons, Searchers
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, task_of
from garden.graphs.distances import pair_distances
from garden.graphs.graph import Graph
from garden.resolve import contender_of, strategy_named
from garden.search.compare import Contender, evaluated_pairs
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.search.episode_rng import episode_streams
from garden.search.rollout import rollout
from garden.search.rounds import node_keys, settle
from garden.search.temperature_tuning import prepare
from garden.search.walk import walk
from garden.strategies.gossip.beacons import RULE, Beacons
from garden.strategies.representations import Representations

NUM_PAIRS = 1000
WALKS_PER_PAIR = 4
BYTES_PER_KEY = 8
BYTES_PER_HUB = 10  # a key and a distance; hubs need no class
MAX_TABLE = 3000  # nodes of graphs whose candidates are all scored at once
_MAX_WALKED = 50_000  # nodes of graphs on which rivals without sketches are played


@final
@dataclass(frozen=True)
class SketchTrial(Work):
    """Sketches of one size on one graph, beside random landmarks with as many entries."""

    kind: ClassVar[str] = "gossip-sketches"
    titled: ClassVar[str] = "{unit.graph}, {unit.strategy}"

    graph: str
    strategy: str
    num_pairs: int = NUM_PAIRS
    walks_per_pair: int = WALKS_PER_PAIR
    rule: int = RULE  # of the scores

    def to_json(self) -> dict[str, Any]:
        """Every option, those of the strategy spelled out."""
        return {**super().to_json(), "strategy": full_name(beacons_named(self.strategy))}

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Settle, then walk with and without a memory, by sketches and by landmarks."""
        graph = graph_of(self.graph)
        strategy = beacons_named(self.strategy)
        settled = settle(graph, strategy)
        assert settled.cost is not None
        keys = node_keys(graph, strategy.key_seed)
        count = round(settled.cost.entries_per_node)
        others = settled.rows.ragged["neighbours"]
        return {
            "num_nodes": graph.num_nodes,
            "num_edges": graph.num_edges,
            "cost": settled.cost.to_json(),
            "keys_per_node": len(others.values) / graph.num_nodes,
            "beacons": self._played(graph, strategy, settled.rows, keys),
            "landmarks": self._played(graph, strategy, landmark_rows(graph, keys, count, 0), keys),
        }

    def _played(
        self, graph: Graph, strategy: Beacons, rows: Representations, keys: np.ndarray
    ) -> dict[str, Any]:
        pairs, distances = pairs_of(self.graph, self.num_pairs)
        searchers = Searchers(graph, PricedBeacons(strategy), rows, keys)
        return outcomes_by_memory(searchers, pairs, distances, per_pair=self.walks_per_pair)


@final
@dataclass(frozen=True)
class RivalTrial(Work):
    """A strategy whose agents do not talk, on the same pairs."""

    kind: ClassVar[str] = "gossip-rival"
    titled: ClassVar[str] = "{unit.graph}, {unit.strategy}+{unit.memory}"

    graph: str
    strategy: str
    memory: str
    num_pairs: int = NUM_PAIRS

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """One walk for each pair, or why there is none."""
        graph = graph_of(self.graph)
        strategy = strategy_named(self.strategy)
        if strategy.needs_attributes and graph.num_attributes == 0:
            return {"empty": "no attributes"}
        if graph.num_nodes > _MAX_WALKED:
            return {"empty": f"more than {_MAX_WALKED:,} nodes"}
        strategy = prepare(strategy, task_of(self.graph, 0), PAPERS_LIMIT)
        contender = contender_of(self.strategy, strategy, self.memory)
        pairs, distances = pairs_of(self.graph, self.num_pairs)
        hops = walked_hops(graph, contender, settle(graph, strategy).rows, pairs)
        return {"played": outcome_of_walks(hops, pairs, distances)}


@final
@dataclass(frozen=True)
class HubLabelTrial(Work):
    """Exact hub labels: their size, and whether they are exact on the same pairs."""

    kind: ClassVar[str] = "gossip-hub-labels"
    titled: ClassVar[str] = "{unit.graph}, hub labels"

    graph: str
    num_pairs: int = NUM_PAIRS

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Label the graph, or say why not."""
        graph = graph_of(self.graph)
        if graph.num_nodes > MAX_NODES:
            return {"empty": f"more than {MAX_NODES:,} nodes"}
        labels = hub_labels(graph)
        pairs, distances = pairs_of(self.graph, self.num_pairs)
        found = [labels.distance(source, target) for source, target in pairs.tolist()]
        return {
            "entries_per_node": labels.entries_per_node,
            "bytes_per_node": labels.entries_per_node * BYTES_PER_HUB,
            "wrong_distances": int((np.array(found) != distances).sum()),
        }


@lru_cache(maxsize=2)
def pairs_of(spec: str, num_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a graph, every node a target, and their distances, which the limit suits.

    Args:
        spec: The graph's spec.
        num_pairs: How many pairs are drawn.

    Returns:
        Pairs, (num_pairs, 2), and their distances, (num_pairs,).
    """
    config = EvaluationConfig(split="all", pairs=num_pairs)
    pairs = evaluated_pairs(task_of(spec, 0), config)
    distances = pair_distances(graph_of(spec), pairs)
    assert distances.max() <= PAPERS_LIMIT
    return pairs, distances


def beacons_named(name: str) -> Beacons:
    """The strategy of this name."""
    strategy = strategy_named(name)
    assert isinstance(strategy, Beacons)
    return strategy


def walked_hops(
    graph: Graph, contender: Contender, rows: Representations, pairs: np.ndarray
) -> np.ndarray:
    """The hops of one walk for each pair.

    Args:
        graph: The graph; a large one is walked by plain walks, which score no table.
        contender: Who walks; its label seeds the walks.
        rows: The representations of all nodes.
        pairs: Positions of source and target, (num_pairs, 2).

    Returns:
        (num_pairs, 1), one more than the limit where a walk is truncated.
    """
    seed = zlib.crc32(contender.label.encode())
    strategy, memory = contender.strategy, contender.memory
    if graph.num_nodes <= MAX_TABLE:
        return rollout(graph, strategy, rows, pairs, memory, PAPERS_LIMIT, 1, seed).hops
    streams = episode_streams(seed, 0, len(pairs)).tolist()
    trips = [
        walk(graph, strategy, rows, source, target, memory, PAPERS_LIMIT, stream)
        for (source, target), stream in zip(pairs.tolist(), streams, strict=True)
    ]
    hops = [trip.hops if trip.delivered else PAPERS_LIMIT + 1 for trip in trips]
    return np.array(hops)[:, None]
