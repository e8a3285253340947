"""How many hops an episode may take, where nobody says: as many as the distances ask for.

The paper's limit is 100. Where the longest distance is above half of that, a message could not
make a detour, and where it is above 100 nobody could deliver it at all; the limit grows there.
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
    """The limit given, or that of `auto` where the longest distance is this."""
    if isinstance(max_hops, str):
        return PAPERS_LIMIT if longest <= FAR else min(HOPS_PER_DISTANCE * longest, LARGEST_LIMIT)
    return int(max_hops)


def limit_towards(max_hops: MaxHops, graph: Graph, targets: np.ndarray) -> int:
    """The same, where the distances are those of all sources to these targets."""
    if not isinstance(max_hops, str):
        return int(max_hops)
    # No two nodes are further apart than twice the longest distance of any one of them.
    if 2 * longest_distance(graph, targets[:1]) <= FAR:
        return PAPERS_LIMIT
    return limit_of(max_hops, longest_distance(graph, targets))
