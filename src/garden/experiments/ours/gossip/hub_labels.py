"""Exact hub labels: what every agent would have to keep for all distances to be exact.

Pruned landmark labelling (T. Akiba, Y. Iwata, Y. Yoshida, "Fast exact shortest-path distance
queries on large networks by pruned landmark labeling", SIGMOD 2013): nodes are taken by degree,
the highest first; a breadth-first search from each stops where labels already give a distance that
is no longer. Then d(v, w) = min over common hubs u of d(v, u) + d(u, w), so that a holder that
compares its neighbours' labels with the target's always finds a shortest path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.graphs.graph import Graph

MAX_NODES = 25_000
"""Of graphs that are labelled: labels grow with the graph, and so does the time to find them."""

FIRST_ROOM = 16  # entries that a label has room for before it moves


@dataclass(frozen=True, eq=False)
class HubLabels:
    """The labels of all nodes: row v is ``hubs[offsets[v]:offsets[v + 1]]``, by rank."""

    hubs: np.ndarray  # (num_entries,) int32: ranks of hubs, 0 the highest degree
    distances: np.ndarray  # (num_entries,) int32
    offsets: np.ndarray  # (num_nodes + 1,) int64

    @property
    def entries_per_node(self) -> float:
        """The mean length of a label."""
        return len(self.hubs) / (len(self.offsets) - 1)

    def distance(self, first: int, second: int) -> int:
        """The distance of two nodes, from their labels alone.

        Args:
            first: A node.
            second: Another, in the same component.
        """
        mine = slice(self.offsets[first], self.offsets[first + 1])
        theirs = slice(self.offsets[second], self.offsets[second + 1])
        _, left, right = np.intersect1d(
            self.hubs[mine], self.hubs[theirs], assume_unique=True, return_indices=True
        )
        return int((self.distances[mine][left] + self.distances[theirs][right]).min())


def hub_labels(graph: Graph) -> HubLabels:
    """The labels of a connected graph; it needs numba."""
    from garden.experiments.ours.gossip.hub_label_kernel import grow_labels

    num_nodes = graph.num_nodes
    order = np.lexsort((np.arange(num_nodes), -graph.degrees)).astype(np.int32)
    start = FIRST_ROOM * np.arange(num_nodes, dtype=np.int64)
    room = np.full(num_nodes, FIRST_ROOM, dtype=np.int64)
    count = np.zeros(num_nodes, dtype=np.int64)
    hubs, hops = (np.empty(4 * FIRST_ROOM * num_nodes, dtype=np.int32) for _ in range(2))
    first, used = 0, FIRST_ROOM * num_nodes
    while True:
        first, used = grow_labels(
            graph.indptr, graph.indices, order, first, hubs, hops, start, room, count, used
        )
        if first == num_nodes:
            break
        hubs, hops = (np.concatenate([part, np.empty_like(part)]) for part in (hubs, hops))
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    positions = np.arange(offsets[-1]) + np.repeat(start - offsets[:-1], count)
    return HubLabels(hubs[positions], hops[positions], offsets)
