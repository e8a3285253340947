"""What it costs to try nodes of equal profile one after another: bounds that hold for any rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.graphs.distances import distances
from garden.graphs.graph import Graph


@dataclass(frozen=True)
class OrderRatios:
    """Mean ratios over pairs, where a message cannot tell nodes of its target's profile apart."""

    least: float
    """No rule is below it."""

    nearest_first: float
    """Always to the nearest one that was not tried, by shortest paths, every distance known."""


def order_ratios(graph: Graph, pairs: np.ndarray) -> OrderRatios:
    """The bounds for some pairs; the target is any node of its profile but the source.

    Args:
        graph: A connected graph with attributes, small enough for a table of all distances.
        pairs: Positions of source and target, (num_pairs, 2).
    """
    profiles = np.unique(graph.dense_attributes(), axis=0, return_inverse=True)[1].reshape(-1)
    hops = distances(graph, np.arange(graph.num_nodes)).astype(np.int64)
    known: dict[tuple[int, int], tuple[float, float]] = {}
    ratios = np.empty((len(pairs), 2))
    for number, (source, target) in enumerate(pairs.tolist()):
        profile = int(profiles[target])
        if (source, profile) not in known:
            alike = np.flatnonzero(profiles == profile)
            alike = alike[alike != source]
            away, between = hops[source, alike], hops[np.ix_(alike, alike)]
            known[source, profile] = least_ratio(away, between), nearest_first(away, between)
        ratios[number] = known[source, profile]
    least, nearest = ratios.mean(axis=0).tolist()
    return OrderRatios(least, nearest)


def least_ratio(away: np.ndarray, between: np.ndarray) -> float:
    """A lower bound on the mean ratio over m nodes that a message cannot tell apart.

    A message that reaches them in any order is at node v after C_v hops. Two bounds:

    * The i-th node is reached after i hops or more, and v after d_v or more: with distances in
      ascending order the mean is at least Σ max(1, i / d_i) / m.
    * Since the one before, or the source, it has made at least p_v = min(d_v, min_w d(w, v)) hops:
      C_v is at least the sum of p over the nodes up to v. These are jobs of lengths p on one
      machine with weights 1 / d, whose weighted completion times are least in the order of p · d
      (Smith, 1956).

    Args:
        away: (m,) distances d from the source, at least 1.
        between: (m, m) distances among them.

    Returns:
        The greater of the two.
    """
    count = len(away)
    by_number = np.maximum(1.0, np.arange(1, count + 1) / np.sort(away)).mean()
    apart = np.where(np.eye(count, dtype=bool), away[:, None], between)
    lengths = np.minimum(away, apart.min(axis=0))
    order = np.argsort(lengths * away, kind="stable")
    by_length = (np.cumsum(lengths[order]) / away[order]).mean()
    return float(max(by_number, by_length))


def nearest_first(away: np.ndarray, between: np.ndarray) -> float:
    """The mean ratio of going to the nearest node that was not tried yet, by shortest paths.

    Args:
        away: (m,) distances from the source, at least 1.
        between: (m, m) distances among the nodes.
    """
    left = np.ones(len(away), dtype=bool)
    arrived = np.empty(len(away))
    here, hops = away, 0
    for _ in range(len(away)):
        place = int(np.argmin(np.where(left, here, np.iinfo(np.int64).max)))
        hops += int(here[place])
        arrived[place] = hops
        left[place] = False
        here = between[place]
    return float((arrived / away).mean())
