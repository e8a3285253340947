"""Who lived when: which messages were between peers that were joined by live peers all the time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from garden.graphs.distances import pair_distances
from garden.graphs.graph import Graph
from garden.peers.faults import Partition


@dataclass(frozen=True)
class Trip:
    """A message: its ends, and when it was sent and ended."""

    source: int
    target: int
    sent: int  # milliseconds
    ended: int


@dataclass(frozen=True)
class _State:
    """What was missing at some time during a trip."""

    gone: frozenset[int]
    parted: bool


class Liveness:
    """The record of one trial."""

    def __init__(self, graph: Graph, parting: Partition | None = None) -> None:
        """Begin with all nodes alive.

        Args:
            graph: The links that there are.
            parting: A partition, if there is one; its part holds nodes.
        """
        self._graph = graph
        self._parting = parting
        self._spells: list[tuple[int, int, float]] = []  # node, gone since, back at
        self._labels = lru_cache(maxsize=64)(self._labels_of)

    def went(self, node: int, now: int) -> None:
        """Note that a node is gone from this moment on.

        Args:
            node: Its position.
            now: The time, in milliseconds.
        """
        self._spells.append((node, now, float("inf")))

    def came(self, node: int, now: int) -> None:
        """Note that a node is back, which ends the time that it was gone.

        Args:
            node: Its position.
            now: The time, in milliseconds.
        """
        self._spells = [
            (one, since, now if one == node and until == float("inf") else until)
            for one, since, until in self._spells
        ]

    def lived(self, node: int, start: int, stop: int) -> bool:
        """Whether a node lived all the time.

        Args:
            node: Its position.
            start: The first millisecond that counts.
            stop: The last one.
        """
        return node not in self._gone(start, stop)

    def joined(self, trip: Trip) -> bool:
        """Whether both ends lived, joined by nodes that lived, all the time of a trip."""
        labels = self._labels(self._state(trip))
        return bool(labels[trip.source] == labels[trip.target] >= 0)

    def distances(self, trips: list[Trip]) -> np.ndarray:
        """The hops of a shortest path over nodes that lived all the time, (num_trips,)."""
        found = np.zeros(len(trips), dtype=np.int64)
        states = [self._state(trip) for trip in trips]
        for state in dict.fromkeys(states):
            chosen = [number for number, one in enumerate(states) if one == state]
            pairs = np.array([(trips[one].source, trips[one].target) for one in chosen])
            found[chosen] = pair_distances(self._links(state), pairs)
        return found

    def _gone(self, start: int, stop: int) -> frozenset[int]:
        return frozenset(
            node for node, since, until in self._spells if since <= stop and until >= start
        )

    def _state(self, trip: Trip) -> _State:
        parting = self._parting
        parted = parting is not None and parting.start <= trip.ended and trip.sent < parting.stop
        return _State(self._gone(trip.sent, trip.ended), parted)

    def _links(self, state: _State) -> Graph:
        """The graph without the links of gone nodes, and without those between the parts."""
        edges = self._graph.edges()
        kept = ~np.isin(edges, list(state.gone)).any(axis=1)
        if state.parted and self._parting is not None:
            inside = np.isin(edges, list(self._parting.part))
            kept &= inside[:, 0] == inside[:, 1]
        return Graph.from_edges(edges[kept], self._graph.num_nodes)

    def _labels_of(self, state: _State) -> np.ndarray:
        labels = self._links(state).components().copy()
        labels[list(state.gone)] = -1
        return labels
