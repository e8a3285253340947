"""What the agents of ``directory`` keep, and an index of it by the profile that is looked for.

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
from garden.strategies.gossip.sketches import own_entries
from garden.strategies.representations import Representations


@dataclass(frozen=True, eq=False)
class Archive:
    """The rows of all agents, and the cards that each keeps as a directory."""

    rows: Representations
    cards: Representations  # one per agent; numbers of cards point here
    kept: Mapping[tuple[int, int], np.ndarray]  # (directory, profile) → the rows whose cards

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

    def distances_to(self, beacon: int) -> np.ndarray:
        """How far each agent is from a beacon by its own sketch, (num_rows,) int64; −1: unknown."""
        entries = np.flatnonzero(self.rows.ragged["keys"].values == np.uint64(beacon))
        owner = np.searchsorted(self.rows.ragged["keys"].offsets, entries, side="right") - 1
        distances = np.full(len(self.rows), -1)
        distances[owner] = self.rows.ragged["distances"].values[entries]
        return distances

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


@dataclass(frozen=True, eq=False)
class Quest:
    """A profile that is looked for, with what rows say about it; each holder reads its own part."""

    profile: np.uint64
    ego: np.uint64 | None  # the key of the target's ego graph, where senders know it
    near: Mapping[int, list[int]]  # row → keys of its neighbours of that profile
    distances: dict[int, np.ndarray] = field(default_factory=dict)  # directory → (num_rows,)
    scores: dict[int, np.ndarray] = field(default_factory=dict)  # card → (num_rows,)
    recalled: dict[tuple[int, Any], tuple[np.ndarray, Any]] = field(default_factory=dict)
