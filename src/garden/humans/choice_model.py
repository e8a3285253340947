"""What a person's choices go by: a conditional logit on two traits of each neighbour.

At each step a player sees neighbours j ∈ C and takes one, with probability

    P(j | C) = exp(β · x_j) / Σ_{k ∈ C} exp(β · x_k),    x_j = (ln degree_j, shared_j),

where shared_j counts the attributes that j has in common with the target. β is fitted by maximum
likelihood (Newton's method; the likelihood is concave), with intervals from the observed
information: β ± 1.96 sqrt(diag(H⁻¹)). A positive first weight seeks hubs, a positive second one
similarity. Steps at which the target itself was on offer say nothing about either and are left out,
as are those with one way only.

Reference: D. McFadden, "Conditional logit analysis of qualitative choice behavior", 1973.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from garden.humans.plays import Play, Step

MIN_STEPS = 5  # fewer say nothing
_MAX_ROUNDS = 100
_TOLERANCE = 1e-9
_RIDGE = 1e-9  # keeps the system solvable where a trait never differs
_Z = 1.959964  # of a 95 % interval
_FAR = 25.0  # a weight beyond it is one that the choices do not bound


@dataclass(frozen=True)
class Fit:
    """The weights of one player."""

    player: str
    num_steps: int
    weights: tuple[float, float] | None  # by trait; None where the choices do not tell
    lows: tuple[float, float] | None
    highs: tuple[float, float] | None

    def verdict(self, trait: int) -> str:
        """What an interval says of one trait."""
        if self.weights is None or self.lows is None or self.highs is None:
            return "cannot be told"
        if self.lows[trait] > 0:
            return "seeks"
        return "avoids" if self.highs[trait] < 0 else "undecided"


def choices_of(plays: Iterable[Play]) -> list[tuple[np.ndarray, int]]:
    """Traits of what was on offer, (num_offered, 2), and which was taken, of each telling step."""
    steps = (step for play in plays for step in play.steps)
    return [(traits(step), step.chosen) for step in steps if tells(step)]


def tells(step: Step) -> bool:
    """Whether a step says anything about what a player goes by."""
    return len(step.degrees) > 1 and not step.target_offered


def traits(step: Step) -> np.ndarray:
    """What is weighed of each neighbour on offer, (num_offered, 2): ln degree, shared."""
    return np.stack([np.log(np.maximum(step.degrees, 1)), np.asarray(step.shared, float)], axis=1)


def choice_probabilities(offered: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """How likely each neighbour on offer is taken, (num_offered,).

    Args:
        offered: Their traits, (num_offered, 2).
        weights: (2,), β of the model.
    """
    scores = offered @ weights
    probabilities: np.ndarray = np.exp(scores - scores.max())
    return probabilities / probabilities.sum()


def fit_players(plays: Sequence[Play]) -> list[Fit]:
    """A fit for each player, in order of their first play, and one for all of them together."""
    players = list(dict.fromkeys(play.player for play in plays))
    own = [fit(name, choices_of(p for p in plays if p.player == name)) for name in players]
    return [*own, fit("all", choices_of(plays))] if len(players) > 1 else own


def fit(player: str, choices: Sequence[tuple[np.ndarray, int]]) -> Fit:
    """The weights that make these choices most likely.

    Args:
        player: Whose they are.
        choices: As :func:`choices_of` gives them.

    Returns:
        Weights with 95 % intervals; without where there are too few choices, where a trait never
        differs, or where the choices follow one so strictly that no finite weight is best.
    """
    count = len(choices)
    nothing = Fit(player, count, None, None, None)
    if count < MIN_STEPS:
        return nothing
    weights = np.zeros(2)
    for _ in range(_MAX_ROUNDS):
        gradient, information = _derivatives(weights, choices)
        if np.linalg.eigvalsh(information)[0] < _RIDGE * count:
            return nothing
        step = np.linalg.solve(information, gradient)
        weights = weights + step / max(1.0, float(np.abs(step).max()))
        if np.abs(weights).max() > _FAR:
            return nothing
        if np.abs(step).max() < _TOLERANCE:
            break
    errors = np.sqrt(np.diag(np.linalg.inv(_derivatives(weights, choices)[1])))
    low, high = weights - _Z * errors, weights + _Z * errors
    return Fit(player, count, _pair(weights), _pair(low), _pair(high))


def _derivatives(
    weights: np.ndarray, choices: Sequence[tuple[np.ndarray, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of the log-likelihood, (2,), and the observed information, (2, 2)."""
    gradient, information = np.zeros(2), np.zeros((2, 2))
    for offered, chosen in choices:
        probabilities = choice_probabilities(offered, weights)
        mean = probabilities @ offered
        gradient += offered[chosen] - mean
        information += (offered.T * probabilities) @ offered - np.outer(mean, mean)
    return gradient, information


def _pair(values: np.ndarray) -> tuple[float, float]:
    return float(values[0]), float(values[1])
