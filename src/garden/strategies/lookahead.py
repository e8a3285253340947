"""Rules that read what neighbours' ego graphs show of the target, which the paper left out.

Nodes are recognised by their profile, never by an id, since that is all that an ego graph shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy, require_attributes
from garden.strategies.ego_matching import Matches, matched_pairs, matched_table
from garden.strategies.profile_keys import key_representations
from garden.strategies.representations import Representations

OWN_MATCH = 1e6
NEIGHBOUR_MATCH = 1e5


@final
@dataclass(frozen=True)
class LookaheadWalker(Strategy):
    """A neighbour whose ego graph shows the target's profile wins, above all at its centre."""

    name: ClassVar[str] = "lookahead"
    selection: ClassVar[Selection] = "argmax"

    def represent(self, egos: EgoGraphs) -> Representations:
        """The keys of the centre's and its neighbours' profiles."""
        require_attributes(egos, self.name)
        return key_representations(egos)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """2 for the target's profile at the centre, 1 for it elsewhere, else 0."""
        matches = matched_pairs(candidates, targets)
        return np.maximum(2.0 * matches.own, matches.seen)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """2 for the target's profile at the centre, 1 for it elsewhere, else 0."""
        matches = matched_table(candidates, targets)
        return np.maximum(2.0 * matches.own, matches.seen)


@final
@dataclass(frozen=True)
class BidirectionalWalker(Strategy):
    """Lookahead, and before the target is in sight, the most members like its neighbours.

    The score is 10⁶ for the target's profile at the centre, 10⁵ for it at a neighbour, and one
    for each member of the ego graph whose profile equals that of one of the target's neighbours.
    """

    name: ClassVar[str] = "bidirectional"
    selection: ClassVar[Selection] = "argmax"

    def represent(self, egos: EgoGraphs) -> Representations:
        """The keys of the centre's and its neighbours' profiles."""
        require_attributes(egos, self.name)
        return key_representations(egos)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring."""
        return _bidirectional_score(matched_pairs(candidates, targets))

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring."""
        return _bidirectional_score(matched_table(candidates, targets))


def _bidirectional_score(matches: Matches) -> np.ndarray:
    return OWN_MATCH * matches.own + NEIGHBOUR_MATCH * matches.seen + matches.common
