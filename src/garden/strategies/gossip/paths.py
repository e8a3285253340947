"""Paths to near beacons: what a card says of the way from a beacon on to the target.

A sketch says how far its beacons are, not where. A message that goes by distances alone reaches a
beacon of its target, and from there has to search. So a row may also hold, for some of its entries,
whom a message from there passes on a shortest path to the beacon: the path to u stands in the row
of v if fewer than ``paths`` better-ranked nodes are at most as far from v as u, which is the rule
of sketches (:mod:`.sketches`) with ``paths`` in place of k.

The path goes over the neighbour m of smallest key among those one hop nearer to u. By the rule, m
holds its own path to u, so that

    path(v, u) = [m, *path(m, u)],    path(v, u) = [] where u is v or a neighbour of v,

d(v, u) − 1 keys in all. In round d(v, u) an agent hears path and entry together: each is told
once, and none is taken back. A path ends after :data:`LONGEST` keys, those nearest to its owner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.graphs.ego import begins_run, row_offsets
from garden.strategies.gossip.sketches import Columns, Entries, entries_kept, entries_of
from garden.strategies.representations import Ragged, Representations

LONGEST = 64  # keys of one path
BYTES_PER_STEP = 8  # a key; its place is its distance
ARRAYS = ("path_beacons", "path_distances", "path_keys")


@dataclass(frozen=True, eq=False)
class Steps(Columns):
    """Steps of several paths: who stands at which distance from the owner towards which beacon."""

    owner: np.ndarray  # (num_steps,) int64: the row that each belongs to
    beacons: np.ndarray  # (num_steps,) uint64: the key of the beacon that the path leads to
    distances: np.ndarray  # (num_steps,) int64: from the owner, 1 for its neighbour
    keys: np.ndarray  # (num_steps,) uint64: the key of whoever stands there


def no_paths(num_rows: int) -> dict[str, Ragged]:
    """The arrays of rows that hold no path."""
    nothing = np.empty(0, dtype=np.int64)
    steps = Steps(nothing, nothing.astype(np.uint64), nothing, nothing.astype(np.uint64))
    return arrays_of(steps, num_rows)


def arrays_of(steps: Steps, num_rows: int) -> dict[str, Ragged]:
    """Steps as ragged arrays of rows, by beacon and distance.

    Args:
        steps: In any order.
        num_rows: How many rows there are.
    """
    steps = steps.take(np.lexsort((steps.distances, steps.beacons, steps.owner)))
    offsets = row_offsets(np.bincount(steps.owner, minlength=num_rows))
    values = (steps.beacons, steps.distances.astype(np.uint16), steps.keys)
    return {name: Ragged(part, offsets) for name, part in zip(ARRAYS, values, strict=True)}


def steps_of(rows: Representations) -> Steps:
    """The steps of all paths of some rows; none where they hold no paths."""
    if ARRAYS[0] not in rows.ragged:
        return steps_of(Representations({}, no_paths(len(rows))))
    beacons, distances, keys = (rows.ragged[name] for name in ARRAYS)
    return Steps(keys.owner, beacons.values, distances.values.astype(np.int64), keys.values)


def heard_paths(
    sketches: Representations, neighbours: Representations, owner: np.ndarray, paths: int
) -> dict[str, Ragged]:
    """The paths of some agents, from their sketches and their neighbours' rows.

    Args:
        sketches: The agents' sketches as they now are.
        neighbours: The rows of their neighbours, one under another.
        owner: (num_neighbour_rows,) the agent that each neighbour's row belongs to.
        paths: How many better-ranked nodes within its distance leave a beacon without a path.

    """
    wanted = _beacons_with_path(sketches, paths)
    which, via = _next_hops(wanted, neighbours, owner)
    own_keys = neighbours.ragged["keys"].values[neighbours.ragged["keys"].offsets[:-1]]
    first = Steps(wanted.owner[which], wanted.keys[which], np.ones_like(which), own_keys[via])
    theirs = steps_of(neighbours.take(via))
    beacon = wanted.keys[which]
    rest = Steps(
        wanted.owner[which][theirs.owner], theirs.beacons, theirs.distances + 1, theirs.keys
    ).take((theirs.beacons == beacon[theirs.owner]) & (theirs.distances < LONGEST))
    return arrays_of(first.followed_by(rest), len(sketches))


def _beacons_with_path(sketches: Representations, paths: int) -> Entries:
    """The entries that get a path, by owner and key; itself and neighbours need none."""
    entries = entries_of(sketches, np.arange(len(sketches)), hops=0)
    kept = entries_kept(entries.by_rank(), paths)
    kept = kept.take(kept.distances > 1)
    return kept.take(np.lexsort((kept.keys, kept.owner)))


def _next_hops(
    wanted: Entries, neighbours: Representations, owner: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Over whom each wanted path goes on: (positions in wanted, rows of neighbours)."""
    offers = entries_of(neighbours, np.arange(len(neighbours)), hops=1)
    beacons = np.unique(wanted.keys)
    code = np.minimum(np.searchsorted(beacons, offers.keys), max(0, len(beacons) - 1))
    named = beacons[code] == offers.keys if len(beacons) else np.zeros(len(code), dtype=bool)
    row, code, distance = offers.owner[named], code[named], offers.distances[named]
    pairs = wanted.owner * len(beacons) + np.searchsorted(beacons, wanted.keys)
    asked = owner[row] * len(beacons) + code
    which = np.minimum(np.searchsorted(pairs, asked), max(0, len(pairs) - 1))
    fits = pairs[which] == asked if len(pairs) else np.zeros(len(which), dtype=bool)
    fits[fits] &= wanted.distances[which[fits]] == distance[fits]
    which, row = which[fits], row[fits]
    sketch = neighbours.ragged["keys"]
    order = np.lexsort((sketch.values[sketch.offsets[:-1]][row], which))
    which, row = which[order], row[order]
    least = begins_run(which)
    return which[least], row[least]


def without_paths(rows: Representations) -> Representations:
    """The rows without the arrays of paths."""
    ragged = {name: part for name, part in rows.ragged.items() if name not in ARRAYS}
    return Representations(rows.arrays, ragged)


def with_steps_as_entries(rows: Representations) -> Representations:
    """Rows whose paths have become entries of their sketches, behind the others.

    Neighbours are left out, which the row names anyway, and whoever the sketch names already.

    Args:
        rows: Rows with or without paths.

    """
    if ARRAYS[0] not in rows.ragged:
        return rows
    steps = steps_of(rows)
    steps = steps.take(steps.distances > 1)
    if not len(steps.keys):
        return without_paths(rows)
    sketch = entries_of(rows, np.arange(len(rows)), hops=0)
    classes = np.full(len(steps.keys), -1, dtype=np.int8)
    both = sketch.followed_by(Entries(steps.owner, steps.keys, steps.distances, classes))
    order = np.lexsort((both.keys, both.owner))  # which leaves those of the sketch first
    first = np.sort(order[begins_run(both.owner[order], both.keys[order])])
    both = both.take(first[np.argsort(both.owner[first], kind="stable")])
    entries = both.arrays(len(rows))
    return Representations(rows.arrays, {**without_paths(rows).ragged, **entries})
