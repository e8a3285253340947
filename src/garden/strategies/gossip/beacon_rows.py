"""A sketch as a mapping, as one agent holds it: beacons by rank, and what stays of many offers."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias


class Beacon(NamedTuple):
    """A beacon as entries name it. Sorting puts the best-ranked first."""

    minus_class: int
    key: int


Row: TypeAlias = Mapping[Beacon, int]  # the distance of each beacon


def pruned_row(distances: Row, k: int) -> dict[Beacon, int]:
    """The entries that fewer than k better-ranked ones are at most as far as, nearest first.

    Args:
        distances: The least distance at which each beacon was offered.
        k: How many better-ranked beacons push one out.
    """
    row: dict[Beacon, int] = {}
    best: list[Beacon] = []  # the k best-ranked so far, which are at most as far as the next
    for distance, beacon in sorted((distance, beacon) for beacon, distance in distances.items()):
        place = bisect(best, beacon)
        if place < k:
            row[beacon] = distance
            best.insert(place, beacon)
            del best[k:]
    return row
