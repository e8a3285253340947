"""Walks of several contenders on the same pairs of a graph, added up target by target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from garden.datasets.task import SearchTask
from garden.experiments.ours.left_out.graphs import pairs_of
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import memory_for, strategy_named
from garden.search.config import limit_towards
from garden.search.lazy_rollout import lazy_rollout
from garden.search.lazy_rows import LazyRows
from garden.search.rollout import rollout
from garden.search.temperature_tuning import prepare
from garden.strategies.base import ScoreMemo, ScoreSource, Strategy
from garden.strategies.representations import Representations
from garden.strategies.universal.pair_features import PairFeatures
from garden.strategies.universal.policy import Universal

LAZY_NODES = 2900  # of a graph above which only candidates that walks meet are scored
_PAIRS_AT_ONCE = 500
_LIMIT_TARGETS = 200
_PAIRS_PER_BLOCK = 60_000

Scored = Iterator[tuple[slice, np.ndarray]]


def played(
    graph: Graph,
    labels: Sequence[str],
    policies: Mapping[str, Universal],
    max_pairs: int | None = None,
) -> dict[str, Any]:
    """What contenders need on the pairs of a graph.

    Args:
        graph: The graph.
        labels: ``NAME+MEMORY`` or ``NAME``, names of policies or of walkers.
        policies: Policies by name.
        max_pairs: Only the first so many pairs of the graph.

    Returns:
        The targets; by contender, for each target the number of pairs, and the means of ratios,
        hops and truncations over them; and the limit of hops.

    """
    pairs = pairs_of(graph)
    limit = limit_towards("auto", graph, np.unique(pairs[:, 1])[:_LIMIT_TARGETS])
    pairs = pairs[:max_pairs]
    reach = pair_distances(graph, pairs).astype(float)
    near = reach <= limit
    pairs, reach = pairs[near], reach[near]
    walks = _Walks(graph, policies, pairs, limit)
    contenders = {label: _by_target(pairs, walks.hops(label), reach, limit) for label in labels}
    return {
        "targets": np.unique(pairs[:, 1]).tolist(),
        "max_hops": int(limit),
        "contenders": contenders,
    }


def _by_target(
    pairs: np.ndarray, hops: np.ndarray, reach: np.ndarray, limit: int
) -> dict[str, list[float]]:
    _, place = np.unique(pairs[:, 1], return_inverse=True)
    count = np.bincount(place)

    def mean(values: np.ndarray) -> list[float]:
        return [shortened(v) for v in np.bincount(place, weights=values) / count]

    made = np.minimum(hops, limit)
    return {
        "pairs": count.tolist(),
        "ratio": mean(made / reach),
        "truncated": mean((hops > limit).astype(float)),
    }


def shortened(value: float) -> float:
    """A mean as it is stored: three digits, and whole numbers without a point."""
    rounded = round(float(value), 3)
    return int(rounded) if rounded.is_integer() else rounded


@dataclass(eq=False)
class _Walks:
    """The contenders' walks on one graph; representations and features are made once for all."""

    graph: Graph
    policies: Mapping[str, Universal]  # by name
    pairs: np.ndarray  # (num_pairs, 2) sources and targets
    limit: int  # of hops
    walkers: dict[str, Strategy] = field(default_factory=dict)
    rows: dict[str, Representations] = field(default_factory=dict)
    memos: dict[str, ScoreSource] = field(default_factory=dict)
    lazy_rows: LazyRows | None = None

    def hops(self, label: str) -> np.ndarray:
        """The hops of each pair's one walk, limit + 1 where it is truncated."""
        name, _, memory = label.partition("+")
        if name in self.policies and self.graph.num_nodes > LAZY_NODES:
            return self._lazy_hops(self.policies[name], memory or "none")
        strategy = self._ready(name)
        whose = "policy" if name in self.policies else name
        rule = memory_for(strategy, memory or "none")
        walks = rollout(
            self.graph, strategy, self.rows[whose], self.pairs, rule, self.limit, 1, 0,
            scored=self.memos[whose],
        )  # fmt: skip
        return walks.hops[:, 0]

    def _ready(self, name: str) -> Strategy:
        """The strategy, with its rows and scores at hand."""
        if name in self.policies:
            if "policy" not in self.rows:
                rows = self.policies[name].represent(ego_graphs(self.graph))
                self.rows["policy"] = rows
                self.memos["policy"] = SharedFeatures(self.graph, rows, self.policies)
            return self.policies[name]
        if name not in self.walkers:
            strategy = strategy_named(name)
            if name == "distance":
                strategy = prepare(strategy, SearchTask.split(self.graph, 0))
            self.walkers[name] = strategy
            self.rows[name] = strategy.represent(ego_graphs(self.graph))
            self.memos[name] = ScoreMemo()
        return self.walkers[name]

    def _lazy_hops(self, policy: Universal, memory: str) -> np.ndarray:
        if self.lazy_rows is None:
            self.lazy_rows = LazyRows(self.graph, policy)
        rule = memory_for(policy, memory)
        found = [
            lazy_rollout(
                self.graph, policy, self.lazy_rows, self.pairs[start : start + _PAIRS_AT_ONCE],
                rule, self.limit, 1, 0, start,
            ).hops[:, 0]
            for start in range(0, len(self.pairs), _PAIRS_AT_ONCE)
        ]  # fmt: skip
        return np.concatenate(found)


class SharedFeatures:
    """Scores of several policies, from features that are computed once for all of them.

    Args:
        graph: The graph.
        rows: Its rows, the same for all policies.
        policies: Those that will be asked for.

    """

    def __init__(
        self, graph: Graph, rows: Representations, policies: Mapping[str, Universal]
    ) -> None:
        self._num_nodes, self._rows, self._policies = graph.num_nodes, rows, policies
        self._tables: dict[int, np.ndarray] | None = None  # by the policy's identity

    def __call__(
        self, strategy: Strategy, representations: Representations, targets: np.ndarray
    ) -> Scored:
        """The whole table of scores, (num_targets, num_nodes), as one block."""
        if self._tables is None:
            self._tables = self._made(targets)
        yield slice(0, len(targets)), self._tables[id(strategy)]

    def _made(self, targets: np.ndarray) -> dict[int, np.ndarray]:
        shape = len(targets), self._num_nodes
        tables = {id(policy): np.empty(shape) for policy in self._policies.values()}
        features, nodes = PairFeatures(self._rows, self._rows), np.arange(self._num_nodes)
        step = max(1, _PAIRS_PER_BLOCK // self._num_nodes)
        for start in range(0, len(targets), step):
            few = targets[start : start + step]
            pairs = np.stack([np.tile(nodes, len(few)), np.repeat(few, len(nodes))], axis=1)
            block = features(pairs)
            for policy in self._policies.values():
                scores = policy.scores_of_features(block).reshape(len(few), -1)
                tables[id(policy)][start : start + step] = scores
        return tables
