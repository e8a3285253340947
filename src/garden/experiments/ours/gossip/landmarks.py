"""Random landmarks: every agent keeps its distances to the same few nodes, drawn at random."""

from __future__ import annotations

import numpy as np

from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.random_streams import RANDOM_LANDMARKS
from garden.strategies.representations import Ragged, Representations


def landmark_rows(graph: Graph, keys: np.ndarray, num_entries: int, seed: int) -> Representations:
    """Rows like those of ``beacons``, with landmarks for beacons.

    Args:
        graph: The graph, connected.
        keys: (num_nodes,) uint64.
        num_entries: How many entries each row has; the first is the agent's own, at distance 0,
            the others are landmarks, the same for all.
        seed: Of the landmarks.

    Returns:
        Rows whose neighbours' keys are those that are no landmarks. A landmark's own row has one
        entry less, since it is its own landmark.
    """
    rng = np.random.default_rng([seed, RANDOM_LANDMARKS])
    count = min(max(0, num_entries - 1), graph.num_nodes)
    landmarks = np.sort(rng.choice(graph.num_nodes, count, replace=False)).astype(np.int32)
    is_landmark = np.zeros(graph.num_nodes, dtype=bool)
    is_landmark[landmarks] = True
    nodes = np.arange(graph.num_nodes, dtype=np.int32)  # narrow: there are a table's worth below
    hops = distances(graph, landmarks).T  # (num_nodes, count)
    own = np.column_stack([nodes, np.broadcast_to(landmarks, hops.shape)])
    away = np.column_stack([np.zeros_like(nodes), hops])
    kept = np.ones(own.shape, dtype=bool)
    kept[:, 1:] = own[:, 1:] != nodes[:, None]
    offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    owner = np.repeat(nodes, graph.degrees)
    others = ~is_landmark[graph.indices]
    ends = np.cumsum(np.bincount(owner[others], minlength=graph.num_nodes))
    return Representations(
        {},
        {
            "keys": Ragged(keys[own[kept]], offsets),
            "distances": Ragged(away[kept].astype(np.uint16), offsets),
            "classes": Ragged(np.zeros(int(offsets[-1]), dtype=np.int8), offsets),
            "neighbours": Ragged(
                keys[graph.indices[others]], np.concatenate([[0], ends]).astype(np.int64)
            ),
        },
    )
