"""What an agent of ``beacons`` knows: sketches, which neighbours tell each other changes of."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, final

import numpy as np

from garden.peers.envelopes import MAX_UPDATES, Announcement, Update
from garden.peers.knowledge_base import Candidates, Knowledge, News
from garden.peers.rows import RowForm, encoded_row
from garden.peers.sketch_rows import (
    SketchArrays,
    path_arrays,
    sketch_arrays,
    sketch_row,
    sketch_rows,
)
from garden.peers.views import AgentView
from garden.strategies.gossip import maintenance
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.maintenance import SketchKeeper
from garden.strategies.gossip.sketches import CLASS_OF_RANK, Beacon, Row
from garden.strategies.representations import Representations

REST: Final = 0
"""How many digests a withdrawn beacon stays out of a sketch, for each hop that it was away.

Word of a lost beacon travels as fast as offers of it that rest on what others have not heard yet;
without a rest such offers outrun it for a while, over ever longer ways. With 4 that takes an eighth
of the envelopes, but hosts seem settled while beacons still rest elsewhere: so it is off.
"""


@final
class SketchKnowledge(Knowledge):
    """Sketches, which agents keep by telling each other what changes in them."""

    def __init__(self, strategy: Beacons, view: AgentView) -> None:
        super().__init__()
        self._strategy = strategy
        class_of = CLASS_OF_RANK[strategy.rank]
        self._keeper = SketchKeeper(
            view.key, strategy.k, class_of, view.neighbours, strategy.paths, REST
        )
        self._heard: list[maintenance.Envelope] = []
        self._ends: dict[int, tuple[int, ...]] = {}  # the neighbours of each neighbour
        self._made: dict[int, tuple[Row, tuple[int, ...], SketchArrays]] = {}
        self._untold: dict[int, list[maintenance.Envelope]] = {}
        self._unlisted: set[int] = set(view.neighbours)  # do not know the own neighbours
        self._listed: tuple[int, ...] = ()  # the own neighbours as they are told; empty: changed
        self._queue(self._keeper.greeting())
        self._form = RowForm.of(strategy.card(self.row), strategy, view.num_attributes)

    @property
    def keeper(self) -> SketchKeeper:
        """Its sketch, and its neighbours'."""
        return self._keeper

    @property
    def row(self) -> Representations:
        """The sketch with its paths, and the neighbours' keys not in it, best-ranked first."""
        row, rows = self._keeper.row, self._keeper.neighbour_rows
        ranked = sorted(_own_beacon(rows[key], key) for key in rows)
        sketch = sketch_row(row, [beacon.key for beacon in ranked])
        if not self._strategy.paths:
            return sketch
        return Representations({}, {**sketch.ragged, **path_arrays(self._keeper.paths)})

    @property
    def card_row(self) -> bytes:
        """The row as a card carries it: few neighbours, and steps of paths as entries."""
        return encoded_row(self._strategy.card(self.row))

    def decoded_target(self, data: bytes) -> Representations:
        """A card of the own form."""
        return self._form.decoded(data)

    def link_up(self, neighbour: int) -> None:
        """The keeper's link comes up, unless it was there from the start."""
        if neighbour not in self._keeper.neighbour_rows:
            self._queue(self._keeper.link_up(neighbour))
            self._unlisted, self._listed = set(self._keeper.neighbour_rows), ()
            self._candidates = None

    def link_down(self, neighbour: int) -> None:
        """The keeper's link goes down, and what is to be told over it is forgotten."""
        if neighbour not in self._keeper.neighbour_rows:
            return
        self._heard = [one for one in self._heard if one.sender != neighbour]
        self._queue(self._keeper.link_down(neighbour))
        for kept in (self._untold, self._ends, self._made):
            kept.pop(neighbour, None)
        self._unlisted, self._listed = set(self._keeper.neighbour_rows), ()
        self._candidates = None

    def hear(self, neighbour: int, announcement: Announcement) -> None:
        """Keep it until the next digest, so that many are answered together.

        Args:
            neighbour: Its key.
            announcement: Its updates, in their order, and its neighbours where they changed.
        """
        own = self._keeper.key
        for update in announcement.updates:
            entries = tuple([(_beacon(*beacon), far) for beacon, far in update.entries])
            withdrawn = tuple([_beacon(*beacon) for beacon in update.withdrawn])
            acknowledged = tuple([_beacon(*beacon) for beacon in update.acknowledged])
            paths = tuple([(_beacon(*beacon), path) for beacon, path in update.paths])
            self._heard.append(
                maintenance.Envelope(neighbour, own, entries, withdrawn, acknowledged, paths)
            )
        if announcement.neighbours is not None:
            self._ends[neighbour] = _shared(announcement.neighbours)
            self._candidates = None

    @property
    def wants_digest(self) -> bool:
        """Whether beacons stay out of the sketch for a while."""
        return self._keeper.is_resting

    def digest(self) -> None:
        """Hand all that was heard to the keeper."""
        if self._heard or self._keeper.is_resting:
            heard, self._heard = self._heard, []
            self._queue(self._keeper.receive(heard))
            if any(one.entries or one.withdrawn for one in heard):
                self._candidates = None

    def view_changed(self, view: AgentView) -> None:
        """Nothing: links tell the keeper what a sketch depends on."""

    def has_news(self, neighbour: int) -> bool:
        """Whether its copy of the row, or of the own neighbours, is old."""
        return neighbour in self._untold or neighbour in self._unlisted

    def take_news(self, neighbour: int) -> News:
        """Updates in their order, as many as fit into an announcement."""
        waiting = self._untold.pop(neighbour, [])
        if waiting[MAX_UPDATES:]:
            self._untold[neighbour] = waiting[MAX_UPDATES:]
        listed = None
        if neighbour in self._unlisted:
            self._unlisted.discard(neighbour)
            listed = self._listed = self._listed or tuple(sorted(self._keeper.neighbour_rows))
        updates = tuple(Update(*one[2:]) for one in waiting[:MAX_UPDATES])
        return News(None, updates, listed)

    def _queue(self, envelopes: list[maintenance.Envelope]) -> None:
        for envelope in envelopes:
            self._untold.setdefault(envelope.receiver, []).append(envelope)

    def _collected(self) -> Candidates:
        told = self._keeper.neighbour_rows
        keys = sorted(key for key in told if told[key])
        if not keys:
            nobody = sketch_row({}, ()).take(np.empty(0, dtype=np.int64))
            return Candidates(np.array(keys, dtype=np.uint64), nobody)
        rows = sketch_rows([self._neighbour_arrays(key, told[key]) for key in keys])
        return Candidates(np.array(keys, dtype=np.uint64), rows)

    def _neighbour_arrays(self, key: int, sketch: Row) -> SketchArrays:
        """A neighbour's row; made once for each state of its sketch and its neighbours."""
        ends = self._ends.get(key, ())
        made = self._made.get(key)
        if made is None or made[0] is not sketch or made[1] is not ends:
            made = self._made[key] = sketch, ends, sketch_arrays(sketch, ends)
        return made[2]


@lru_cache(maxsize=1 << 17)  # agents of one process hear of the same beacons
def _beacon(minus_class: int, key: int) -> Beacon:
    """The one object of a beacon, so that a thousand sketches share it."""
    return Beacon(minus_class, key)


@lru_cache(maxsize=1 << 16)
def _shared(keys: tuple[int, ...]) -> tuple[int, ...]:
    """The one object of a list of neighbours, which all of them are told."""
    return keys


def _own_beacon(row: Row, key: int) -> Beacon:
    """How a neighbour ranks, as its own entry says; last where it has told nothing yet."""
    for beacon in row:
        if beacon.key == key:
            return beacon
    return Beacon(1, key)
