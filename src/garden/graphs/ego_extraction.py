"""Cutting a graph into the ego graphs that its agents see.

This is the only place that turns a graph into observations; strategies receive the result.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from garden.graphs.ego import EgoGraphs, ragged_rows
from garden.graphs.graph import Graph


def ego_graphs(graph: Graph, nodes: np.ndarray | None = None) -> EgoGraphs:
    """The ego graphs of some nodes: each with its neighbours and all edges among them.

    Args:
        graph: The graph.
        nodes: Positions of the centres, (num_egos,), in the order wanted; every node by default.

    Returns:
        A batch that points into the graph's own table of attributes; nothing is copied.

    """
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
    """What :func:`garden.graphs.kernels.edges_among_members` gives, one ego graph at a time.

    Args:
        indptr: CSR offsets of the graph, (num_nodes + 1,).
        indices: CSR neighbours of the graph, (2 * num_edges,).
        offsets: Where the members of each ego graph stand, (num_egos + 1,).
        members: Nodes of the graph, (num_members,), the centre of each ego graph first.

    Returns:
        Offsets of the edges, (num_egos + 1,) int64, and the edges in both directions, as positions
        in ``members``, (2, num_ego_edges) int32.

    """
    parts, counts = [np.empty((2, 0), dtype=np.int32)], [0]
    position = np.full(len(indptr) - 1, -1, dtype=np.int64)  # in members; -1: not a member
    for start, stop in pairwise(offsets):
        inside = members[start:stop].astype(np.int64)
        position[inside] = np.arange(start, stop)
        entries, selected = ragged_rows(indptr, inside)
        tails = np.repeat(np.arange(start, stop), np.diff(selected))
        heads = position[indices[entries]]
        kept = heads >= 0
        parts.append(np.stack([tails[kept], heads[kept]]).astype(np.int32))
        counts.append(int(kept.sum()))
        position[inside] = -1
    return np.cumsum(counts, dtype=np.int64), np.concatenate(parts, axis=1)
