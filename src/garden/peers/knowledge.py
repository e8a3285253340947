"""What an agent knows of its neighbours, and what it tells them.

Agents of a strategy without rounds tell their row, made of their ego graph. Those of ``beacons``
tell what changes in their sketch. Either way an agent ends up with a row per neighbour, which it
scores against the row that a message carries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Final, NamedTuple, final

import numpy as np

from garden.errors import StrategyError
from garden.peers.envelopes import MAX_UPDATES, Announcement, Update
from garden.peers.rows import RowForm, encoded_row
from garden.peers.sketch_rows import (
    SketchArrays,
    path_arrays,
    sketch_arrays,
    sketch_row,
    sketch_rows,
)
from garden.peers.views import AgentView
from garden.strategies.base import Strategy, is_ready
from garden.strategies.gossip import maintenance
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.maintenance import CLASS_OF_RANK, SketchKeeper
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.gossip.sketches import Beacon, Row
from garden.strategies.representations import Representations, concatenated

REST: Final = 4
"""How many digests a withdrawn beacon stays out of a sketch, for each hop that it was away.

Word of a lost beacon travels as fast as offers of it that rest on what others have not heard yet.
Without a rest such offers outrun it, over ever longer ways.
"""


class Candidates(NamedTuple):
    """The neighbours that a message can go to, in the order of their keys."""

    keys: np.ndarray  # (num_candidates,) uint64
    rows: Representations  # one each


class News(NamedTuple):
    """What is to be told to a neighbour: the fields of an announcement."""

    row: bytes | None
    updates: tuple[Update, ...]
    neighbours: tuple[int, ...] | None


class Knowledge(ABC):
    """The rows of an agent and of its neighbours, and what is still to be told."""

    def __init__(self) -> None:
        self._candidates: Candidates | None = None

    @property
    @abstractmethod
    def row(self) -> Representations:
        """The agent's own representation, one row."""

    @property
    @abstractmethod
    def card_row(self) -> bytes:
        """What a message to this agent carries of it."""

    @abstractmethod
    def decoded_target(self, data: bytes) -> Representations:
        """The row of a target, out of a message."""

    @abstractmethod
    def link_up(self, neighbour: int) -> None:
        """A link is open: the neighbour is to be told everything."""

    @abstractmethod
    def link_down(self, neighbour: int) -> None:
        """A neighbour is gone: forget its row, and what was to be told to it."""

    @abstractmethod
    def hear(self, neighbour: int, announcement: Announcement) -> None:
        """A neighbour has told something.

        Args:
            neighbour: Its key.
            announcement: Its row, what changed in its sketch, or its neighbours.
        """

    @abstractmethod
    def digest(self) -> None:
        """Bring the own row up to date with what was heard."""

    @property
    def wants_digest(self) -> bool:
        """Whether the row may change without anything being heard, so that it is to be asked."""
        return False

    @abstractmethod
    def view_changed(self, view: AgentView) -> None:
        """The agent sees another ego graph."""

    @abstractmethod
    def has_news(self, neighbour: int) -> bool:
        """Whether there is something to tell a neighbour."""

    @abstractmethod
    def take_news(self, neighbour: int) -> News:
        """What is to be told to a neighbour, which is then known to have been told."""

    @property
    def candidates(self) -> Candidates:
        """The neighbours whose rows are known."""
        if self._candidates is None:
            self._candidates = self._collected()
        return self._candidates

    @abstractmethod
    def _collected(self) -> Candidates:
        """Keys and rows of all candidates, put together from what neighbours told."""


def knowledge_of(strategy: Strategy, view: AgentView) -> Knowledge:
    """The knowledge of an agent that has a view and nothing else.

    Args:
        strategy: Fitted and tuned; of those with rounds, ``beacons``.
        view: What the agent sees of the network.
    """
    if not is_ready(strategy):
        raise StrategyError(f"{strategy.name} is not fitted or tuned: cut peers with garden")
    if isinstance(strategy, Beacons):
        return SketchKnowledge(strategy, view)
    if isinstance(strategy, GossipStrategy):
        raise StrategyError(f"peers cannot run {strategy.name}: of strategies with rounds, beacons")
    return EgoKnowledge(strategy, view)


@final
class EgoKnowledge(Knowledge):
    """Rows of ego graphs, each told by its agent."""

    def __init__(self, strategy: Strategy, view: AgentView) -> None:
        super().__init__()
        self._strategy = strategy
        self._rows: dict[int, Representations] = {}
        self._untold: set[int] = set()
        self._linked: set[int] = set()
        self._row = strategy.represent_one(view.ego_graph())
        self._form = RowForm.of(self._row, strategy, view.num_attributes)
        self._encoded = encoded_row(self._row)

    @property
    def row(self) -> Representations:
        """Of the own ego graph."""
        return self._row

    @property
    def card_row(self) -> bytes:
        """The own row as bytes, which a message to this agent carries."""
        return self._encoded

    def decoded_target(self, data: bytes) -> Representations:
        """A row of the own form."""
        return self._form.decoded(data)

    def link_up(self, neighbour: int) -> None:
        """Note that the new neighbour is to be told the own row."""
        self._linked.add(neighbour)
        self._untold.add(neighbour)

    def link_down(self, neighbour: int) -> None:
        """Forget the neighbour's row, so that it is no candidate any more."""
        self._linked.discard(neighbour)
        self._untold.discard(neighbour)
        if self._rows.pop(neighbour, None) is not None:
            self._candidates = None

    def hear(self, neighbour: int, announcement: Announcement) -> None:
        """Keep the row that the neighbour announced, in place of its last one.

        Args:
            neighbour: Its key.
            announcement: One without a row says nothing here.
        """
        if announcement.row is not None:
            self._rows[neighbour] = self._form.decoded(announcement.row)
            self._candidates = None

    def digest(self) -> None:
        """Nothing: a row does not depend on the neighbours' rows."""

    def view_changed(self, view: AgentView) -> None:
        """Make the own row anew, and tell everybody."""
        self._row = self._strategy.represent_one(view.ego_graph())
        self._encoded = encoded_row(self._row)
        self._untold |= self._linked

    def has_news(self, neighbour: int) -> bool:
        """Whether it has not heard the row as it is."""
        return neighbour in self._untold

    def take_news(self, neighbour: int) -> News:
        """The own row for this neighbour, which counts as told from now on."""
        self._untold.discard(neighbour)
        return News(self._encoded, (), None)

    def _collected(self) -> Candidates:
        keys = sorted(self._rows)
        rows = [self._rows[key] for key in keys] or [self._row.take(np.empty(0, dtype=np.int64))]
        return Candidates(np.array(keys, dtype=np.uint64), concatenated(rows))


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
