"""Rows of a strategy that are made when they are asked for, and kept.

On a large graph a few walks meet a small part of the nodes: only those and their neighbours are
represented. Which rows those are changes none of them, since each comes from its ego graph alone.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy, checked_representations
from garden.strategies.representations import Representations, concatenated

MEMBERS_PER_BLOCK = 1 << 20  # of the ego graphs that are represented at a time


class LazyRows:
    """The rows of a strategy without rounds on a graph, made in blocks where they are missing.

    It is read like :class:`Representations`, by :meth:`take`.
    """

    def __init__(self, graph: Graph, strategy: Strategy) -> None:
        self._graph = graph
        self._strategy = strategy
        self._blocks: list[Representations] = []
        self._nodes: list[np.ndarray] = []  # of each block, in the order of its rows
        self._elsewhere = np.empty(0, dtype=np.int64)  # nodes that only copies have represented
        self._block_of = np.full(graph.num_nodes, -1, dtype=np.int32)
        self._row_of = np.empty(graph.num_nodes, dtype=np.int32)

    def __reduce__(self) -> tuple[type[LazyRows], tuple[Graph, Strategy]]:
        """What a copy in another process starts from: no row is made there yet."""
        return LazyRows, (self._graph, self._strategy)

    def __len__(self) -> int:
        """How many nodes the graph has."""
        return self._graph.num_nodes

    @property
    def num_represented(self) -> int:
        """How many of the nodes have a row by now, here or where this was copied to."""
        return len(np.union1d(self.represented, self._elsewhere))

    @property
    def represented(self) -> np.ndarray:
        """The nodes that have a row here, (num_represented,) positions."""
        return np.concatenate([np.empty(0, dtype=np.int64), *self._nodes])

    def note_represented(self, nodes: np.ndarray) -> None:
        """Count these nodes, (num_nodes,) positions, which a copy of this has represented."""
        self._elsewhere = np.union1d(self._elsewhere, nodes)

    def prepare(self, nodes: np.ndarray) -> None:
        """Represent those of these nodes, (num_nodes,) positions, that have no row yet."""
        missing = np.unique(nodes[self._block_of[nodes] < 0])
        ends = np.cumsum(self._graph.degrees[missing] + 1)
        cuts = np.searchsorted(
            ends, np.arange(MEMBERS_PER_BLOCK, ends[-1:].sum(), MEMBERS_PER_BLOCK)
        )
        for block in np.split(missing, np.unique(cuts)):
            if len(block):
                egos = ego_graphs(self._graph, block)
                made = self._strategy.represent(egos)
                self._keep(block, checked_representations(made, len(block), self._strategy.name))

    def take(self, nodes: np.ndarray) -> Representations:
        """The rows of these nodes, (num_taken,) positions, in this order."""
        nodes = np.asarray(nodes)
        self.prepare(nodes)
        block_of = self._block_of[nodes]
        used = np.unique(block_of)
        if len(used) == 1:
            return self._blocks[used[0]].take(self._row_of[nodes])
        order = np.argsort(block_of, kind="stable")
        bounds = np.searchsorted(block_of[order], used, side="right")
        parts = [
            self._blocks[block].take(self._row_of[nodes[chosen]])
            for block, chosen in zip(used, np.split(order, bounds[:-1]), strict=True)
        ]
        back = np.empty(len(nodes), dtype=np.int64)
        back[order] = np.arange(len(nodes))
        return concatenated(parts).take(back)

    def _keep(self, nodes: np.ndarray, rows: Representations) -> None:
        """Add a block; the last blocks become one where that is as large as the one before.

        So there are never many, and a row is copied about as often as the number of rows doubles.
        """
        while self._blocks and len(self._nodes[-1]) <= 2 * len(nodes):
            nodes = np.concatenate([self._nodes.pop(), nodes])
            rows = concatenated([self._blocks.pop(), rows])
        self._block_of[nodes] = len(self._blocks)
        self._row_of[nodes] = np.arange(len(nodes))
        self._blocks.append(rows)
        self._nodes.append(nodes)


RowSource: TypeAlias = Representations | LazyRows
"""One row per node of a graph, all of them at hand or made when asked for."""
