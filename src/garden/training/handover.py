"""The policies that a training hands over, and how they are chosen when it stops early.

A training that ran to its end hands over what validation called best. One that was stopped also
weighs the weights that it stopped at, which may be better than all that was validated before; this
concerns the policy handed over only, and what the training would continue from stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from garden.training.state import SeedProgress, TrainingState, is_stacked

HANDOVER_TEMPERATURES = (0.2, 0.25, 0.35, 0.5, 0.7, 1.0)
_LEAST_ERROR = 0.005  # of a validation ratio

Measure = Callable[[Sequence[float]], Tensor]
"""Validation ratios of the state's model, (num_temperatures, num_seeds, num_targets)."""


@dataclass(frozen=True, eq=False)
class HandedOver:
    """A stack of policies and how each came about."""

    weights: dict[str, Tensor]  # stacked, as in the state
    seeds: list[SeedProgress]

    @property
    def has_temperature(self) -> bool:
        """Whether the model has a temperature to choose."""
        return "temperature" in self.weights


def best_of_training(state: TrainingState) -> HandedOver:
    """What validation called best, as the state holds it: a choice made here is stored there."""
    return HandedOver(state.best, state.seeds)


def copy_of_best(state: TrainingState) -> HandedOver:
    """The same apart from the state, so that nothing is changed there."""
    weights = {name: tensor.clone() for name, tensor in state.best.items()}
    return HandedOver(weights, [replace(progress) for progress in state.seeds])


def weigh_last(handed: HandedOver, state: TrainingState, measure: Measure) -> None:
    """Take a seed's last weights where they score better than its best.

    Args:
        handed: the policies so far.
        state: the training as it stands.
        measure: gives validation ratios at some temperatures.
    """
    ratios = measure((1.0,))[0].mean(dim=1)
    for seed, progress in enumerate(handed.seeds):
        if float(ratios[seed]) >= progress.best_ratio:
            continue
        progress.best_ratio, progress.best_update = float(ratios[seed]), state.update
        for name, tensor in state.model.state_dict().items():
            if is_stacked(name):
                handed.weights[name][seed] = tensor[seed]


def choose_temperature(handed: HandedOver, state: TrainingState, measure: Measure) -> None:
    """Give each policy the temperature that validation asks for.

    Args:
        handed: the policies; their temperatures are set.
        state: the training as it stands.
        measure: gives validation ratios at some temperatures.
    """
    handed.weights["temperature"].fill_(1.0)
    last = {name: tensor.clone() for name, tensor in state.model.state_dict().items()}
    state.model.load_state_dict(handed.weights)
    try:
        ratios = measure(HANDOVER_TEMPERATURES)
    finally:
        state.model.load_state_dict(last)
    for seed, progress in enumerate(handed.seeds):
        place = best_temperature(ratios[:, seed])
        progress.temperature = HANDOVER_TEMPERATURES[place]
        progress.tempered_ratio = float(ratios[place, seed].mean())
        handed.weights["temperature"][seed] = progress.temperature


def best_temperature(ratios: Tensor) -> int:
    """The place of the temperature to use, from ratios (num_temperatures, num_targets).

    The highest within a standard error of the best: validation targets are few, and a policy that
    is too sure of itself walks in circles where it is wrong. An error below half a percent, as
    where all of them were reached without a detour, is taken for half a percent.
    """
    means = ratios.mean(dim=1)
    best = int(means.argmin())
    error = float(ratios[best].std(correction=0)) / math.sqrt(ratios.shape[1])
    error = max(error, _LEAST_ERROR)
    return int((means <= means[best] + error).nonzero().max())
