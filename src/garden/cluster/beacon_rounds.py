"""The rounds of ``beacons`` in one shard, compiled: the rows that ``begin`` and ``hear`` end in.

Round r finds the entries at distance r and no others (:mod:`garden.strategies.gossip.sketches`), so
that a shard keeps of each own node the k best-ranked entries so far and hears only what was new in
the round before: each entry is looked at once for each link. Importing this module needs numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from garden.cluster.shard_files import Shard
from garden.compiled import compiled
from garden.errors import StrategyError
from garden.process_settings import map_in_threads
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.sketches import MAX_DISTANCE, best_first, without_first
from garden.strategies.representations import Ragged, Representations, concatenated

_BLOCK = 1 << 15  # own nodes that hear at a time


@dataclass(frozen=True, eq=False)
class ToldEntries:
    """Entries that were new in one round; in the first, also the neighbours that are none."""

    which: np.ndarray  # (num_told,) int32 positions among the nodes that border that shard
    counts: np.ndarray  # (num_told,) how many are new of each
    keys: np.ndarray  # (num_entries,) uint64
    classes: np.ndarray  # (num_entries,) int8
    neighbour_counts: np.ndarray  # (num_bordering,) or empty
    neighbours: np.ndarray  # (num_neighbours,) uint64

    @property
    def num_bytes(self) -> int:
        """The bytes of all arrays."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @staticmethod
    def of(level: Representations, rest: Ragged | None) -> ToldEntries:
        """What is told of nodes with these new entries, and these neighbours in no sketch.

        Args:
            level: The new entries of the nodes that border a shard.
            rest: The keys of their neighbours that are in no sketch; None: this round does not
                tell them.
        """
        keys = level.ragged["keys"]
        counts = np.diff(keys.offsets)
        which = np.flatnonzero(counts)
        rest = rest or Ragged(np.empty(0, dtype=np.uint64), np.zeros(1, dtype=np.int64))
        return ToldEntries(
            which.astype(np.int32),
            _narrow(counts[which]),
            keys.values,
            level.ragged["classes"].values,
            _narrow(np.diff(rest.offsets)),
            rest.values,
        )

    def entries(self, size: int) -> Representations:
        """The entries of so many nodes, with none for those that nothing was told of."""
        counts = np.zeros(size, dtype=np.int64)
        counts[self.which] = self.counts
        return _rows(counts, keys=self.keys, classes=self.classes)


class BeaconRounds:
    """Rounds of ``beacons`` over one shard."""

    def __init__(self, shard: Shard, strategy: Beacons, num_nodes: int) -> None:
        """The rounds of one shard, before the first of them.

        Args:
            shard: The shard.
            strategy: The strategy.
            num_nodes: Of the whole network.
        """
        self._shard = shard
        self._strategy = strategy
        self._k = min(strategy.k, num_nodes)  # beyond that nothing is pruned
        self._settled: Representations | None = None

    def begin(self) -> list[ToldEntries]:
        """Each own node is an entry at distance 0."""
        shard, own = self._shard, self._shard.num_own
        self._settled = None
        classes = self._strategy.classes(np.diff(shard.indptr))
        self._best_keys = np.zeros((own, self._k), dtype=np.uint64)
        self._best_classes = np.zeros((own, self._k), dtype=np.int8)
        self._best_keys[:, 0], self._best_classes[:, 0] = shard.keys[:own], classes
        self._sizes = np.ones(own, dtype=np.int64)
        fresh = _rows(self._sizes, keys=shard.keys[:own].copy(), classes=classes)
        self._own_levels = [fresh]  # new entries of own nodes by round
        self._levels: list[Representations] = []  # the same of all local nodes
        self._rest: Ragged | None = None  # neighbours of own nodes that are in no sketch
        self._border_rest: list[Representations] = []
        return [self._told(home, 0) for home in range(shard.num_shards)]

    def hear(self, told: Sequence[ToldEntries]) -> tuple[int, list[ToldEntries]]:
        """One round: the entries that are new at one hop more."""
        self._take(told)
        fresh = self._levels[-1].ragged["keys"]
        counts = np.empty(self._shard.num_own, dtype=np.int64)
        firsts = range(0, len(counts), _BLOCK)
        blocks = map_in_threads(lambda first: self._heard(fresh, counts, first), firsts)
        if len(self._levels) > MAX_DISTANCE and counts.any():
            raise StrategyError(
                f"a beacon is more than {MAX_DISTANCE} hops away: sketches end there"
            )
        keys, classes = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        self._own_levels.append(_rows(counts, keys=keys, classes=classes))
        if len(self._own_levels) == 2:
            self._rest = self._unsketched_neighbours(counts)
        number, shards = len(self._own_levels) - 1, range(self._shard.num_shards)
        return int((counts > 0).sum()), [self._told(home, number) for home in shards]

    def finish(self, told: Sequence[ToldEntries]) -> Representations:
        """The sketches of own nodes and borders, with the neighbours that are not in them."""
        self._take(told)
        assert self._rest is not None
        sketches = _assembled(self._levels)
        own_rest = Representations({}, {"neighbours": self._rest})
        rest = concatenated([own_rest, *self._border_rest])
        self._settled = Representations({}, {**sketches, **rest.ragged})
        self._levels, self._own_levels, self._border_rest = [], [], []
        del self._best_keys, self._best_classes
        return self._settled

    def told_so_far(self, shard: int, rounds: int) -> list[ToldEntries] | None:
        """What was told to a shard at the beginning and in so many rounds.

        Args:
            shard: The shard.
            rounds: How many.

        Returns:
            One thing for the beginning, then one for each round.
        """
        nodes = self._shard.told_to[shard]
        if self._settled is None:
            return [self._told(shard, number) for number in range(rounds + 1)]
        rows = self._settled.take(nodes)
        levels = _levels_of(rows, rounds)
        rest = rows.ragged["neighbours"]
        return [
            ToldEntries.of(level, rest if number == 1 else None)
            for number, level in enumerate(levels)
        ]

    def _heard(
        self, fresh: Ragged, counts: np.ndarray, first: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The new entries of a block of own nodes: keys and classes."""
        last = min(first + _BLOCK, len(counts))
        keys = np.empty((last - first) * self._k, dtype=np.uint64)
        classes = np.empty(len(keys), dtype=np.int8)
        used = _hear(
            self._shard.indptr,
            self._shard.indices,
            fresh.offsets,
            fresh.values,
            self._levels[-1].ragged["classes"].values,
            first,
            last,
            self._best_keys,
            self._best_classes,
            self._sizes,
            keys,
            classes,
            counts,
        )
        return keys[:used].copy(), classes[:used].copy()

    def _take(self, told: Sequence[ToldEntries]) -> None:
        """Note what was new in the round before, of own nodes and of borders."""
        parts, bounds = [self._own_levels[-1]], self._shard.border_bounds
        for home, one in enumerate(told):
            size = int(bounds[home + 1] - bounds[home])
            if home == self._shard.number or size == 0:
                continue
            parts.append(one.entries(size))
            if len(one.neighbour_counts):
                self._border_rest.append(_rows(one.neighbour_counts, neighbours=one.neighbours))
        self._levels.append(concatenated(parts))

    def _told(self, home: int, number: int) -> ToldEntries:
        """What was new in one round of the nodes that border a shard."""
        nodes = self._shard.told_to[home]
        rest = self._rest.take(nodes) if number == 1 and self._rest is not None else None
        return ToldEntries.of(self._own_levels[number].take(nodes), rest)

    def _unsketched_neighbours(self, adjacent: np.ndarray) -> Ragged:
        """The keys of each own node's neighbours by rank, without those in its sketch."""
        first = self._levels[0].ragged
        order = best_first(first["keys"].values, first["classes"].values)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        ranked = rank[self._shard.indices]
        _sort_rows(self._shard.indptr, ranked)
        rest = without_first(Ragged(ranked, self._shard.indptr), adjacent)
        return Ragged(self._shard.keys[order[rest.values]], rest.offsets)


def _rows(counts: np.ndarray, **values: np.ndarray) -> Representations:
    """Rows of so many values each, by the names of their arrays."""
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return Representations({}, {name: Ragged(part, offsets) for name, part in values.items()})


def _narrow(counts: np.ndarray) -> np.ndarray:
    """Counts in as few bytes each as the largest needs."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def _assembled(levels: Sequence[Representations]) -> dict[str, Ragged]:
    """Whole sketches from the entries of each distance."""
    counts = sum(np.diff(level.ragged["keys"].offsets) for level in levels)
    offsets = np.concatenate([[0], np.cumsum(np.asarray(counts))]).astype(np.int64)
    keys = np.empty(offsets[-1], dtype=np.uint64)
    classes = np.empty(len(keys), dtype=np.int8)
    distances = np.empty(len(keys), dtype=np.uint16)
    next_at = offsets[:-1].copy()
    for distance, level in enumerate(levels):
        part, kinds = level.ragged["keys"], level.ragged["classes"].values
        _place(part.offsets, part.values, kinds, distance, next_at, keys, classes, distances)
    content = {"keys": keys, "distances": distances, "classes": classes}
    return {name: Ragged(values, offsets) for name, values in content.items()}


def _levels_of(rows: Representations, rounds: int) -> list[Representations]:
    """The entries of settled rows by their distance, up to one."""
    keys, distances = rows.ragged["keys"], rows.ragged["distances"].values
    owner, classes = keys.owner, rows.ragged["classes"].values
    levels = []
    for distance in range(rounds + 1):
        here = distances == distance
        counts = np.bincount(owner[here], minlength=len(rows))
        levels.append(_rows(counts, keys=keys.values[here], classes=classes[here]))
    return levels


@compiled()
def _hear(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    fresh_at,
    fresh_keys,
    fresh_classes,
    first,
    last,
    best_keys,
    best_classes,
    sizes,
    keys,
    classes,
    counts,
):
    """The new entries of nodes ``first`` … ``last − 1``; how many there are in all.

    ``best_*`` hold the k best-ranked entries of each node so far. An entry that is new and stays
    among them has fewer than k better ones within its distance.
    """
    k = best_keys.shape[1]
    is_new = np.zeros(k, dtype=np.bool_)
    used = 0
    for node in range(first, last):
        size = sizes[node]
        is_new[:] = False
        row_keys, row_classes = best_keys[node], best_classes[node]
        for edge in range(indptr[node], indptr[node + 1]):
            other = indices[edge]
            for entry in range(fresh_at[other], fresh_at[other + 1]):
                key, kind = fresh_keys[entry], fresh_classes[entry]
                if size == k and not _better(kind, key, row_classes[k - 1], row_keys[k - 1]):
                    break  # entries of one node come by rank: the rest are no better
                place = size
                while place > 0 and _better(kind, key, row_classes[place - 1], row_keys[place - 1]):
                    place -= 1
                if place > 0 and row_keys[place - 1] == key:
                    continue
                size = min(k, size + 1)
                for slot in range(size - 1, place, -1):
                    row_keys[slot], row_classes[slot] = row_keys[slot - 1], row_classes[slot - 1]
                    is_new[slot] = is_new[slot - 1]
                row_keys[place], row_classes[place], is_new[place] = key, kind, True
        sizes[node] = size
        before = used
        for slot in range(size):
            if is_new[slot]:
                keys[used], classes[used] = row_keys[slot], row_classes[slot]
                used += 1
        counts[node] = used - before
    return used


@compiled(inline="always")
def _better(kind, key, other_kind, other_key):  # type: ignore[no-untyped-def]
    return kind > other_kind or (kind == other_kind and key < other_key)


@compiled()
def _place(offsets, level_keys, level_classes, distance, next_at, keys, classes, distances):  # type: ignore[no-untyped-def]
    for row in range(len(offsets) - 1):
        at = next_at[row]
        for entry in range(offsets[row], offsets[row + 1]):
            keys[at], classes[at], distances[at] = level_keys[entry], level_classes[entry], distance
            at += 1
        next_at[row] = at


@compiled()
def _sort_rows(indptr, values):  # type: ignore[no-untyped-def]
    for row in range(len(indptr) - 1):
        values[indptr[row] : indptr[row + 1]].sort()
