"""``beacons``: near-shortest paths on any graph, where neighbours may talk before they search.

Each agent keeps a sketch (:mod:`.sketches`): its distances to a few *beacons*. A message carries
its target's *card*: the target's sketch and the keys of some of its neighbours. For a candidate v
and the target t, both with their neighbours as entries at distance 1,

    sum(v, t) = min over common entries u of d(v, u) + d(u, t)  ≥  d(v, t)

    bound(v, t) = max over common entries u of |d(v, u) − d(u, t)|  ≤  d(v, t)

and the holder chooses the neighbour of least sum; among equals, the one of least bound, then the
one whose sum more entries reach, then the one with more entries at one hop more; what still ties
shares the chance. It needs neither training nor attributes, and its agents know more than the
paper's: they have heard their neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, final, get_args

import numpy as np

from garden.errors import SpecError, expect
from garden.graphs.ego import EgoGraphs, row_offsets
from garden.strategies.base import Selection
from garden.strategies.gossip.paths import (
    BYTES_PER_STEP,
    Steps,
    heard_paths,
    no_paths,
    steps_of,
    with_steps_as_entries,
)
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.gossip.sketches import (
    BYTES_PER_ENTRY,
    MAX_DISTANCE,
    Entries,
    best_first,
    degree_classes,
    entries_of,
    num_adjacent,
    own_entries,
    pruned,
    shortened,
    without_first,
)
from garden.strategies.representations import Ragged, Representations

Rank = Literal["degree", "hash"]

HOP = 2.0**36  # one hop of the sum, in scores
BOUND = 2.0**20  # one hop of the bound
TIE = 2.0**10  # one entry that reaches the sum
MOST_COUNTED = 1023
MOST_SEED = 2**64 - 1  # what fits beside a name in the hash
NO_COMMON_ENTRY = -(2.0**53)  # below the score of any sum
RULE = 2  # of these scores; results by another rule are made anew


@final
@dataclass(frozen=True)
class Beacons(GossipStrategy):
    """Go where a common beacon promises the shortest path.

    Scores are whole numbers that float64 holds exactly:

        −sum · 2³⁶ + (65535 − bound) · 2²⁰ + min(c₀, 1023) · 2¹⁰ + min(c₁, 1023)

    where c₀ entries reach the sum and c₁ reach one hop more; −2⁵³ where candidate and target have
    no common entry.

    Example:
        >>> from garden.strategies.gossip.beacons import Beacons
        >>> Beacons(k=4).parameters
        {'k': 4, 'rank': 'degree', 'seed': 0, 'neighbours': 64, 'paths': 1}

    """

    k: int = 16
    """How many better-ranked nodes within its distance push a beacon out of a sketch."""

    rank: Rank = "degree"
    """Who becomes a beacon: nodes of high degree, or whoever has a small key."""

    seed: int = 0
    """What keys are hashed with in simulation."""

    neighbours: int = 64
    """How many of the target's neighbours' keys a card carries at most, the best-ranked."""

    paths: int = 1
    """How many better-ranked nodes within its distance leave a beacon without a path in the row
    (:mod:`.paths`); at most k, and 0 for no paths."""

    name: ClassVar[str] = "beacons"
    selection: ClassVar[Selection] = "argmax"
    needs_attributes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field, least in (("k", 1), ("seed", 0), ("neighbours", 0), ("paths", 0)):
            value = getattr(self, field)
            expect(field, value, int, otherwise="a whole number")
            if value < least:
                raise SpecError(f"beacons: {field}={value}: it must be {least} or more")
        if self.paths > self.k:
            raise SpecError(f"beacons: paths={self.paths}: it must be at most k={self.k}")
        if self.seed > MOST_SEED:
            raise SpecError(f"beacons: seed={self.seed}: it must be below 2⁶⁴")
        if self.rank not in get_args(Rank):
            choices = " or ".join(get_args(Rank))
            raise SpecError(f"beacons: rank={self.rank}: choose {choices}")

    @property
    def parameters(self) -> dict[str, Any]:
        """Every option by its name, as the grammar of names spells it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def key_seed(self) -> int:  # type: ignore[override]
        """The seed that nodes' keys, and so the ranks of beacons, are hashed with."""
        return self.seed

    def classes(self, degrees: np.ndarray) -> np.ndarray:
        """The class of nodes of these degrees, (num_nodes,) int8; one for all by ``hash``."""
        if self.rank == "hash":
            return np.zeros(len(degrees), dtype=np.int8)
        return degree_classes(degrees)

    def begin(self, egos: EgoGraphs, keys: np.ndarray) -> Representations:
        """A sketch of the agent itself, and its neighbours' keys.

        Args:
            egos: The ego graphs of a block of agents.
            keys: (num_members,) uint64, one per member of each ego graph.
        """
        rows, here = np.arange(len(egos)), np.zeros(len(egos), dtype=np.int64)
        own = Entries(rows, keys[egos.offsets[:-1]], here, self.classes(egos.degrees))
        others = ~egos.is_centre
        order = np.lexsort((keys[others], egos.owner[others]))
        neighbours = Ragged(keys[others][order], row_offsets(egos.degrees))
        found = no_paths(len(egos)) if self.paths else {}
        return Representations({}, {**own.arrays(len(egos)), "neighbours": neighbours, **found})

    def hear(
        self, own: Representations, neighbours: Representations, owner: np.ndarray
    ) -> Representations:
        """The pruned union of the own entry and the neighbours' entries one hop further.

        Paths go over the neighbour of smallest key that is nearest to the beacon.

        Args:
            own: The rows of the block as they stand.
            neighbours: The rows of their neighbours, one under another.
            owner: (num_neighbour_rows,) the row of the block that each belongs to, ascending.
        """
        mine, theirs = own_entries(own), entries_of(neighbours, owner, hops=1)
        sketches = pruned(mine.followed_by(theirs), self.k, len(own))
        ranked = _ranked_neighbours(own_entries(neighbours), owner, len(own))
        rest = without_first(ranked, num_adjacent(sketches))
        found = heard_paths(sketches, neighbours, owner, self.paths) if self.paths else {}
        return Representations({}, {**sketches.ragged, "neighbours": rest, **found})

    def card(self, rows: Representations) -> Representations:
        """The rows with at most :attr:`neighbours` neighbours, those in the sketch included.

        Whoever stands on a path of the row is an entry of the card.
        """
        rows = with_steps_as_entries(rows)
        entries, others = rows.ragged["distances"].values, rows.ragged["neighbours"].values
        if len(others) + np.count_nonzero(entries == 1) <= self.neighbours:
            return rows  # which no row among them can exceed
        room = self.neighbours - num_adjacent(rows)
        few = shortened(rows.ragged["neighbours"], room)
        return Representations({}, {**rows.ragged, "neighbours": few})

    @staticmethod
    def rows_are_sound(rows: Representations, num_attributes: int) -> bool:
        """Whether each sketch has as many keys as distances and classes.

        Args:
            rows: Of the names, types and shapes of the peer's own row.
            num_attributes: How many attributes profiles have; sketches hold none of them.
        """
        offsets = [rows.ragged[name].offsets for name in ("keys", "distances", "classes")]
        return np.array_equal(offsets[0], offsets[1]) and np.array_equal(offsets[0], offsets[2])

    def size_of(self, rows: Representations) -> tuple[np.ndarray, np.ndarray]:
        """The entries of each sketch, 11 bytes each, and the bytes of its paths, 8 a key.

        Neighbours' keys are not counted.
        """
        entries = np.diff(rows.ragged["keys"].offsets)
        steps = np.bincount(steps_of(rows).owner, minlength=len(rows))
        return entries, entries * BYTES_PER_ENTRY + steps * BYTES_PER_STEP

    def told(
        self, before: Representations, after: Representations
    ) -> tuple[np.ndarray, np.ndarray]:
        """The entries that are new or at another distance, and the steps of new paths.

        Args:
            before: The rows that neighbours know.
            after: The new ones, aligned with them.

        Returns:
            Entries and bytes, (num_rows,) int64 each.
        """
        nodes = np.arange(len(after))
        known, new = entries_of(before, nodes, hops=0), entries_of(after, nodes, hops=0)
        entries = _num_new(known, new, len(after))
        steps = _num_new(steps_of(before), steps_of(after), len(after))
        return entries, entries * BYTES_PER_ENTRY + steps * BYTES_PER_STEP

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Minus the least sum of distances, with bound and counts in its lower digits.

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows, whole or cut to cards already.

        Returns:
            (num_targets, num_candidates) float64.
        """
        cards = self.card(targets)
        try:
            from garden.strategies.gossip.score_kernel import score_table
        except ImportError:  # no numba on this machine
            return plain_scores(candidates, cards)
        return score_table(candidates, cards)

    def fixed_length(self, rows: Representations) -> np.ndarray:
        """Distances to the k best-ranked beacons of each sketch, (num_rows, k).

        −1 where there are fewer. In settled sketches of one component they are the same beacons
        everywhere, in one order.
        """
        entries = entries_of(rows, np.arange(len(rows)), hops=0).by_rank()
        place = np.arange(len(entries.keys)) - rows.ragged["keys"].offsets[entries.owner]
        table = np.full((len(rows), self.k), -1, dtype=np.float32)
        best = place < self.k
        table[entries.owner[best], place[best]] = entries.distances[best]
        return table


def plain_scores(candidates: Representations, cards: Representations) -> np.ndarray:
    """The scores of all pairs, one target after another: what the compiled table equals.

    Args:
        candidates: num_candidates rows.
        cards: num_targets rows, cut to what a message carries.

    Returns:
        (num_targets, num_candidates) float64.

    """
    theirs = _with_neighbours(candidates)
    targets = _with_neighbours(cards)
    ends = np.searchsorted(targets.owner, np.arange(len(cards) + 1))
    table = np.empty((len(cards), len(candidates)))
    for number in range(len(cards)):
        target = targets.take(np.arange(ends[number], ends[number + 1]))
        table[number] = _scores_towards(theirs, target, len(candidates))
    return table


def _scores_towards(theirs: Entries, target: Entries, num_candidates: int) -> np.ndarray:
    order = np.argsort(target.keys)
    place = np.minimum(np.searchsorted(target.keys[order], theirs.keys), len(order) - 1)
    common = target.keys[order][place] == theirs.keys
    owner, near = theirs.owner[common], theirs.distances[common]
    far = target.distances[order][place[common]]
    sums, best = near + far, np.full(num_candidates, np.iinfo(np.int64).max)
    np.minimum.at(best, owner, sums)
    bound = np.zeros(num_candidates, dtype=np.int64)
    np.maximum.at(bound, owner, np.abs(near - far))
    reach = np.bincount(owner[sums == best[owner]], minlength=num_candidates)
    nearly = np.bincount(owner[sums == best[owner] + 1], minlength=num_candidates)
    ties = np.minimum(reach, MOST_COUNTED) * TIE + np.minimum(nearly, MOST_COUNTED)
    ties += (MAX_DISTANCE - bound) * BOUND
    return np.where(reach > 0, ties - np.where(reach > 0, best, 0) * HOP, NO_COMMON_ENTRY)


def _num_new(before: Entries | Steps, after: Entries | Steps, num_rows: int) -> np.ndarray:
    """How many entries or steps of each row were not in it before, (num_rows,) int64."""
    known, new = (
        list(zip(*(column.tolist() for column in vars(some).values()), strict=True))
        for some in (before, after)
    )
    old = set(known)
    fresh = np.array([word not in old for word in new], dtype=bool)
    return np.bincount(after.owner[fresh], minlength=num_rows)


def _with_neighbours(rows: Representations) -> Entries:
    """The entries of each row, its neighbours' keys at distance 1 among them, by owner."""
    sketch = entries_of(rows, np.arange(len(rows)), hops=0)
    others = rows.ragged["neighbours"]
    one = np.ones(len(others.values), dtype=np.int64)
    no_class = np.zeros(len(others.values), dtype=np.int8)
    both = sketch.followed_by(Entries(others.owner, others.values, one, no_class))
    return both.take(np.argsort(both.owner, kind="stable"))


def _ranked_neighbours(theirs: Entries, owner: np.ndarray, num_agents: int) -> Ragged:
    """The keys of each agent's neighbours, the best-ranked first."""
    order = best_first(theirs.keys, theirs.classes)
    order = order[np.argsort(owner[order], kind="stable")]
    return Ragged(theirs.keys[order], row_offsets(np.bincount(owner, minlength=num_agents)))
