"""The compiled build of paths: what rounds among all agents end in, step for step.

It sees the whole graph, as a simulation may; agents use rounds
(:mod:`garden.strategies.gossip.paths`). Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.graphs.ego import row_offsets
from garden.graphs.graph import Graph
from garden.strategies.gossip.paths import ARRAYS, LONGEST
from garden.strategies.representations import Ragged, Representations


def built_paths(graph: Graph, keys: np.ndarray, sketches: Representations) -> dict[str, Ragged]:
    """The arrays of paths of settled rows.

    Args:
        graph: The graph.
        keys: (num_nodes,) uint64, all different.
        sketches: The settled sketches of the beacons that get a path: those of ``paths`` in place
            of k.

    """
    order = np.argsort(keys)
    entries = sketches.ragged["keys"]
    beacons = order[np.searchsorted(keys[order], entries.values)]
    by_key = np.lexsort((entries.values, entries.owner))
    beacons = beacons[by_key].astype(np.int32)
    distances = sketches.ragged["distances"].values[by_key].astype(np.int64)
    lengths = np.clip(distances - 1, 0, LONGEST)
    bounds = row_offsets(lengths)
    starts = bounds[:-1]
    steps = np.empty(int(bounds[-1]), dtype=np.int32)
    following = _next_entries(
        graph.indptr, graph.indices, keys, entries.offsets, beacons, distances
    )
    owners = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), np.diff(entries.offsets))
    _walk_entries(following, owners, starts, lengths, steps)
    offsets = bounds[entries.offsets]
    values = (
        np.repeat(keys[beacons], lengths),
        (np.arange(len(steps)) - np.repeat(starts, lengths) + 1).astype(np.uint16),
        keys[steps],
    )
    return {name: Ragged(part, offsets) for name, part in zip(ARRAYS, values, strict=True)}


@compiled()
def _next_entries(indptr, indices, keys, offsets, beacons, distances):  # type: ignore[no-untyped-def]
    """The entry of the same beacon in the row that each entry's path goes on in; −1 at its end."""
    following = np.full(len(beacons), -1, dtype=np.int64)
    for node in range(len(indptr) - 1):
        for entry in range(offsets[node], offsets[node + 1]):
            if distances[entry] < 1:
                continue
            least = np.uint64(0)
            for edge in range(indptr[node], indptr[node + 1]):
                other = indices[edge]
                if following[entry] >= 0 and keys[other] > least:
                    continue
                for theirs in range(offsets[other], offsets[other + 1]):
                    if beacons[theirs] == beacons[entry]:
                        if distances[theirs] == distances[entry] - 1:
                            following[entry] = theirs
                            least = keys[other]
                        break
    return following


@compiled()
def _walk_entries(following, owners, starts, lengths, steps):  # type: ignore[no-untyped-def]
    """Fill ``steps`` with the nodes of all paths, one path under another."""
    for entry in range(len(following)):
        at = entry
        for step in range(lengths[entry]):
            at = following[at]
            steps[starts[entry] + step] = owners[at]
