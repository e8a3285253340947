"""What one agent is built from: its own view, and the file that holds it.

A view has the keys of the agent and of its neighbours, the ego graph, and nothing else: neither
names of other nodes, nor counters, nor secrets. Neighbours stand in the order of their keys, so
that a view, and its file byte for byte, depends on the ego graph and the keys alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import scipy.sparse as sp
from msgspec import Meta, Struct

from garden.errors import DataError
from garden.graphs.ego import EgoGraph, ProfileTable
from garden.peers.envelopes import MAX_ITEMS, Key, Keys
from garden.storage import read_bytes, write_file

VIEW_VERSION = 1
SUFFIX = ".agent"

_Pair = tuple[Annotated[int, Meta(ge=0, le=MAX_ITEMS)], Annotated[int, Meta(ge=0, le=MAX_ITEMS)]]


class Profile(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The attributes of one node that are not 0: columns ascending, values float32."""

    columns: bytes  # int32, little-endian
    values: bytes  # float32, little-endian

    @property
    def packed(self) -> bytes:
        """Its columns, then its values, of equal length."""
        return self.columns + self.values

    @classmethod
    def unpacked(cls, data: bytes) -> Profile | None:
        """The profile of these bytes; None where they cannot be one."""
        if len(data) % 8:
            return None
        return cls(data[: len(data) // 2], data[len(data) // 2 :])


class AgentView(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What an agent sees of the network."""

    version: int
    key: Key
    neighbours: Keys
    """In ascending order."""
    num_attributes: Annotated[int, Meta(ge=0)]
    dense: bool
    """Whether strategies are handed a dense table of profiles."""
    profiles: Annotated[tuple[Profile, ...], Meta(max_length=MAX_ITEMS + 1)]
    """The own one, then the neighbours'."""
    links: tuple[_Pair, ...]
    """Links among neighbours, as positions in ``neighbours``, the smaller first, ascending."""

    @property
    def members(self) -> tuple[int, ...]:
        """The keys of the ego graph's members, its own first."""
        return (self.key, *self.neighbours)

    def ego_graph(self) -> EgoGraph:
        """The ego graph, its members in the order of :attr:`members`."""
        return EgoGraph(self._table(), _edges(len(self.neighbours), self.links))

    def with_neighbour(self, key: int, profile: Profile, linked: tuple[int, ...]) -> AgentView:
        """The view with one more neighbour.

        Args:
            key: The newcomer's.
            profile: Its attributes.
            linked: The keys of its own neighbours; those that are none of this agent's are ignored.

        """
        shared = set(linked).intersection(self.neighbours)
        pairs = self._linked_keys() | {(min(key, end), max(key, end)) for end in shared}
        profiles = dict(zip(self.members, self.profiles, strict=True))
        return self._rebuilt({**profiles, key: profile}, pairs)

    def without_neighbour(self, key: int) -> AgentView:
        """The view with one neighbour less."""
        profiles = dict(zip(self.members, self.profiles, strict=True))
        del profiles[key]
        return self._rebuilt(profiles, {pair for pair in self._linked_keys() if key not in pair})

    def linked_to(self, key: int) -> tuple[int, ...]:
        """The neighbours that a neighbour is linked to, in the order of their keys."""
        ends = [pair for pair in self._linked_keys() if key in pair]
        return tuple(sorted(one if other == key else other for one, other in ends))

    def _linked_keys(self) -> set[tuple[int, int]]:
        return {(self.neighbours[one], self.neighbours[other]) for one, other in self.links}

    def _rebuilt(self, profiles: dict[int, Profile], pairs: set[tuple[int, int]]) -> AgentView:
        neighbours = tuple(sorted(key for key in profiles if key != self.key))
        place = {key: number for number, key in enumerate(neighbours)}
        return msgspec.structs.replace(
            self,
            neighbours=neighbours,
            profiles=tuple(profiles[key] for key in (self.key, *neighbours)),
            links=tuple(sorted((place[one], place[other]) for one, other in pairs)),
        )

    def _table(self) -> ProfileTable:
        columns = [np.frombuffer(one.columns, dtype="<i4") for one in self.profiles]
        values = [np.frombuffer(one.values, dtype="<f4") for one in self.profiles]
        offsets = np.cumsum([0, *map(len, values)])
        shape = (len(self.profiles), self.num_attributes)
        table = sp.csr_array(
            (np.concatenate(values).astype(np.float32), np.concatenate(columns), offsets),
            shape=shape,
        )
        return table.toarray() if self.dense else table


def profile_of(table: ProfileTable, row: int) -> Profile:
    """One row of a table of attributes.

    Args:
        table: The attributes of all nodes, (num_nodes, num_attributes), dense or sparse.
        row: Whose.
    """
    if isinstance(table, np.ndarray):
        columns = np.flatnonzero(table[row])
        values = table[row][columns]
    else:
        part = slice(table.indptr[row], table.indptr[row + 1])
        order = np.argsort(table.indices[part])
        columns, values = table.indices[part][order], table.data[part][order]
        columns, values = columns[values != 0], values[values != 0]
    return Profile(columns.astype("<i4").tobytes(), values.astype("<f4").tobytes())


def check_profile(profile: Profile, num_attributes: int) -> bool:
    """Whether a profile that others sent is one of so many attributes.

    Args:
        profile: The profile.
        num_attributes: How many columns there are.
    """
    if len(profile.columns) % 4 or len(profile.columns) != len(profile.values):
        return False
    columns = np.frombuffer(profile.columns, dtype="<i4")
    if len(columns) and not (columns[0] >= 0 and columns[-1] < num_attributes):
        return False
    values = np.frombuffer(profile.values, dtype="<f4")
    return bool((np.diff(columns) > 0).all() and np.isfinite(values).all())


def write_view(view: AgentView, path: Path) -> None:
    """Write a view to a file.

    Args:
        view: The view.
        path: The file, written whole or not at all.
    """
    write_file(path, lambda temporary: temporary.write_bytes(msgspec.msgpack.encode(view)))


def read_view(path: Path) -> AgentView:
    """The view of a file, or one line that says why it is none."""
    try:
        view = msgspec.msgpack.decode(read_bytes(path), type=AgentView)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: is no agent's file ({error})") from None
    if view.version != VIEW_VERSION:
        raise DataError(f"{path}: has version {view.version}, {VIEW_VERSION} is read here")
    _check(view, path)
    return view


def _check(view: AgentView, path: Path) -> None:
    ascending = all(a < b for a, b in zip(view.neighbours, view.neighbours[1:], strict=False))
    degree = len(view.neighbours)
    sound = (
        ascending
        and view.key not in view.neighbours
        and len(view.profiles) == degree + 1
        and all(one < other < degree for one, other in view.links)
        and all(check_profile(one, view.num_attributes) for one in view.profiles)
    )
    if not sound:
        raise DataError(f"{path}: is no agent's file: keys, profiles and links do not fit")


def _edges(degree: int, links: tuple[_Pair, ...]) -> np.ndarray:
    """All edges of the ego graph in both directions, sorted, (2, num_edges) int32."""
    spokes = np.arange(1, degree + 1, dtype=np.int32)
    pairs = np.array(links, dtype=np.int32).reshape(-1, 2) + 1
    centre = np.zeros(degree, dtype=np.int32)
    tails = np.concatenate([centre, spokes, pairs[:, 0], pairs[:, 1]])
    heads = np.concatenate([spokes, centre, pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((heads, tails))
    return np.stack([tails[order], heads[order]])
