"""Sketches and paths, as agents hold them by name, and as the strategy reads them: rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from garden.strategies.gossip.kept_paths import Paths
from garden.strategies.gossip.paths import Steps, arrays_of
from garden.strategies.gossip.sketches import Row
from garden.strategies.representations import Ragged, Representations


class SketchArrays(NamedTuple):
    """A sketch as arrays, its entries in any order, and the neighbours not in it."""

    keys: np.ndarray  # (num_entries,) uint64
    distances: np.ndarray  # (num_entries,) uint16
    classes: np.ndarray  # (num_entries,) int8
    neighbours: np.ndarray  # (num_others,) uint64


def sketch_arrays(row: Row, neighbours: Sequence[int]) -> SketchArrays:
    """The arrays of a sketch.

    Args:
        row: The sketch.
        neighbours: The keys of the agent's neighbours; those in the sketch are left out.
    """
    minus_classes, keys = zip(*row, strict=True) if row else ((), ())
    others = set(neighbours).difference(keys)
    return SketchArrays(
        np.array(keys, dtype=np.uint64),
        np.array(list(row.values()), dtype=np.uint16),
        -np.array(minus_classes, dtype=np.int8),
        np.array([key for key in neighbours if key in others], dtype=np.uint64),
    )


def sketch_rows(sketches: Sequence[SketchArrays]) -> Representations:
    """Sketches as rows, one under another.

    Args:
        sketches: One or more.
    """
    offsets = _offsets([len(one.keys) for one in sketches])
    keys, distances, classes, others = (
        (np.concatenate(parts) for parts in zip(*sketches, strict=True))
        if len(sketches) > 1
        else sketches[0]
    )
    return Representations(
        {},
        {
            "keys": Ragged(keys, offsets),
            "distances": Ragged(distances, offsets),
            "classes": Ragged(classes, offsets),
            "neighbours": Ragged(others, _offsets([len(one.neighbours) for one in sketches])),
        },
    )


def sketch_row(row: Row, neighbours: Sequence[int]) -> Representations:
    """A sketch as one row, its entries by distance, then rank.

    Args:
        row: The sketch.
        neighbours: The keys of the agent's neighbours; those in the sketch are left out.
    """
    entries = sorted([(distance, beacon) for beacon, distance in row.items()])
    ordered = {beacon: distance for distance, beacon in entries}
    return sketch_rows([sketch_arrays(ordered, neighbours)])


def path_arrays(paths: Paths) -> dict[str, Ragged]:
    """An agent's own paths as the arrays of one row."""
    named = [
        (beacon.key, distance, key)
        for beacon, path in paths.items()
        for distance, key in enumerate(path, start=1)
    ]
    beacons, distances, keys = zip(*named, strict=True) if named else ((), (), ())
    steps = Steps(
        np.zeros(len(named), dtype=np.int64),
        np.array(beacons, dtype=np.uint64),
        np.array(distances, dtype=np.int64),
        np.array(keys, dtype=np.uint64),
    )
    return arrays_of(steps, 1)


def _offsets(lengths: list[int]) -> np.ndarray:
    """Where rows of these lengths begin, and where the last ends, (num_rows + 1,) int64."""
    return np.array([0, *accumulate(lengths)], dtype=np.int64)
