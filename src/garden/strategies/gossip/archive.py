"""What agents and messages of ``directory`` keep, and an index by the profile that is looked for.

A simulation holds all rows in one place; the rules of :mod:`.inquiry` read of them what a holder
may: its own row, its neighbours', and its own cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from garden.strategies.gossip.cards import own_keys
from garden.strategies.gossip.sketches import best_first, own_entries
from garden.strategies.representations import Representations


@dataclass(frozen=True, eq=False)
class Archive:
    """The rows of all agents, and the cards that each keeps as a directory."""

    rows: Representations
    cards: Representations  # one per agent; numbers of cards point here
    kept: Mapping[tuple[int, int], np.ndarray]  # (directory, profile) → the rows whose cards
    routes: Routes  # the way that each card came

    @cached_property
    def keys(self) -> np.ndarray:
        """The key of each agent, (num_rows,) uint64."""
        return own_keys(self.rows)

    @cached_property
    def card_keys(self) -> np.ndarray:
        """The key of each card's owner, (num_cards,) uint64."""
        return own_keys(self.cards)

    @cached_property
    def classes(self) -> np.ndarray:
        """The class of each agent, (num_rows,) int8."""
        return own_entries(self.rows).classes

    def with_profile_near(self, profile: np.uint64) -> dict[int, list[int]]:
        """The keys of each agent's neighbours of a profile, by row, where it has some."""
        seen = self.rows.ragged["seen"]
        entries = np.flatnonzero(seen.values == profile)
        rows = np.searchsorted(seen.offsets, entries, side="right") - 1
        near: dict[int, list[int]] = {}
        keys = self.rows.ragged["seen_keys"].values[entries]
        for row, key in zip(rows.tolist(), keys.tolist(), strict=True):
            near.setdefault(row, []).append(key)
        return near


class Routes:
    """The ways that cards came to directories, which they carry: keys of the nodes that sent them.

    Each sends a card on to a neighbour that is one hop nearer to the directory, the best-ranked.
    """

    def __init__(self, rows: Representations) -> None:
        self._rows = rows
        self._own = own_entries(rows)
        self._by_key = np.argsort(self._own.keys)
        self._known: dict[tuple[int, int], tuple[int, ...]] = {}
        self._distances: dict[int, np.ndarray] = {}

    def from_directory(self, directory: int, owner: int) -> tuple[int, ...]:
        """The keys of the nodes after a directory on the way to a card's owner, the last.

        Args:
            directory: The key of a directory.
            owner: The row of an agent that left a card there.
        """
        if (directory, owner) not in self._known:
            if directory not in self._distances:
                self._distances[directory] = distances_to(self._rows, directory)
            way = [owner]
            while self._distances[directory][way[-1]] > 1:
                way.append(self._next(self._distances[directory], way[-1]))
            keys = tuple(self._own.keys[way[::-1]].tolist())
            self._known[directory, owner] = keys
        return self._known[directory, owner]

    def _next(self, distances: np.ndarray, row: int) -> int:
        seen = self._rows.ragged["seen_keys"]
        keys = seen.values[seen.offsets[row] : seen.offsets[row + 1]]
        near = self._by_key[np.searchsorted(self._own.keys, keys, sorter=self._by_key)]
        near = near[distances[near] == distances[row] - 1]
        return int(near[best_first(self._own.keys[near], self._own.classes[near])[0]])


def distances_to(rows: Representations, beacon: int) -> np.ndarray:
    """How far each agent is from a beacon by its own sketch, (num_rows,) int64; −1: unknown.

    Args:
        rows: The rows of all agents.
        beacon: The key of the beacon.
    """
    keys = rows.ragged["keys"]
    entries = np.flatnonzero(keys.values == np.uint64(beacon))
    distances = np.full(len(rows), -1)
    owner = np.searchsorted(keys.offsets, entries, side="right") - 1
    distances[owner] = rows.ragged["distances"].values[entries]
    return distances


@dataclass(frozen=True, eq=False)
class Quest:
    """A profile that is looked for, with what rows say about it; each holder reads its own part."""

    profile: np.uint64
    ego: np.uint64 | None  # the key of the target's ego graph, where senders know it
    near: Mapping[int, list[int]]  # row → keys of its neighbours of that profile
    distances: dict[int, np.ndarray] = field(default_factory=dict)  # directory → (num_rows,)
    scores: dict[int, np.ndarray] = field(default_factory=dict)  # card → (num_rows,)
    recalled: dict[tuple[int, Any], tuple[np.ndarray, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Inquiry:
    """What a message carries beside its target's profile."""

    ask: tuple[int, ...] | None = None  # keys of directories not asked yet; None: at the source
    cards: tuple[int, ...] = ()  # of that profile; each number points at a card
    others: frozenset[int] = frozenset()  # keys of nodes of that profile that are not the target
    lost: frozenset[int] = frozenset()  # keys of such nodes behind links that are gone
    asking: int | None = None  # the key of the directory that it is under way to
    leg: int | None = None  # the card whose owner it is under way to; None: anywhere
    trail: Any = None  # the rule's state on that way; None: not under way by the rule
    hops_left: int = 0  # on that way, before it is given up
    home: int | None = None  # the key of the directory that the cards are from
    returning: bool = False  # whether it is on its way back there
    route: tuple[int, ...] = ()  # keys of the nodes ahead, as the card came from its owner
