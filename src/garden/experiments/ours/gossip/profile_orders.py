"""What it costs to try nodes of equal profile one after another: bounds that hold for any rule.

A message that knows its target's profile, and no more, cannot tell the m nodes that have it apart.
Whatever its rule is, it visits them in some order until one of them is the target. If it is at node
v after C_v hops, and each of them is the target with the same chance, its expected ratio is

    1/m · Σ C_v / d(s, v),

which is least for the best order, taken along shortest paths: a minimum latency tour, whose nodes
weigh 1 / d(s, v). A rule that draws its order at random is a mean of orders, and no better.

References: F. Afrati et al., "The complexity of the travelling repairman problem", RAIRO 20 (1986);
J. C. Picard, M. Queyranne, "The time-dependent traveling salesman problem and its application to
the tardiness problem in one-machine scheduling", Operations Research 26 (1978).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.graphs.distances import distances
from garden.graphs.graph import Graph

MAX_EXACT = 18  # nodes up to which the best order is found
STEPS = 200  # of the bound on more of them


@dataclass(frozen=True)
class OrderRatios:
    """Mean ratios of a message that cannot tell nodes of its target's profile apart."""

    least: float
    """No rule is below it; the best order has it where ``exact``."""

    best_known: float
    """An order that was found, every distance known: some rule has it."""

    nearest_first: float
    """Always to the nearest one that was not tried, by shortest paths, every distance known."""

    exact: bool
    """Whether no more than :data:`MAX_EXACT` nodes share a profile, so that ``least`` and
    ``best_known`` are both that of the best order."""


def order_ratios(graph: Graph) -> OrderRatios:
    """The means over all pairs; the target is any node of its profile but the source.

    Args:
        graph: A connected graph with attributes, small enough for a table of all distances.
    """
    profiles = np.unique(graph.dense_attributes(), axis=0, return_inverse=True)[1].reshape(-1)
    hops = distances(graph, np.arange(graph.num_nodes)).astype(np.int64)
    groups = [np.flatnonzero(profiles == one) for one in np.unique(profiles)]
    totals = np.zeros(3)
    largest = 0
    for source in range(graph.num_nodes):
        for group in groups:
            alike = group[group != source]
            if len(alike) == 0:
                continue
            largest = max(largest, len(alike))
            found = ratios_of_orders(hops[source, alike], hops[np.ix_(alike, alike)])
            totals += len(alike) * np.array(found)
    least, best_known, nearest = (totals / (graph.num_nodes * (graph.num_nodes - 1))).tolist()
    return OrderRatios(least, best_known, nearest, largest <= MAX_EXACT)


def ratios_of_orders(away: np.ndarray, between: np.ndarray) -> tuple[float, float, float]:
    """A bound on the mean ratio of all orders, that of the best order found, and nearest first.

    Needs numba.

    Args:
        away: (m,) int64, distances from the source, at least 1.
        between: (m, m) int64, distances among the nodes.
    """
    from garden.experiments.ours.gossip.tour_kernels import (
        bound_by_walks,
        cost_of_tour,
        improved_tour,
        least_by_subsets,
    )

    count, weights = len(away), 1 / away
    order = nearest_first(away, between)
    nearest = float(cost_of_tour(order, away, between, weights))
    if count <= MAX_EXACT:
        least = best = float(least_by_subsets(away, between, weights))
    else:
        order = improved_tour(order, away, between, weights)
        best = float(cost_of_tour(order, away, between, weights))
        least = float(bound_by_walks(away, between, weights, best, STEPS))
    return least / count, best / count, nearest / count


def nearest_first(away: np.ndarray, between: np.ndarray) -> np.ndarray:
    """The order of going to the nearest node that was not tried yet, (m,); of equal ones the first.

    Args:
        away: (m,) distances from the source.
        between: (m, m) distances among the nodes.
    """
    left = np.ones(len(away), dtype=bool)
    order = np.empty(len(away), dtype=np.int64)
    here = away
    for place in range(len(away)):
        node = int(np.argmin(np.where(left, here, np.iinfo(np.int64).max)))
        order[place] = node
        left[node] = False
        here = between[node]
    return order
