"""How an agent keeps the paths of its row while links and nodes come and go.

A path (:mod:`.paths`) follows from the sketches of an agent and of its neighbours, which
:class:`.maintenance.SketchKeeper` keeps, and from the paths that the neighbours told. It goes on at
a neighbour one hop nearer to the beacon, so that once sketches rest, paths rest too: those to
beacons two hops away at once, and each other one when the path that it goes on in does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from garden.strategies.gossip.paths import LONGEST
from garden.strategies.gossip.sketches import Beacon, Row, pruned_row

Path: TypeAlias = tuple[int, ...]  # keys, the neighbour's first
Paths: TypeAlias = Mapping[Beacon, Path]


class KeptPaths:
    """The paths of one agent, those that its neighbours told, and what is to be told of its own."""

    def __init__(self, paths: int) -> None:
        self._paths = paths
        self._own: dict[Beacon, Path] = {}
        self._wanted: tuple[Row, list[tuple[Beacon, int]]] = ({}, [])  # of a row that was asked for
        self._told: dict[int, dict[Beacon, Path]] = {}  # by neighbour

    @property
    def own(self) -> Paths:
        """The path to each beacon that has one, as neighbours know it."""
        return self._own

    def hear(self, neighbour: int, paths: tuple[tuple[Beacon, Path], ...], row: Row) -> None:
        """A neighbour told paths; those to beacons that left its row are forgotten.

        Args:
            neighbour: Its key.
            paths: What it told, new or other than before.
            row: Its sketch as it now is.
        """
        before = self._told.get(neighbour)
        if not paths and before is not None and before.keys() <= row.keys():
            return
        known = {**(before or {}), **dict(paths)}
        self._told[neighbour] = {beacon: path for beacon, path in known.items() if beacon in row}

    def forget(self, neighbour: int) -> None:
        """Drop the paths that a neighbour told, as it is gone."""
        self._told.pop(neighbour, None)

    def update(self, row: Row, rows: Mapping[int, Row]) -> tuple[tuple[Beacon, Path], ...]:
        """Bring the own paths up to date; those that neighbours do not know.

        Args:
            row: The agent's sketch as it now is.
            rows: The last sketch of each neighbour, by its key.

        """
        if not self._paths:
            return ()
        before = self._own
        self._own = {
            beacon: path
            for beacon, distance in self._wanted_of(row)
            if (path := self._path(beacon, distance, rows))
        }
        return tuple(item for item in self._own.items() if before.get(item[0]) != item[1])

    def _wanted_of(self, row: Row) -> list[tuple[Beacon, int]]:
        """The beacons that get a path, and how far they are; found once for a row."""
        if self._wanted[0] is not row:
            kept = pruned_row(row, self._paths)
            self._wanted = row, [item for item in kept.items() if item[1] > 1]
        return self._wanted[1]

    def _path(self, beacon: Beacon, distance: int, rows: Mapping[int, Row]) -> Path:
        """The path over the neighbour of smallest key that is a hop nearer; () while none is."""
        nearer = [key for key, row in rows.items() if row.get(beacon) == distance - 1]
        if not nearer:
            return ()
        via = min(nearer)
        rest = self._told.get(via, {}).get(beacon, ()) if distance > 2 else ()
        return (via, *rest)[:LONGEST]
