"""Sketches and paths, as agents hold them by name, and as the strategy reads them: rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from garden.strategies.gossip.kept_paths import Paths
from garden.strategies.gossip.paths import Steps, arrays_of
from garden.strategies.gossip.sketches import Row
from garden.strategies.representations import Ragged, Representations


def sketch_row(row: Row, neighbours: Sequence[int]) -> Representations:
    """A sketch as one row, its entries by distance, then rank.

    Args:
        row: The sketch.
        neighbours: The keys of the agent's neighbours; those in the sketch are left out.
    """
    entries = sorted((distance, beacon) for beacon, distance in row.items())
    known = {beacon.key for beacon in row}
    others = [key for key in neighbours if key not in known]
    offsets = np.array([0, len(entries)], dtype=np.int64)
    return Representations(
        {},
        {
            "keys": Ragged(np.array([b.key for _, b in entries], dtype=np.uint64), offsets),
            "distances": Ragged(np.array([d for d, _ in entries], dtype=np.uint16), offsets),
            "classes": Ragged(np.array([-b.minus_class for _, b in entries], np.int8), offsets),
            "neighbours": Ragged(
                np.array(others, dtype=np.uint64), np.array([0, len(others)], dtype=np.int64)
            ),
        },
    )


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
