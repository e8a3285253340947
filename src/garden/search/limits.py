"""The limit of hops T where `auto` was asked for: it follows from the distances. ::

    T = 100                       where the longest distance D is at most 50,
    T = min(10 · D, 10,000)       where it is longer.

100 is the paper's limit. On graphs with longer distances a message could make no detour under it,
or not be delivered at all.
"""

from __future__ import annotations

import numpy as np

from garden.graphs.distances import longest_distance
from garden.graphs.graph import Graph
from garden.search.config import MaxHops

PAPERS_LIMIT = 100
FAR = 50  # the longest distance up to which the paper's limit serves
HOPS_PER_DISTANCE = 10
LARGEST_LIMIT = 10_000


def limit_of(max_hops: MaxHops, longest: int) -> int:
    """The limit of hops as a number.

    Args:
        max_hops: A number, which comes back as it is, or `auto`.
        longest: The longest distance that a message has to travel.
    """
    if isinstance(max_hops, str):
        return PAPERS_LIMIT if longest <= FAR else min(HOPS_PER_DISTANCE * longest, LARGEST_LIMIT)
    return int(max_hops)


def limit_towards(max_hops: MaxHops, graph: Graph, targets: np.ndarray) -> int:
    """The same where messages go from all sources to these targets.

    Args:
        max_hops: A number, which comes back as it is, or `auto`.
        graph: Where distances are measured, if they are needed.
        targets: Positions of the targets, (num_targets,).
    """
    if not isinstance(max_hops, str):
        return int(max_hops)
    # No two nodes are further apart than twice the longest distance of any one of them.
    if 2 * longest_distance(graph, targets[:1]) <= FAR:
        return PAPERS_LIMIT
    return limit_of(max_hops, longest_distance(graph, targets))
