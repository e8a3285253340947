"""Observations of a message's holder, as vectors of a fixed layout.

An observation has ``max_degree + 1`` rows, one per slot and the last for the target, each with the
same columns: 1 where the row belongs to a node, log(1 + degree), and that node's representation
under a strategy or, without one, its attributes. All of it follows from the ego graphs of the
neighbours and of the target; no node id, nothing of the holder, nothing further away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from garden.errors import StrategyError, TaskError
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads
from garden.search.rounds import representations_of
from garden.strategies.base import Strategy, check_declarations
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.protocols import Trained

Observe = Literal["features", "mask"]

NUM_OWN_COLUMNS = 2  # 1 for a node; log(1 + degree)
_NUM_PARTS = 32
_BYTES_FOR_TWO = 1 << 22  # from this size on a second thread pays
MAX_CACHED_BYTES = 1 << 25  # up to here all holders' rows are made once and copied
_MAX_ENTRIES = 1 << 28  # of the table of rows, 1 GiB


@dataclass(frozen=True, eq=False)
class Observer:
    """Makes observations of one graph."""

    graph: Graph
    rows: np.ndarray  # (num_nodes, width) float32: what is observed of each node

    @cached_property
    def max_degree(self) -> int:
        """The number of slots, the largest degree."""
        return int(self.graph.degrees.max())

    @property
    def width(self) -> int:
        """Columns of an observation's row."""
        return int(self.rows.shape[1])

    @property
    def size(self) -> int:
        """Length of a flat observation, (max_degree + 1) · width."""
        return (self.max_degree + 1) * self.width

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of each entry of an observation, each (size,)."""
        low = np.minimum(self.rows.min(axis=0), 0)
        high = np.maximum(self.rows.max(axis=0), 0)
        high[high == low] += 1  # a column of zeros: a Box needs low < high
        repeats = self.max_degree + 1
        return np.tile(low, repeats), np.tile(high, repeats)

    @cached_property
    def lines(self) -> np.ndarray | None:
        """Every node's observation without a message, (num_nodes, size); None where too large."""
        nodes = np.arange(self.graph.num_nodes)
        if len(nodes) * self.size * self.rows.itemsize > MAX_CACHED_BYTES:
            return None
        lines = np.empty((len(nodes), self.size), dtype=np.float32)
        self._lay_out(nodes, np.full(len(nodes), -1), lines)
        return lines

    def fill(self, holders: np.ndarray, targets: np.ndarray, out: np.ndarray) -> None:
        """Write what each holder observes into ``out``.

        Args:
            holders: Who observes, (num_holders,).
            targets: The target of each holder's message, (num_holders,); −1 for no message.
            out: Filled, (num_holders, size) float32.
        """
        if self.lines is None:
            self._lay_out(holders, targets, out)
            return
        np.take(self.lines, holders, axis=0, out=out, mode="clip")  # other modes copy twice
        with_message = targets >= 0
        if with_message.all():
            out[:, -self.width :] = self.rows[targets]
        else:
            out[with_message, -self.width :] = self.rows[targets[with_message]]

    def _lay_out(self, holders: np.ndarray, targets: np.ndarray, out: np.ndarray) -> None:
        graph = self.graph
        fill_observations = _fill_function()

        def fill_part(part: slice) -> None:
            fill_observations(
                graph.indptr, graph.indices, self.rows, holders[part], targets[part], out[part]
            )

        num_parts = 1 if out.nbytes < _BYTES_FOR_TWO else _NUM_PARTS
        size = max(1, -(-len(holders) // num_parts))
        parts = [slice(start, start + size) for start in range(0, len(holders), size)]
        map_in_threads(fill_part, parts)

    def observe(self, holders: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Observations of some holders, (num_holders, size) float32.

        Args:
            holders: Who observes, (num_holders,).
            targets: The target of each holder's message, (num_holders,); −1 for no message.
        """
        out = np.empty((len(holders), self.size), dtype=np.float32)
        self.fill(holders, targets, out)
        return out


def observer_of(graph: Graph, strategy: Strategy | None) -> Observer:
    """The observer of a graph.

    Args:
        graph: The graph that is searched.
        strategy: Whose representations are observed; attributes without one. Representations must
            be numeric rows of one length.
    """
    table = graph.attributes if strategy is None else _representation_table(graph, strategy)
    if table.shape[0] * (table.shape[1] + NUM_OWN_COLUMNS) > _MAX_ENTRIES:
        raise TaskError(
            f"{graph.name}: {graph.num_nodes} rows of {table.shape[1]} numbers are too many to "
            "lay out: give a strategy whose representations are shorter, or observe='mask'"
        )
    dense = table if isinstance(table, np.ndarray) else table.toarray()
    own = np.stack([np.ones(graph.num_nodes), np.log1p(graph.degrees)], axis=1)
    rows = np.concatenate([own, dense], axis=1).astype(np.float32)
    return Observer(graph, np.ascontiguousarray(rows))


def check_observe(observe: str) -> None:
    """Refuse an unknown kind of observation."""
    if observe not in get_args(Observe):
        raise TaskError(f"observe={observe!r}: choose from {', '.join(get_args(Observe))}")


def _fill_function() -> Callable[..., None]:
    try:
        from garden.envs.kernels import fill_observations
    except ImportError:  # no numba on this machine
        return fill_observations_plain
    return fill_observations


def fill_observations_plain(
    indptr: np.ndarray,
    indices: np.ndarray,
    rows: np.ndarray,
    holders: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
) -> None:
    """The definition of :func:`garden.envs.kernels.fill_observations`, in NumPy.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        rows: What is observed of each node, (num_nodes, width) float32.
        holders: Who observes, (num_holders,).
        targets: The target of each holder's message, (num_holders,); −1 where it has none.
        out: Filled, (num_holders, (max_degree + 1) · width).
    """
    out[:] = 0
    width = rows.shape[1]
    for line, holder, target in zip(out, holders, targets, strict=True):
        neighbours = indices[indptr[holder] : indptr[holder + 1]]
        line[: len(neighbours) * width] = rows[neighbours].ravel()
        if target >= 0:
            line[-width:] = rows[target]


def _representation_table(graph: Graph, strategy: Strategy) -> np.ndarray | sp.csr_array:
    """Representations as one table, (num_nodes, entries per row)."""
    check_declarations(strategy)
    if isinstance(strategy, Trained):
        strategy.check_attributes(graph.attribute_names)
    made = representations_of(graph, strategy)
    if isinstance(strategy, GossipStrategy) and (table := strategy.fixed_length(made)) is not None:
        return table
    if made.ragged:
        raise StrategyError(
            f"{strategy.name}: its representations differ in length, and an observation has a "
            "fixed size: use a strategy with rows of one length"
        )
    parts = [_two_dimensional(rows, strategy.name) for rows in made.arrays.values()]
    if any(sp.issparse(part) for part in parts):
        return sp.csr_array(sp.hstack([sp.csr_array(part) for part in parts]))
    return np.concatenate(parts, axis=1)


def _two_dimensional(rows: np.ndarray | sp.csr_array, name: str) -> np.ndarray | sp.csr_array:
    if sp.issparse(rows):
        return rows
    table = np.asarray(rows).reshape(len(rows), -1)
    if table.dtype.kind not in "fiub" or not np.isfinite(table).all():
        raise StrategyError(f"{name}: its representations are not all finite numbers")
    if table.dtype.itemsize > 4 and table.dtype.kind in "iu" and np.abs(table).max() > 1 << 24:
        raise StrategyError(
            f"{name}: its representations hold whole numbers that a float32 cannot: "
            "use a strategy with numeric rows"
        )
    return table
