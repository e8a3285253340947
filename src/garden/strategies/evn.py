"""Expected-value navigation: homophily and degree in one number.

Reference: Ö. Şimşek and D. Jensen, "Decentralized search in networks using homophily and degree
disparity", IJCAI 2005. Their estimate of how similarity begets links uses all attributes in the
network; here it is fitted on the ego graphs of training nodes alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, final

import numpy as np

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy, require_attributes
from garden.strategies.representations import Representations
from garden.strategies.walkers import aligned_profile_distances, profile_distances

MAX_FITTED_PAIRS = 500_000


@dataclass(frozen=True, eq=False)
class LinkCurve:
    """The chance q(d) that two nodes are linked, falling with the distance d of their profiles."""

    distances: np.ndarray  # (num_knots,) ascending
    probabilities: np.ndarray  # (num_knots,) in (0, 1), not ascending

    def __call__(self, distances: np.ndarray) -> np.ndarray:
        """Q at these distances, linear between the fitted ones, of the same shape."""
        return np.interp(distances, self.distances, self.probabilities)


@final
@dataclass(frozen=True)
class EVNWalker(Strategy):
    """The neighbour with the best chance that one of its links leads to the target, with argmax.

    With q = q(‖x_v − x_t‖₂) the chance of one link, that is 1 − (1 − q)^deg(v). The score

        s(v, t) = −deg(v) · log(1 − q)

    orders neighbours alike and does not saturate at 1. q is fitted by isotonic regression on pairs
    of neighbours within the ego graphs of training nodes.
    """

    curve: LinkCurve | None = field(default=None, repr=False)
    """q; fitted before use where it is left open."""

    name: ClassVar[str] = "evn"
    selection: ClassVar[Selection] = "argmax"

    @property
    def parameters(self) -> dict[str, Any]:
        """The ends of the fitted curve."""
        if self.curve is None:
            return {}
        return {
            "link_chance_nearest": float(self.curve.probabilities[0]),
            "link_chance_farthest": float(self.curve.probabilities[-1]),
        }

    @property
    def fitted(self) -> bool:
        """Whether there is a curve."""
        return self.curve is not None

    def fit(self, egos: EgoGraphs) -> EVNWalker:
        """Fit the curve on the pairs of neighbours, linked or not, inside these ego graphs."""
        require_attributes(egos, self.name)
        first, second = _neighbour_pairs(egos)
        if len(first) == 0:
            return replace(self, curve=LinkCurve(np.zeros(1), np.full(1, 0.5)))
        distances = _member_distances(egos, egos.members[first], egos.members[second])
        return replace(self, curve=_fit_curve(distances, _are_linked(egos, first, second)))

    def represent(self, egos: EgoGraphs) -> Representations:
        """The centre's own profile and its degree."""
        require_attributes(egos, self.name)
        degree = egos.degrees.astype(np.float64)
        return Representations({"profile": egos.centre_profiles, "degree": degree})

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring.

        Args:
            candidates: Rows with ``profile`` and ``degree``.
            targets: As many rows, of which the profile counts.

        Returns:
            (num_pairs,) float64.
        """
        distances = aligned_profile_distances(
            candidates.arrays["profile"], targets.arrays["profile"]
        )
        return -np.asarray(candidates.arrays["degree"]) * np.log1p(-self._fitted_curve()(distances))

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The score of the class docstring.

        Args:
            candidates: Rows with ``profile`` and ``degree``.
            targets: Rows of which the profile counts.

        Returns:
            (num_targets, num_candidates) float64.
        """
        distances = profile_distances(candidates.arrays["profile"], targets.arrays["profile"])
        return -np.asarray(candidates.arrays["degree"]) * np.log1p(-self._fitted_curve()(distances))

    def _fitted_curve(self) -> LinkCurve:
        if self.curve is None:
            raise StrategyError("evn is not fitted: call fit(egos) with training ego graphs first")
        return self.curve


def _neighbour_pairs(egos: EgoGraphs) -> tuple[np.ndarray, np.ndarray]:
    """Positions in ``egos.members`` of pairs of neighbours of one centre.

    All of them, or an even sample where there are more than :data:`MAX_FITTED_PAIRS`.
    """
    degrees = egos.degrees
    ends = np.cumsum(degrees * (degrees - 1) // 2)
    total = int(ends[-1]) if len(ends) else 0
    if total > MAX_FITTED_PAIRS:
        numbers = np.linspace(0, total - 1, MAX_FITTED_PAIRS).astype(np.int64)
    else:
        numbers = np.arange(total)
    ego = np.searchsorted(ends, numbers, side="right")
    within = numbers - np.where(ego > 0, ends[ego - 1], 0)
    # Pair number p of a centre is (i, j), i < j, with p = j (j − 1) / 2 + i.
    j = ((1 + np.sqrt(1 + 8 * within)) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > within
    i = within - j * (j - 1) // 2
    start = egos.offsets[ego] + 1
    return start + i, start + j


def _member_distances(egos: EgoGraphs, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of the profiles of aligned members; a pair that occurs often is compared once."""
    num_profiles = egos.profiles.shape[0]
    pairs, position = np.unique(first.astype(np.int64) * num_profiles + second, return_inverse=True)
    a, b = np.divmod(pairs, num_profiles)
    return aligned_profile_distances(egos.profiles[a], egos.profiles[b])[position]


def _are_linked(egos: EgoGraphs, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    num_members = np.int64(len(egos.members))
    once = egos.edges[:, egos.edges[0] < egos.edges[1]]
    edges = np.sort(once[0].astype(np.int64) * num_members + once[1])
    wanted = first * num_members + second
    position = np.minimum(np.searchsorted(edges, wanted), len(edges) - 1)
    linked: np.ndarray = edges[position] == wanted
    return linked


def _fit_curve(distances: np.ndarray, linked: np.ndarray) -> LinkCurve:
    from scipy.optimize import isotonic_regression  # slow to import

    # Half a pair of evidence keeps probabilities off 0 and 1, where degrees would cease to count.
    knots, group, sizes = np.unique(distances, return_inverse=True, return_counts=True)
    rates = np.bincount(group, weights=linked) / sizes
    fitted = isotonic_regression(rates, weights=sizes, increasing=False).x
    margin = 0.5 / (len(distances) + 1)
    return LinkCurve(knots, np.clip(fitted, margin, 1 - margin))
