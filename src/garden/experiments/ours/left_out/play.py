"""Walks of rules or of a policy on the pairs of a graph, added up target by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def played(
    graph: Graph,
    labels: Sequence[str],
    policy: Universal | None = None,
    max_pairs: int | None = None,
) -> dict[str, Any]:
    """What contenders need on the pairs of a graph.

    Args:
        graph: The graph.
        labels: ``NAME+MEMORY`` or ``NAME``, names of walkers or whatever the policy is called.
        policy: Who plays under these labels; where it is left out, walkers do.
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
    contenders = {}
    for label in labels:
        name, _, memory = label.partition("+")
        hops = _hops_of(graph, policy or name, memory or "none", pairs, limit)
        contenders[label] = _by_target(pairs, hops, reach, limit)
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


def _hops_of(
    graph: Graph, who: str | Universal, memory: str, pairs: np.ndarray, limit: int
) -> np.ndarray:
    """The hops of each pair's one walk, limit + 1 where it is truncated."""
    if isinstance(who, Universal) and graph.num_nodes > LAZY_NODES:
        return _lazy_hops(graph, who, memory, pairs, limit)
    strategy: Strategy = strategy_named(who) if isinstance(who, str) else who
    if who == "distance":
        strategy = prepare(strategy, SearchTask.split(graph, 0))
    rows = strategy.represent(ego_graphs(graph))
    scored: ScoreSource = scores_in_blocks if isinstance(who, Universal) else ScoreMemo()
    rule = memory_for(strategy, memory)
    return rollout(graph, strategy, rows, pairs, rule, limit, 1, 0, scored=scored).hops[:, 0]


def _lazy_hops(
    graph: Graph, policy: Universal, memory: str, pairs: np.ndarray, limit: int
) -> np.ndarray:
    rows, rule = LazyRows(graph, policy), memory_for(policy, memory)
    found = [
        lazy_rollout(
            graph, policy, rows, pairs[start : start + _PAIRS_AT_ONCE], rule, limit, 1, 0, start
        ).hops[:, 0]
        for start in range(0, len(pairs), _PAIRS_AT_ONCE)
    ]
    return np.concatenate(found)


def scores_in_blocks(
    policy: Strategy, rows: Representations, targets: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """The whole table of scores as one block, computed some targets at a time.

    Args:
        policy: One for every graph, which scores by features of pairs.
        rows: A row per node.
        targets: Positions, (num_targets,).

    Yields:
        All targets, and (num_targets, num_nodes) scores.
    """
    assert isinstance(policy, Universal)
    num_nodes = len(rows)
    table = np.empty((len(targets), num_nodes))
    features, nodes = PairFeatures(rows, rows), np.arange(num_nodes)
    step = max(1, _PAIRS_PER_BLOCK // num_nodes)
    for start in range(0, len(targets), step):
        goals = targets[start : start + step]
        pairs = np.stack([np.tile(nodes, len(goals)), np.repeat(goals, len(nodes))], axis=1)
        scores = policy.scores_of_features(features(pairs))
        table[start : start + step] = scores.reshape(len(goals), -1)
    yield slice(0, len(targets)), table
