"""Rules that read what neighbours' ego graphs show of the target, which the paper left out.

Nodes are recognised by their profile, never by an id, since that is all that an ego graph shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.strategies.base import (
    Ragged,
    Representations,
    Selection,
    Strategy,
    require_attributes,
)
from garden.strategies.profiles import key_counts, key_representations

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
        own, seen = _aligned_matches(candidates, targets)
        return np.maximum(2.0 * own, seen)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """2 for the target's profile at the centre, 1 for it elsewhere, else 0."""
        own, seen = _matches(candidates, targets)
        return np.maximum(2.0 * own, seen)


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
        own, seen = _aligned_matches(candidates, targets)
        around = targets.ragged["neighbours"]
        vocabulary = np.unique(around.values)
        shown = key_counts(_members(candidates), vocabulary)
        wanted = key_counts(around, vocabulary) > 0
        common = np.asarray(shown.multiply(wanted).sum(axis=1)).ravel()
        return OWN_MATCH * own + NEIGHBOUR_MATCH * seen + common

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring."""
        own, seen = _matches(candidates, targets)
        around = targets.ragged["neighbours"]
        vocabulary = np.unique(around.values)
        shown = key_counts(_members(candidates), vocabulary)
        wanted = (key_counts(around, vocabulary) > 0).astype(np.float64)
        return OWN_MATCH * own + NEIGHBOUR_MATCH * seen + (wanted @ shown.T).toarray()


def _members(rows: Representations) -> Ragged:
    """The keys of all members, centre included."""
    own, neighbours = np.asarray(rows.arrays["own"]), rows.ragged["neighbours"]
    values = np.insert(neighbours.values, neighbours.offsets[:-1], own)
    return Ragged(values, neighbours.offsets + np.arange(len(neighbours) + 1))


def _aligned_matches(
    candidates: Representations, targets: Representations
) -> tuple[np.ndarray, np.ndarray]:
    """Whether the target's profile stands at the centre, and at a neighbour, of each candidate."""
    wanted = np.asarray(targets.arrays["own"])
    neighbours = candidates.ragged["neighbours"]
    hits = neighbours.values == wanted[neighbours.owner]
    seen = np.bincount(neighbours.owner[hits], minlength=len(neighbours)) > 0
    return np.asarray(candidates.arrays["own"]) == wanted, seen


def _matches(
    candidates: Representations, targets: Representations
) -> tuple[np.ndarray, np.ndarray]:
    """The same for all pairs, each (num_targets, num_candidates) bool."""
    vocabulary, column = np.unique(np.asarray(targets.arrays["own"]), return_inverse=True)
    shown = key_counts(candidates.ragged["neighbours"], vocabulary) > 0
    own = np.asarray(candidates.arrays["own"])[None, :] == vocabulary[column][:, None]
    return own, shown.toarray().T[column]
