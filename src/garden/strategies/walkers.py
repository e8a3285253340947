"""The paper's hand-written baselines, and the distances between profiles that they go by.

In the formulas v is a candidate, t the target, x their profiles and deg the degree. Departure from
the paper's text: it says that DistanceWalker's softmax runs over distances to the holder; the
distance to the target is meant, and used here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse as sp

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy, require_attributes
from garden.strategies.representations import Representations, Rows

_CANCELLED = 1e-6  # of the norms: below it, a squared distance has lost its digits
_PAIRS_PER_BLOCK = 1 << 16


@final
@dataclass(frozen=True)
class RandomWalker(Strategy):
    """A uniform choice: s(v, t) = 0, with softmax."""

    name: ClassVar[str] = "random"
    selection: ClassVar[Selection] = "softmax"
    needs_attributes: ClassVar[bool] = False

    def represent(self, egos: EgoGraphs) -> Representations:
        """Rows without content, (num_egos, 0)."""
        return Representations({"nothing": np.empty((len(egos), 0))})

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """0 for every candidate and target, (num_targets, num_candidates).

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows; neither matters.
        """
        return np.zeros((len(targets), len(candidates)))


@final
@dataclass(frozen=True)
class GreedyWalker(Strategy):
    """The neighbour of nearest profile: s(v, t) = −‖x_v − x_t‖₂, with argmax; ties are shared."""

    name: ClassVar[str] = "greedy"
    selection: ClassVar[Selection] = "argmax"

    def represent(self, egos: EgoGraphs) -> Representations:
        """The centre's own profile, (num_egos, num_attributes)."""
        return _profile_representations(egos, self.name)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """−‖x_c − x_t‖, minus the Euclidean distance of the two profiles, (num_pairs,).

        Args:
            candidates: Rows with a ``profile``.
            targets: As many.
        """
        return -aligned_profile_distances(candidates.arrays["profile"], targets.arrays["profile"])

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The same of every candidate and target, (num_targets, num_candidates).

        Args:
            candidates: Rows with a ``profile``.
            targets: Such rows too.
        """
        return -profile_distances(candidates.arrays["profile"], targets.arrays["profile"])


@final
@dataclass(frozen=True)
class DistanceWalker(Strategy):
    """A softmax over profile distances: s(v, t) = −‖x_v − x_t‖₂ / τ."""

    temperature: float | None = None
    """τ; tuned on validation targets where it is left open."""

    name: ClassVar[str] = "distance"
    selection: ClassVar[Selection] = "softmax"

    def __post_init__(self) -> None:
        _check_temperature(self.temperature)

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature τ, None until it is tuned."""
        return {"temperature": self.temperature}

    def with_temperature(self, temperature: float) -> DistanceWalker:
        """The same walker at this temperature."""
        return replace(self, temperature=temperature)

    def represent(self, egos: EgoGraphs) -> Representations:
        """The centre's own profile, (num_egos, num_attributes)."""
        return _profile_representations(egos, self.name)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Minus the Euclidean distance, over τ.

        Args:
            candidates: Rows with a ``profile``.
            targets: As many.

        Returns:
            (num_pairs,) float64.
        """
        distances = aligned_profile_distances(
            candidates.arrays["profile"], targets.arrays["profile"]
        )
        return -distances / _set_temperature(self)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Minus the Euclidean distance, over τ.

        Args:
            candidates: Rows with a ``profile``.
            targets: Such rows too.

        Returns:
            (num_targets, num_candidates) float64.
        """
        distances = profile_distances(candidates.arrays["profile"], targets.arrays["profile"])
        return -distances / _set_temperature(self)


@final
@dataclass(frozen=True)
class ConnectionWalker(Strategy):
    """A softmax over degrees, whatever the target: s(v, t) = deg(v) / τ."""

    temperature: float | None = None
    """τ; tuned on validation targets where it is left open."""

    name: ClassVar[str] = "connection"
    selection: ClassVar[Selection] = "softmax"
    needs_attributes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_temperature(self.temperature)

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature τ, None until it is tuned."""
        return {"temperature": self.temperature}

    def with_temperature(self, temperature: float) -> ConnectionWalker:
        """The same walker at this temperature."""
        return replace(self, temperature=temperature)

    def represent(self, egos: EgoGraphs) -> Representations:
        """The centre's degree, one number for each ego graph."""
        return Representations({"degree": egos.degrees.astype(np.float64)})

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The candidate's degree over τ, whatever the target, (num_targets, num_candidates).

        Args:
            candidates: Rows with a ``degree``.
            targets: num_targets rows, which do not matter.
        """
        scores = np.asarray(candidates.arrays["degree"]) / _set_temperature(self)
        return np.tile(scores, (len(targets), 1))


def profile_distances(candidates: Rows, targets: Rows) -> np.ndarray:
    """Euclidean distances of all pairs of profiles.

    Args:
        candidates: (num_candidates, num_attributes), dense or sparse.
        targets: (num_targets, num_attributes), dense or sparse.

    Returns:
        (num_targets, num_candidates) float64.

    """
    if isinstance(candidates, np.ndarray) and isinstance(targets, np.ndarray):
        from scipy.spatial.distance import cdist  # slow to import

        return cdist(targets, candidates)
    inner = (_float64(targets) @ _float64(candidates).T).toarray()
    norms = _squared_norms(targets)[:, None] + _squared_norms(candidates)[None, :]
    squared = norms - 2 * inner
    distances = np.sqrt(np.maximum(squared, 0.0))
    # Where nearly all of the norms cancels, so do the digits: those few are computed afresh.
    near = np.flatnonzero(squared < _CANCELLED * norms)
    for start in range(0, len(near), _PAIRS_PER_BLOCK):
        rows, columns = np.divmod(near[start : start + _PAIRS_PER_BLOCK], squared.shape[1])
        distances[rows, columns] = aligned_profile_distances(candidates[columns], targets[rows])
    return distances


def aligned_profile_distances(candidates: Rows, targets: Rows) -> np.ndarray:
    """Euclidean distances of aligned rows, (num_pairs,) float64.

    Args:
        candidates: (num_pairs, num_attributes), dense or sparse.
        targets: As many rows: target i goes with candidate i.
    """
    if isinstance(candidates, np.ndarray) and isinstance(targets, np.ndarray):
        difference = candidates.astype(np.float64) - targets
        return np.sqrt(np.einsum("ij,ij->i", difference, difference))
    difference = _float64(candidates) - _float64(targets)
    return np.sqrt(_squared_norms(difference))


def _profile_representations(egos: EgoGraphs, strategy: str) -> Representations:
    require_attributes(egos, strategy)
    return Representations({"profile": egos.centre_profiles})


def _check_temperature(temperature: float | None) -> None:
    if temperature is not None and not (np.isfinite(temperature) and temperature > 0):
        raise StrategyError(f"temperature {temperature}: it must be finite and positive")


def _set_temperature(walker: DistanceWalker | ConnectionWalker) -> float:
    if walker.temperature is None:
        raise StrategyError(
            f"the temperature of {walker.name} is open: give one, or tune it with "
            "garden.search.temperature_tuning.prepare(strategy, task)"
        )
    return walker.temperature


def _float64(rows: Rows) -> sp.csr_array:
    return sp.csr_array(rows, dtype=np.float64)


def _squared_norms(rows: Rows) -> np.ndarray:
    squares = _float64(rows)
    return np.asarray(squares.multiply(squares).sum(axis=1)).ravel()
