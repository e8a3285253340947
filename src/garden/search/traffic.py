r"""Traffic: how hops spread over nodes, beside shortest paths between the same pairs.

A hop belongs to the holder that makes it, so that a node's **load** :math:`h_v` is how often it
passed a message on; a target that receives a message makes no hop. The **busiest share** is

.. math:: \max_v h_v \, / \, \sum_v h_v ,

1/n where all n nodes carry alike, and 1/2 between the leaves of a star. Shortest paths load some
nodes more than others too; their busiest share, for the same pairs, is what a strategy's is held
against.

A shortest path is drawn for each pair by **uniform next hop**: each holder passes the message to
one of its neighbours nearer to the target, all alike, however many shortest paths lead on from
each. That is what a strategy does whose score is minus the distance, since ties under argmax share
the chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from garden.errors import GraphError
from garden.graphs.distances import UNREACHABLE, distances
from garden.graphs.ego import ragged_rows
from garden.graphs.graph import Graph
from garden.search.episode_rng import episode_streams, next_streams, uniforms_of

MAX_DISTANCES = 1 << 26  # entries of a table of distances that are held at a time
MAX_CANDIDATES = 1 << 22  # neighbours that are looked up at a time
_WORD = 64  # targets that one breadth-first search serves


@dataclass(frozen=True, eq=False)
class Traffic:
    """How many hops each node made."""

    load: np.ndarray  # (num_nodes,) int64

    @property
    def num_hops(self) -> int:
        """All hops of all messages."""
        return int(self.load.sum())

    @property
    def busiest(self) -> int:
        """The position of the node that made most hops, the first of equals."""
        return int(self.load.argmax())

    @property
    def busiest_share(self) -> float:
        """The share of all hops that the busiest node made; 0 where there was no hop."""
        return int(self.load.max()) / max(self.num_hops, 1)


def path_traffic(paths: np.ndarray, num_nodes: int) -> Traffic:
    """The traffic of some paths; of one that was truncated the hops that it made count.

    Args:
        paths: (…, length) nodes, −1 after the end of a path.
        num_nodes: How many nodes the graph has.

    """
    makes_a_hop = paths[..., 1:] >= 0
    senders = paths[..., :-1][makes_a_hop]
    return Traffic(np.bincount(senders, minlength=num_nodes))


def shortest_path_traffic(graph: Graph, pairs: np.ndarray, seed: int = 0) -> Traffic:
    """The traffic of one random shortest path for each pair, drawn by uniform next hop.

    Pairs with the same target share one breadth-first search, and 64 targets one pass over the
    edges.

    Args:
        graph: The graph that messages travel on.
        pairs: Positions of source and target, (num_pairs, 2).
        seed: With a pair's row, the seed of that pair's random stream.

    Raises:
        GraphError: If there is no path between the nodes of some pair.

    """
    pairs = np.asarray(pairs, dtype=np.int64)
    streams = episode_streams(seed, 0, len(pairs))
    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    load = np.zeros(graph.num_nodes, dtype=np.int64)
    block = max(_WORD, MAX_DISTANCES // graph.num_nodes // _WORD * _WORD)
    for start in range(0, len(targets), block):
        table = distances(graph, targets[start : start + block])
        chosen = np.flatnonzero((target_of >= start) & (target_of < start + block))
        rows = target_of[chosen] - start
        for senders in _descents(graph, table, rows, pairs[chosen, 0], streams[chosen]):
            load += np.bincount(senders, minlength=graph.num_nodes)
    return Traffic(load)


def _descents(
    graph: Graph, table: np.ndarray, rows: np.ndarray, holders: np.ndarray, streams: np.ndarray
) -> Iterator[np.ndarray]:
    """The holders of all messages that are still under way, hop by hop.

    Args:
        graph: The graph.
        table: Hops to each target, (num_targets, num_nodes).
        rows: The row of each message's target, (num_messages,).
        holders: Where each message starts, (num_messages,).
        streams: Each message's random state, (num_messages,) uint64.

    """
    if (table[rows, holders] == UNREACHABLE).any():
        raise GraphError(f"{graph.name}: some pair has no path: search needs a connected graph")
    while True:
        under_way = table[rows, holders] > 0
        rows, holders, streams = rows[under_way], holders[under_way], streams[under_way]
        if len(holders) == 0:
            return
        yield holders
        streams = next_streams(streams)
        holders = _next_holders(graph, table, rows, holders, uniforms_of(streams))


def _next_holders(
    graph: Graph, table: np.ndarray, rows: np.ndarray, holders: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """One of the neighbours nearer to the target for each message, (num_messages,).

    Messages with the same holder and target share one look at its neighbours.
    """
    states, state_of = np.unique(rows * graph.num_nodes + holders, return_inverse=True)
    state_rows, state_holders = np.divmod(states, graph.num_nodes)
    parts = list(_parts(graph.degrees[state_holders]))
    found = [_nearer(graph, table, state_rows[part], state_holders[part]) for part in parts]
    nearer = np.concatenate([nodes for nodes, _ in found])
    counts = np.concatenate([count for _, count in found])
    first = np.cumsum(counts) - counts
    drawn = (uniforms * counts[state_of]).astype(np.int64)
    return nearer[first[state_of] + drawn].astype(np.int64)


def _nearer(
    graph: Graph, table: np.ndarray, rows: np.ndarray, holders: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each holder that are nearer to its target, and how many each has."""
    positions, offsets = ragged_rows(graph.indptr, holders)
    candidates = graph.indices[positions]
    owner = np.repeat(np.arange(len(holders)), np.diff(offsets))
    is_nearer = table[rows[owner], candidates] < table[rows, holders][owner]
    return candidates[is_nearer], np.bincount(owner[is_nearer], minlength=len(holders))


def _parts(sizes: np.ndarray) -> Iterator[slice]:
    """Consecutive parts with about as many neighbours each as are looked up at a time."""
    number = (np.cumsum(sizes) - sizes) // MAX_CANDIDATES
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(sizes)], strict=True):
        yield slice(int(start), int(stop))
