"""``directory``: ``beacons`` for a target that the sender knows by its profile alone.

The sender of the paper's message knows its target's attributes, and no sketch. So each agent leaves
its card with two of the best-ranked nodes, which its profile points to (:mod:`.cards`); a message
goes to the nearer of them first, learns the card there, and goes on as ``beacons`` do
(:mod:`.inquiry`). Whoever sees a node of that profile on the way sends the message there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, final, get_args

import numpy as np

from garden.errors import SpecError
from garden.graphs.ego import EgoGraphs, row_offsets
from garden.graphs.identity import profile_keys, word_sums
from garden.splitmix import GOLDEN, mixed
from garden.strategies.base import Selection, require_attributes
from garden.strategies.gossip.beacons import Beacons, Rank
from garden.strategies.gossip.inquiry import InquiryMemory
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.memory import BacktrackMemory, Memory, NoMemory
from garden.strategies.representations import Ragged, Representations

Sight = Literal["profile", "ego"]

IS_ONE, SEES_ONE = 2.0, 1.0


@final
@dataclass(frozen=True)
class Directory(GossipStrategy):
    """Ask the directory that the target's profile points to, then go as ``beacons`` do.

    A row holds the agent's sketch, its paths and its neighbours' keys as in ``beacons``, the key of
    its profile, and its neighbours' profiles. The score is what a holder sees of its neighbours'
    ego graphs: 2 for a neighbour with the target's profile, 1 for one that has such a neighbour, 0
    for others. All else depends on what the message has learned: see :meth:`with_memory`.

    Example:
        >>> from garden.strategies.gossip.directory import Directory
        >>> Directory(k=4).parameters
        {'k': 4, 'rank': 'degree', 'seed': 0, 'target': 'profile', 'paths': 1}

    """

    k: int = 16
    """How many directories there are, and how many better-ranked nodes push a beacon out."""

    rank: Rank = "degree"
    """Who becomes a beacon and a directory: nodes of high degree, or whoever has a small key."""

    seed: int = 0
    """What keys are hashed with in simulation."""

    target: Sight = "profile"
    """What a sender knows of its target: its profile, or its ego graph, which tells nodes of equal
    profiles apart."""

    paths: int = 1
    """How many better-ranked nodes within its distance leave a beacon without a path, in rows and
    cards, as in ``beacons``."""

    name: ClassVar[str] = "directory"
    selection: ClassVar[Selection] = "argmax"
    needs_attributes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _ = self.beacons  # refuses what is out of range
        if self.target not in get_args(Sight):
            choices = " or ".join(get_args(Sight))
            raise SpecError(f"directory: target={self.target}: choose {choices}")

    @cached_property
    def beacons(self) -> Beacons:
        """The strategy of a message that has learned its target's card."""
        return Beacons(self.k, self.rank, self.seed, paths=self.paths)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every option by its name, as the grammar of names spells it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def key_seed(self) -> int:  # type: ignore[override]
        """The seed that nodes' keys, and so the ranks of beacons, are hashed with."""
        return self.seed

    def with_memory(self, memory: Memory) -> InquiryMemory:
        """The memory of its messages: which directory they ask, and the rule on the way on.

        Args:
            memory: The rule of a message on its way to the owner of a card; without one it is
                `backtrack`, so that every message arrives.
        """
        by_ego = self.target == "ego"
        if isinstance(memory, NoMemory):
            return InquiryMemory(self.beacons, BacktrackMemory(), by_ego)
        return InquiryMemory(self.beacons, memory, by_ego, f"{InquiryMemory.name}, {memory.name}")

    def begin(self, egos: EgoGraphs, keys: np.ndarray) -> Representations:
        """A sketch of the agent itself, its neighbours' keys, and the profiles it sees.

        Args:
            egos: The ego graphs of a block of agents.
            keys: (num_members,) uint64, one per member of each ego graph.
        """
        return self.joined(self.beacons.begin(egos, keys), self.sight(egos, keys))

    def hear(
        self, own: Representations, neighbours: Representations, owner: np.ndarray
    ) -> Representations:
        """As ``beacons`` hear; what an agent sees stays the same.

        Args:
            own: The rows of the block as they stand.
            neighbours: The rows of their neighbours, one under another.
            owner: (num_neighbour_rows,) the row of the block that each belongs to, ascending.
        """
        return self.joined(self.beacons.hear(own, neighbours, owner), own)

    def sight(self, egos: EgoGraphs, keys: np.ndarray) -> Representations:
        """What agents see of profiles: their own, and their neighbours' with the neighbours' keys.

        Args:
            egos: The ego graphs of a block of agents.
            keys: One per member, as in :meth:`begin`.

        Returns:
            ``profile`` (num_egos,) uint64, and ``ego`` alike, the key of all profiles of an ego
            graph and of its number of edges; ``seen`` and ``seen_keys``, ragged and aligned.

        """
        require_attributes(egos, self.name)
        rows, place = np.unique(egos.members, return_inverse=True)
        profiles = profile_keys(egos.profiles[rows])[place]
        others = np.flatnonzero(~egos.is_centre)
        others = others[np.lexsort((keys[others], egos.owner[others]))]
        offsets = row_offsets(egos.degrees)
        return Representations(
            {"profile": profiles[egos.is_centre], "ego": _ego_keys(egos, profiles)},
            {
                "seen": Ragged(profiles[others], offsets),
                "seen_keys": Ragged(keys[others], offsets),
            },
        )

    @staticmethod
    def joined(sketches: Representations, sight: Representations) -> Representations:
        """Rows with what ``beacons`` keep and with what agents see.

        Args:
            sketches: The rows of ``beacons``.
            sight: What the same agents see, as :meth:`sight` gives it.
        """
        seen = {name: sight.ragged[name] for name in ("seen", "seen_keys")}
        own = {name: sight.arrays[name] for name in ("profile", "ego")}
        return Representations(own, {**sketches.ragged, **seen})

    def card(self, rows: Representations) -> Representations:
        """What a sender knows of its target: the key of its profile, or of its ego graph too."""
        known = ("profile", "ego") if self.target == "ego" else ("profile",)
        return Representations({name: rows.arrays[name] for name in known})

    def size_of(self, rows: Representations) -> tuple[np.ndarray, np.ndarray]:
        """Entries and bytes of each row, counted as `beacons` count them."""
        return self.beacons.size_of(rows)

    def told(
        self, before: Representations, after: Representations
    ) -> tuple[np.ndarray, np.ndarray]:
        """Entries and bytes that changed from one round to the next, as `beacons` count.

        Args:
            before: The rows that neighbours know.
            after: The new ones, aligned with them.
        """
        return self.beacons.told(before, after)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Whether each candidate has the target's profile, or a neighbour with it.

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows, of which the profile's key counts.

        Returns:
            (num_targets, num_candidates) float64.
        """
        wanted, wanted_of = np.unique(targets.arrays["profile"], return_inverse=True)
        table = np.zeros((len(wanted), len(candidates)))
        seen = candidates.ragged["seen"]
        for value, profiles, owner in (
            (SEES_ONE, seen.values, seen.owner),
            (IS_ONE, candidates.arrays["profile"], np.arange(len(candidates))),
        ):
            place = np.minimum(np.searchsorted(wanted, profiles), len(wanted) - 1)
            here = wanted[place] == profiles
            table[place[here], owner[here]] = value
        return table[wanted_of]

    def fixed_length(self, rows: Representations) -> np.ndarray:
        """The sketches as a table of one length, as `beacons` give it."""
        return self.beacons.fixed_length(rows)


def _ego_keys(egos: EgoGraphs, profiles: np.ndarray) -> np.ndarray:
    """A key per ego graph, the same whatever the order of its members, (num_egos,) uint64."""
    words = mixed(profiles ^ np.where(egos.is_centre, GOLDEN, np.uint64(0)))
    edges = np.diff(egos.edge_offsets).astype(np.uint64)
    return mixed(word_sums(words, egos.offsets) + mixed(edges))
