"""Newcomers of the benchmark: a tenth of the nodes, taken away before training and then put back.

A policy is trained on the graph without them. It plays on the graph with them, from all sources to
newcomers alone. Those without a link to an old node stay away, since no message could reach them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.datasets.task import NUM_PAIRS, SearchTask, draw_pairs
from garden.graphs.graph import Graph
from garden.random_streams import BENCHMARK_NEWCOMER_PAIRS, BENCHMARK_NEWCOMERS

SHARE = 0.1


@dataclass(frozen=True, eq=False)
class NewcomerSplit:
    """A graph before and after newcomers came."""

    before: Graph  # what a policy is trained on
    after: Graph  # what it plays on
    newcomers: np.ndarray  # (num_newcomers,) positions in `after`


def newcomer_split(graph: Graph, seed: int) -> NewcomerSplit:
    """Take a tenth of the nodes away, and put those back that have an old neighbour.

    Args:
        graph: A connected graph.
        seed: Determines who the newcomers are.

    Returns:
        The largest component of what is left, and the graph on it and the newcomers.
    """
    rng = np.random.default_rng([seed, BENCHMARK_NEWCOMERS])
    order = rng.permutation(graph.num_nodes)
    away = order[: max(1, int(SHARE * graph.num_nodes))]
    rest = np.setdiff1d(np.arange(graph.num_nodes), away)
    old = rest[graph.subgraph(rest).largest_component_nodes()]
    is_old = np.zeros(graph.num_nodes, dtype=bool)
    is_old[old] = True
    new = np.array([node for node in away if is_old[graph.neighbours(node)].any()], dtype=np.int64)
    kept = np.sort(np.concatenate([old, new]))
    return NewcomerSplit(
        before=graph.subgraph(old).renamed(f"{graph.name} without newcomers"),
        after=graph.subgraph(kept).renamed(f"{graph.name} with newcomers"),
        newcomers=np.searchsorted(kept, np.sort(new)),
    )


def newcomer_task(graph: Graph, seed: int) -> SearchTask:
    """Messages from all sources to newcomers; temperatures are tuned on old nodes.

    Args:
        graph: A connected graph.
        seed: Determines who the newcomers are, and the pairs.
    """
    split = newcomer_split(graph, seed)
    num_nodes = split.after.num_nodes
    old = np.setdiff1d(np.arange(num_nodes), split.newcomers)
    order = np.random.default_rng(seed).permutation(old)
    train, validation = np.split(order, [8 * len(old) // 9])

    def drawn(targets: np.ndarray, part: int) -> np.ndarray:
        stream = [seed, BENCHMARK_NEWCOMER_PAIRS, part]
        return draw_pairs(targets, num_nodes, NUM_PAIRS, stream)

    return SearchTask(
        graph=split.after,
        seed=seed,
        train_targets=np.sort(train),
        validation_targets=np.sort(validation),
        test_targets=split.newcomers,
        validation_pairs=drawn(np.sort(validation), 0),
        test_pairs=drawn(split.newcomers, 1),
    )
