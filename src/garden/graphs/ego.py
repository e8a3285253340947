"""Ego graphs: what an agent sees, and all that a strategy is ever handed.

An ego graph holds its members' attributes, which member is its centre, and the edges among its
members. A batch refers to profiles by row, so that a node that stands in many ego graphs has its
attributes stored once. Nothing here knows the graph that the ego graphs came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

ProfileTable: TypeAlias = np.ndarray | sp.csr_array  # (num_profiles, num_attributes) float32


@dataclass(frozen=True, eq=False)
class EgoGraphs:
    """A batch of ego graphs. Members of one stand together, the centre first.

    ``profiles`` is a table that members point into. The numbers that point are storage, not
    identity: a strategy that let its answer depend on them would fail the locality test.
    """

    offsets: np.ndarray  # (num_egos + 1,) int64: the members of ego graph i are offsets[i:i + 2]
    members: np.ndarray  # (num_members,) int32 rows of `profiles`
    edge_offsets: np.ndarray  # (num_egos + 1,) int64
    edges: np.ndarray  # (2, num_ego_edges) int32 positions in `members`, both directions
    profiles: ProfileTable  # (num_profiles, num_attributes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_attributes(self) -> int:
        """How many numbers a profile has."""
        return int(self.profiles.shape[1])

    @cached_property
    def sizes(self) -> np.ndarray:
        """Members of each ego graph, its centre included, (num_egos,)."""
        return np.diff(self.offsets)

    @property
    def degrees(self) -> np.ndarray:
        """Neighbours of each centre, (num_egos,)."""
        return self.sizes - 1

    @property
    def centres(self) -> np.ndarray:
        """The row in ``profiles`` of each centre, (num_egos,)."""
        return self.members[self.offsets[:-1]]

    @property
    def centre_profiles(self) -> ProfileTable:
        """The profile of each centre, (num_egos, num_attributes)."""
        return self.profiles[self.centres]

    @cached_property
    def is_centre(self) -> np.ndarray:
        """Whether each member is the centre of its ego graph, (num_members,) bool."""
        flags = np.zeros(len(self.members), dtype=bool)
        flags[self.offsets[:-1]] = True
        return flags

    @cached_property
    def owner(self) -> np.ndarray:
        """The ego graph that each member stands in, (num_members,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def take(self, rows: np.ndarray) -> EgoGraphs:
        """The ego graphs at these rows, in this order, pointing at the same profiles."""
        rows = np.asarray(rows, dtype=np.int64)
        member_rows, offsets = ragged_rows(self.offsets, rows)
        edge_rows, edge_offsets = ragged_rows(self.edge_offsets, rows)
        shift = np.repeat(offsets[:-1] - self.offsets[rows], np.diff(edge_offsets))
        edges = (self.edges[:, edge_rows] + shift).astype(np.int32)
        return EgoGraphs(offsets, self.members[member_rows], edge_offsets, edges, self.profiles)

    def alone(self, row: int) -> EgoGraph:
        """One ego graph with its own copy of its members' attributes and nothing else."""
        start, stop = self.offsets[row], self.offsets[row + 1]
        edges = self.edges[:, self.edge_offsets[row] : self.edge_offsets[row + 1]] - start
        return EgoGraph(self.profiles[self.members[start:stop]], edges.astype(np.int32))


@dataclass(frozen=True, eq=False)
class EgoGraph:
    """One ego graph on its own, as a peer holds it: row 0 of ``profiles`` is the centre."""

    profiles: ProfileTable  # (num_members, num_attributes)
    edges: np.ndarray  # (2, num_ego_edges) int32 rows of `profiles`, both directions

    def as_batch(self) -> EgoGraphs:
        """This ego graph as a batch of one."""
        size = int(self.profiles.shape[0])
        return EgoGraphs(
            offsets=np.array([0, size], dtype=np.int64),
            members=np.arange(size, dtype=np.int32),
            edge_offsets=np.array([0, self.edges.shape[1]], dtype=np.int64),
            edges=self.edges,
            profiles=self.profiles,
        )


def ragged_rows(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the values of some rows of a ragged array stand.

    Args:
        offsets: Row i of the ragged array has the values ``offsets[i]:offsets[i + 1]``.
        rows: Which rows to select, (num_selected,).

    Returns:
        The positions of their values, and the offsets of the selection, (num_selected + 1,).

    """
    return ragged_slices(offsets[rows], offsets[rows + 1] - offsets[rows])


def ragged_slices(starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the values of some slices of an array stand.

    Args:
        starts: Where each slice begins, (num_slices,).
        lengths: How many values it has, (num_slices,).

    Returns:
        The positions of their values, and the offsets of the slices, (num_slices + 1,).

    """
    offsets = row_offsets(lengths)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths), offsets


def row_offsets(lengths: np.ndarray) -> np.ndarray:
    """Where rows of these lengths, (num_rows,), begin and end, (num_rows + 1,) int64."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def begins_run(*columns: np.ndarray) -> np.ndarray:
    """Whether each entry differs from the one before in some column; the first does.

    Args:
        *columns: (num_entries,) each, at least one.

    Returns:
        (num_entries,) bool.

    """
    begins = np.ones(len(columns[0]), dtype=bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return begins
