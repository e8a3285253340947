"""Cards: what agents leave with a directory, so that a message that knows a profile finds them.

The k best-ranked nodes of a component stand in every settled sketch; they are its *directories*. A
profile p points to the two of them, of keys b, with the greatest

    mix(p ⊕ mix(b)),

mix being SplitMix64 and p the key of the profile: every agent of the component finds the same two,
and where one is replaced by another, only the cards that it held move. Each agent sends its card
(its sketch, its paths, the keys of some neighbours, its profile) to both, along distances that fall
by one with every hop, and the card notes the way it came. Nothing here sees more than rows: where a
card goes, and how far it is, stands in its owner's own row.

Reference: D. G. Thaler and C. V. Ravishankar, "Using name-based mappings to increase hit rates",
IEEE/ACM Trans. Netw. 6 (1998), highest random weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from garden.graphs.ego import begins_run
from garden.splitmix import mixed
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.paths import ARRAYS
from garden.strategies.gossip.sketches import (
    BYTES_PER_ENTRY,
    Columns,
    Entries,
    entries_of,
    own_entries,
)
from garden.strategies.representations import Representations

COPIES = 2
BYTES_PER_KEY = 8


@dataclass(frozen=True)
class CardCost:
    """What leaving the cards costs, and what directories keep."""

    directories: int
    """Nodes that keep cards."""

    cards_per_directory: float
    """Cards that one keeps, on average."""

    most_cards: int
    """Cards of the one that keeps the most."""

    bytes_per_directory: float
    """The bytes of its cards, on average."""

    most_bytes: int
    """Bytes of the one that keeps the most."""

    hops_per_node: float
    """Hops that an agent's cards make, all copies together, on average."""

    bytes_per_node: float
    """Bytes that they move, a card's bytes once for each of its hops."""


@dataclass(frozen=True, eq=False)
class Left(Columns):
    """All cards that were left with directories."""

    owner: np.ndarray  # (num_left,) the row whose card it is
    directory: np.ndarray  # (num_left,) uint64: the key of whoever keeps it
    distance: np.ndarray  # (num_left,) int64: hops from the owner to the directory

    def without(self, directory: int) -> Left:
        """The same where one directory has lost its cards."""
        return self.take(self.directory != np.uint64(directory))

    def by_profile(
        self, keys: np.ndarray, profiles: np.ndarray
    ) -> Mapping[tuple[int, int], np.ndarray]:
        """The rows whose cards a directory keeps for a profile, by (directory, profile).

        Args:
            keys: (num_rows,) uint64, the key of each row's agent, in whose order they come.
            profiles: (num_rows,) uint64, the key of each row's profile.
        """
        if len(self.owner) == 0:
            return {}
        profile = profiles[self.owner]
        order = np.lexsort((keys[self.owner], profile, self.directory))
        directory, profile = self.directory[order], profile[order]
        firsts = np.flatnonzero(begins_run(directory, profile))
        groups = np.split(self.owner[order], firsts[1:])
        names = zip(directory[firsts].tolist(), profile[firsts].tolist(), strict=True)
        return dict(zip(names, groups, strict=True))


def directories_of(rows: Representations, profiles: np.ndarray, k: int) -> Entries:
    """The directories that some profiles point to, as the agents with these rows find them.

    Args:
        rows: Settled rows, with sketches.
        profiles: (num_rows,) uint64: the profile that each of them looks for.
        k: How many directories a component has.

    Returns:
        Entries of the rows' own sketches, two for each row (fewer where the component has fewer
        nodes), the one of greatest weight first.

    """
    ranked = entries_of(rows, np.arange(len(rows)), hops=0).by_rank()
    best = ranked.take(place_of(ranked.owner, len(rows)) < k)
    weights = mixed(profiles[best.owner] ^ mixed(best.keys))
    best = best.take(np.lexsort((~weights, best.owner)))
    return best.take(place_of(best.owner, len(rows)) < COPIES)


def left_cards(rows: Representations, k: int) -> Left:
    """Where each agent leaves its card, from its own row.

    Args:
        rows: Settled rows with sketches, and the key of each one's ``profile``.
        k: How many directories a component has.

    """
    found = directories_of(rows, rows.arrays["profile"], k)
    return Left(found.owner, found.keys, found.distances)


def cards_of(rows: Representations, beacons: Beacons) -> Representations:
    """The card of each row: what ``beacons`` carry of a target, and the key of its ego graph.

    Args:
        rows: Settled rows of ``directory``, with the key of each one's ego graph.
        beacons: The strategy whose cards they are.
    """
    names = ("keys", "distances", "classes", "neighbours", *ARRAYS)
    held = {name: rows.ragged[name] for name in names if name in rows.ragged}
    sketches = Representations({}, held)
    return Representations({"ego": rows.arrays["ego"]}, beacons.card(sketches).ragged)


def card_bytes(cards: Representations) -> np.ndarray:
    """The bytes of each card: the keys of profile, ego graph and neighbours, and the sketch.

    Returns:
        (num_cards,) int64.

    """
    entries = np.diff(cards.ragged["keys"].offsets)
    others = np.diff(cards.ragged["neighbours"].offsets)
    return BYTES_PER_KEY * (2 + others) + BYTES_PER_ENTRY * entries


def cost_of(left: Left, cards: Representations) -> CardCost:
    """What it costs to leave cards with directories.

    A card carries the key of each node that sent it on, too: the way back to its owner.

    Args:
        left: Who left a card where.
        cards: The card of each node, one row per node.
    """
    size, hops = card_bytes(cards)[left.owner], left.distance
    moved = size * hops + BYTES_PER_KEY * hops * (hops + 1) // 2
    size = size + BYTES_PER_KEY * hops
    _, place = np.unique(left.directory, return_inverse=True)
    kept, kept_bytes = np.bincount(place), np.bincount(place, weights=size)
    return CardCost(
        directories=len(kept),
        cards_per_directory=float(kept.mean()),
        most_cards=int(kept.max()),
        bytes_per_directory=float(kept_bytes.mean()),
        most_bytes=int(kept_bytes.max()),
        hops_per_node=float(hops.sum() / len(cards)),
        bytes_per_node=float(moved.sum() / len(cards)),
    )


def own_keys(rows: Representations) -> np.ndarray:
    """The key of each row's agent, (num_rows,) uint64."""
    return own_entries(rows).keys


def place_of(owner: np.ndarray, num_rows: int) -> np.ndarray:
    """Which entry of its owner each is, 0 for the first.

    Args:
        owner: (num_entries,) the row of each entry, ascending.
        num_rows: How many rows there are.
    """
    counts = np.bincount(owner, minlength=num_rows)
    return np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
