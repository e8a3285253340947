"""Sketches: the distances that an agent keeps, to a few beacons.

Every node has a *class* and a 64-bit key; the higher class ranks better, then the smaller key. The
sketch of v holds node u at distance d(v, u) if fewer than k better-ranked nodes are at most that
far from v:

    u ∈ S(v)   ⇔   |{w better than u : d(v, w) ≤ d(v, u)}| < k

so that there are at most k entries at each distance. If u is in S(v), it is in the sketch of every
node on a shortest path from v to u: a better-ranked w near such a node is as near to v. Hence a
sketch is a function of the neighbours' sketches, the *pruned union*: the own entry at distance 0,
and their entries one hop further, each key at its least distance, of which those stay that fewer
than k better-ranked entries of the union are at most as far as.

Rounds from the own entries alone find, in round r, exactly the entries at distance r: each is told
once to each neighbour, and none is ever taken back.

Reference: E. Cohen, "Size-estimation framework with applications to transitive closure and
reachability", J. Comput. Syst. Sci. 55 (1997), where ranks are random.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from garden.errors import StrategyError
from garden.graphs.ego import begins_run, ragged_slices, row_offsets
from garden.strategies.representations import Ragged, Representations

MAX_DISTANCE = 65_535
BYTES_PER_ENTRY = 11  # key 8, class 1, distance 2


@dataclass(frozen=True, eq=False)
class Columns:
    """A table whose columns are the fields of a subclass."""

    def take(self, which: np.ndarray) -> Self:
        """The rows at these positions, or where a mask is true."""
        return type(self)(*(column[which] for column in vars(self).values()))

    def followed_by(self, others: Self) -> Self:
        """These rows, and others below them."""
        pairs = zip(vars(self).values(), vars(others).values(), strict=True)
        return type(self)(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True, eq=False)
class Entries(Columns):
    """Entries of several sketches, in any order."""

    owner: np.ndarray  # (num_entries,) int64: the sketch that each belongs to
    keys: np.ndarray  # (num_entries,) uint64
    distances: np.ndarray  # (num_entries,) int64
    classes: np.ndarray  # (num_entries,) int8

    def by_rank(self) -> Entries:
        """The same by owner, then by rank, the best first."""
        return self.take(np.lexsort((self.keys, -self.classes.astype(np.int64), self.owner)))

    def arrays(self, num_sketches: int) -> dict[str, Ragged]:
        """The arrays of sketches with these entries, which stand in the order of their owners."""
        offsets = row_offsets(np.bincount(self.owner, minlength=num_sketches))
        return {
            "keys": Ragged(self.keys, offsets),
            "distances": Ragged(self.distances.astype(np.uint16), offsets),
            "classes": Ragged(self.classes, offsets),
        }


def degree_class(degree: int) -> int:
    """The class of a node by its degree, ⌊2 log₂ degree⌋; −1 for an isolated node."""
    return (degree * degree).bit_length() - 1


def equal_class(_degree: int) -> int:
    """Class 0, whatever the degree: rank is by key alone."""
    return 0


CLASS_OF_RANK: dict[str, Callable[[int], int]] = {"degree": degree_class, "hash": equal_class}


def degree_classes(degrees: np.ndarray) -> np.ndarray:
    """The class of each degree, ⌊2 log₂ degree⌋, and −1 for degree 0: (num_nodes,) int8."""
    squares = degrees.astype(np.uint64) ** np.uint64(2)
    classes = np.full(len(degrees), -1, dtype=np.int8)
    for bit in range(64):
        classes += squares >> np.uint64(bit) > 0
    return classes


def best_first(keys: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The positions of some nodes by rank, the best first.

    Args:
        keys: (num_nodes,) uint64.
        classes: (num_nodes,) int8.
    """
    return np.lexsort((keys, -classes.astype(np.int64)))


def pruned(entries: Entries, k: int, num_sketches: int) -> Representations:
    """The sketches that these entries make, each key at its least distance.

    Args:
        entries: What each sketch may hold.
        k: How many better-ranked entries within its distance push an entry out.
        num_sketches: How many sketches there are.

    Returns:
        Ragged arrays ``keys``, ``distances`` (uint16) and ``classes`` (int8) with a row per sketch,
        by distance, then rank.

    """
    entries = entries.take(
        np.lexsort((entries.distances, entries.keys, -entries.classes.astype(int), entries.owner))
    )
    kept = entries_kept(entries.take(begins_run(entries.owner, entries.keys)), k)
    if len(kept.distances) and kept.distances.max() > MAX_DISTANCE:
        raise StrategyError(f"a beacon is more than {MAX_DISTANCE} hops away: sketches end there")
    # Entries stand by rank: a stable sort by distance leaves those of one distance so.
    kept = kept.take(np.lexsort((kept.distances, kept.owner)))
    return Representations({}, kept.arrays(num_sketches))


def entries_kept(entries: Entries, k: int) -> Entries:
    """The entries that fewer than k better ones of their sketch are at most as far as.

    Args:
        entries: By owner, then rank.
        k: How many better ones push an entry out.

    """
    first = np.searchsorted(entries.owner, entries.owner)  # where each one's sketch starts
    within = np.zeros(len(entries.owner), dtype=bool)
    stays = np.zeros(len(entries.owner), dtype=bool)
    for distance in np.unique(entries.distances):
        here = entries.distances == distance
        within |= here
        running = np.concatenate([[0], np.cumsum(within)])
        better = running[:-1] - running[first]
        stays |= here & (better < k)
    return entries.take(stays)


def entries_of(rows: Representations, owner: np.ndarray, hops: int) -> Entries:
    """The entries of some sketches, a number of hops further, for other owners.

    Args:
        rows: The sketches.
        owner: (num_rows,) whom the entries of each are for.
        hops: How many hops further.

    """
    keys, distances = rows.ragged["keys"], rows.ragged["distances"]
    return Entries(
        np.asarray(owner, dtype=np.int64)[keys.owner],
        keys.values,
        distances.values.astype(np.int64) + hops,
        rows.ragged["classes"].values,
    )


def own_entries(rows: Representations) -> Entries:
    """The entry at distance 0 of each sketch, which stands first in it."""
    first = rows.ragged["keys"].offsets[:-1]
    return Entries(
        np.arange(len(rows)),
        rows.ragged["keys"].values[first],
        np.zeros(len(rows), dtype=np.int64),
        rows.ragged["classes"].values[first],
    )


def num_adjacent(rows: Representations) -> np.ndarray:
    """How many entries of each sketch are at distance 1, (num_rows,) int64."""
    distances = rows.ragged["distances"]
    return np.bincount(distances.owner[distances.values == 1], minlength=len(rows))


def shortened(ragged: Ragged, lengths: np.ndarray) -> Ragged:
    """The first entries of each row.

    Args:
        ragged: The rows.
        lengths: (num_rows,) how many entries stay at most; below 0 counts as 0.
    """
    lengths = np.minimum(np.maximum(lengths, 0), np.diff(ragged.offsets))
    positions, offsets = ragged_slices(ragged.offsets[:-1], lengths)
    return Ragged(ragged.values[positions], offsets)


def without_first(ragged: Ragged, lengths: np.ndarray) -> Ragged:
    """Each row without its first entries.

    Args:
        ragged: The rows.
        lengths: (num_rows,) how many go, no more than there are.
    """
    starts = ragged.offsets[:-1] + lengths
    positions, offsets = ragged_slices(starts, ragged.offsets[1:] - starts)
    return Ragged(ragged.values[positions], offsets)


class Beacon(NamedTuple):
    """A beacon as the entries of one agent name it. Sorting puts the best-ranked first."""

    minus_class: int
    key: int


Row: TypeAlias = Mapping[Beacon, int]
"""A sketch as one agent holds it: the distance of each beacon."""


def pruned_row(distances: Row, k: int) -> dict[Beacon, int]:
    """The entries that fewer than k better-ranked ones are at most as far as, nearest first.

    Args:
        distances: The least distance at which each beacon was offered.
        k: How many better-ranked beacons push one out.
    """
    row: dict[Beacon, int] = {}
    best: list[Beacon] = []  # the k best-ranked so far, which are at most as far as the next
    for distance, beacon in sorted([(distance, beacon) for beacon, distance in distances.items()]):
        if len(best) == k and best[-1] < beacon:
            continue
        place = bisect(best, beacon)
        if place < k:
            row[beacon] = distance
            best.insert(place, beacon)
            del best[k:]
    return row
