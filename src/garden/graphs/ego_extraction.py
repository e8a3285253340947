"""Cutting a graph into the ego graphs that its agents see.

This is the only place that turns a graph into observations; strategies receive the result.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from garden.graphs.ego import EgoGraphs, ragged_rows
from garden.graphs.graph import Graph


def ego_graphs(graph: Graph, nodes: np.ndarray | None = None) -> EgoGraphs:
    """The ego graphs of these nodes, in this order; of every node by default."""
    nodes = np.arange(graph.num_nodes) if nodes is None else np.asarray(nodes, dtype=np.int64)
    offsets, members = _members(graph, nodes)
    edge_offsets, edges = _edges_among_members(graph, offsets, members)
    return EgoGraphs(offsets, members, edge_offsets, edges, graph.attributes)


def _members(graph: Graph, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    positions, neighbour_offsets = ragged_rows(graph.indptr, nodes)
    offsets = neighbour_offsets + np.arange(len(nodes) + 1)
    members = np.empty(offsets[-1], dtype=np.int32)
    is_centre = np.zeros(len(members), dtype=bool)
    is_centre[offsets[:-1]] = True
    members[is_centre] = nodes
    members[~is_centre] = graph.indices[positions]
    return offsets, members


def _edges_among_members(
    graph: Graph, offsets: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    try:
        from garden.graphs.kernels import edges_among_members
    except ImportError:  # no numba on this machine
        return edges_among_members_plain(graph.indptr, graph.indices, offsets, members)
    return edges_among_members(graph.indptr, graph.indices, offsets, members)


def edges_among_members_plain(
    indptr: np.ndarray, indices: np.ndarray, offsets: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The definition of the compiled kernel: one ego graph after the other."""
    parts, counts = [np.empty((2, 0), dtype=np.int32)], [0]
    place = np.full(len(indptr) - 1, -1, dtype=np.int64)
    for start, stop in pairwise(offsets):
        inside = members[start:stop].astype(np.int64)
        place[inside] = np.arange(start, stop)
        positions, selected = ragged_rows(indptr, inside)
        tails = np.repeat(np.arange(start, stop), np.diff(selected))
        heads = place[indices[positions]]
        kept = heads >= 0
        parts.append(np.stack([tails[kept], heads[kept]]).astype(np.int32))
        counts.append(int(kept.sum()))
        place[inside] = -1
    return np.cumsum(counts, dtype=np.int64), np.concatenate(parts, axis=1)
