"""Walkers that look for the target's profile in neighbours' ego graphs; none of the paper's does.

Nodes are recognised by profile keys, never by ids, which are no part of an ego graph. The match
indicators own, seen and common are those of :mod:`garden.strategies.ego_matching`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy, require_attributes
from garden.strategies.ego_matching import (
    Matches,
    key_representations,
    matched_at_holder,
    matched_table,
)
from garden.strategies.representations import Representations

OWN_MATCH = 1e6
NEIGHBOUR_MATCH = 1e5


@final
@dataclass(frozen=True)
class LookaheadWalker(Strategy):
    """A neighbour whose ego graph holds the target's profile, with argmax.

    s(v, t) = max(2 own, seen).
    """

    name: ClassVar[str] = "lookahead"
    selection: ClassVar[Selection] = "argmax"
    shows_links: ClassVar[bool] = True

    def represent(self, egos: EgoGraphs) -> Representations:
        """The keys of the centre's and its neighbours' profiles."""
        require_attributes(egos, self.name)
        return key_representations(egos)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring.

        Args:
            candidates: Rows of profile keys.
            targets: Such rows too.

        Returns:
            (num_targets, num_candidates) float64.
        """
        matches = _matched(candidates, targets)
        return np.maximum(2.0 * matches.own, matches.seen)


@final
@dataclass(frozen=True)
class BidirectionalWalker(Strategy):
    """Lookahead from both ends: s(v, t) = 10⁶ own + 10⁵ seen + common, with argmax.

    Before the target's profile is found, the neighbour leads whose ego graph has the most members
    with a profile of one of the target's neighbours.
    """

    name: ClassVar[str] = "bidirectional"
    selection: ClassVar[Selection] = "argmax"
    shows_links: ClassVar[bool] = True

    def represent(self, egos: EgoGraphs) -> Representations:
        """The keys of the centre's and its neighbours' profiles."""
        require_attributes(egos, self.name)
        return key_representations(egos)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring.

        Args:
            candidates: Rows of profile keys.
            targets: Such rows too.

        Returns:
            (num_targets, num_candidates) float64.
        """
        return _bidirectional_score(_matched(candidates, targets))


def _matched(candidates: Representations, targets: Representations) -> Matches:
    """The match indicators of all pairs, by the quick way where there is one target."""
    if len(targets) != 1:
        return matched_table(candidates, targets)
    return Matches(*(one[None] for one in matched_at_holder(candidates, targets)))


def _bidirectional_score(matches: Matches) -> np.ndarray:
    return OWN_MATCH * matches.own + NEIGHBOUR_MATCH * matches.seen + matches.common
