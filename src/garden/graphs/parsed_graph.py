"""A graph as its source holds it, before self-loops, repeats and directions are dropped.

Every reader of people's own files and objects ends here, so that what is lost on the way to a
:class:`Graph` is counted in one place and logged in the same words.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from garden.graphs.attribute_encoding import EncodedColumns
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class ParsedGraph:
    """Edges as given, attributes as encoded, and what is known of both."""

    name: str
    edges: np.ndarray  # (num_edges, 2) positions of nodes; loops and repeats included
    node_names: Sequence[str]
    columns: EncodedColumns
    directed: bool | None = None
    """Whether edges have directions; None where the source does not say."""
    num_without_row: int = 0
    """How many nodes stand in edges only, although there is a table of nodes."""

    def graph(self) -> Graph:
        """The whole graph; what it leaves out or adds is logged as a warning."""
        graph = Graph.from_edges(
            self.edges,
            len(self.node_names),
            self.columns.table,
            self.node_names,
            self.columns.names,
            self.name,
        )
        for note in (*self._row_notes(), *edge_notes(self.edges, self.directed)):
            _LOG.warning("%s: %s", self.name, note)
        return graph

    def _row_notes(self) -> Iterator[str]:
        num_nodes, columns = len(self.node_names), self.columns
        if self.num_without_row:
            yield f"{self.num_without_row} of {num_nodes} nodes have no row: zeros instead"
        if columns.num_missing_cells:
            yield (
                f"{columns.num_missing_cells} missing cells in {columns.num_incomplete_rows} of "
                f"{num_nodes} nodes count as zeros"
            )


def edge_notes(edges: np.ndarray, directed: bool | None) -> Iterator[str]:
    """What an undirected simple graph loses of these edges: self-loops, repeats, directions.

    Args:
        edges: Positions of nodes, (num_edges, 2).
        directed: Whether edges have directions. None where the source does not say: then they
            have if some links stand in both directions and others in one.

    Yields:
        One line of text for each kind of loss; nothing where nothing is lost.

    """
    tails, heads = np.asarray(edges, dtype=np.int64).reshape(-1, 2).T
    num_loops = int((tails == heads).sum())
    if num_loops:
        yield f"{num_loops} self-loops are dropped"
    linked = tails != heads
    tails, heads = tails[linked], heads[linked]
    if directed is False:
        tails, heads = np.minimum(tails, heads), np.maximum(tails, heads)
    num_nodes = int(max(tails.max(initial=0), heads.max(initial=0))) + 1
    keys = np.sort(tails * num_nodes + heads)
    there = keys[np.diff(keys, prepend=-1) > 0]
    if len(there) < len(tails):
        yield f"{len(tails) - len(there)} of {len(tails)} edges repeat others: they are merged"
    back = there % num_nodes * num_nodes + there // num_nodes
    num_one_way = len(there) - len(np.intersect1d(there, back, assume_unique=True))
    num_links = num_one_way + (len(there) - num_one_way) // 2
    if num_one_way and directed is not False and (directed or num_one_way < num_links):
        yield (
            f"{num_one_way} of {num_links} links stand in one direction only: "
            "they are taken in both directions"
        )
