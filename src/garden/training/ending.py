"""When a training ends: its schedule, its patience, and the cool-down between the two.

A training whose validation has not improved for long is not simply cut off: a falling step size is
worth a good part of the gain, and a model at full step size jumps about its best. So the step size
first falls to 0 over a few updates, and then training ends.
"""

from __future__ import annotations

import math

from garden.training.methods.config import TrainingConfig
from garden.training.state import SeedProgress, TrainingState

NOTABLE = 0.001  # what a validation ratio must gain, where a cool-down follows, to count


def note_ratio(progress: SeedProgress, ratio: float, update: int) -> bool:
    """Count a validation; whether it is the best so far.

    Args:
        progress: a seed's record of its validations.
        ratio: the validation ratio.
        update: the update that was validated.
    """
    progress.stale += 1
    progress.idle += 1
    if ratio < progress.notable_ratio - NOTABLE:
        progress.notable_ratio, progress.idle = ratio, 0
    if ratio >= progress.best_ratio:
        return False
    progress.best_ratio, progress.best_update, progress.stale = ratio, update, 0
    return True


def has_lost_patience(state: TrainingState, config: TrainingConfig) -> bool:
    """Whether no seed has improved for as many validations as patience says."""
    if config.patience == 0 or state.cooling_since >= 0:
        return False
    if config.cooldown == 0:
        return all(seed.stale >= config.patience for seed in state.seeds)
    if state.update + config.cooldown >= config.updates:
        return False  # the schedule ends sooner than a cool-down would
    return all(seed.idle >= config.patience for seed in state.seeds)


def last_update(state: TrainingState, config: TrainingConfig) -> int:
    """The update at which training ends, as far as is known."""
    if state.cooling_since < 0:
        return config.updates
    return min(config.updates, state.cooling_since + config.cooldown)


def step_size(state: TrainingState, config: TrainingConfig) -> float:
    """The step size of the next update: the schedule's, or what a cool-down leaves of it."""
    scheduled = config.learning_rate * step_share(state.update, config)
    if state.cooling_since < 0:
        return scheduled
    height = config.learning_rate * step_share(state.cooling_since, config)
    left = 1 - (state.update - state.cooling_since) / config.cooldown
    return min(scheduled, height * left)


def step_share(update: int, config: TrainingConfig) -> float:
    """The share of the learning rate that the schedule gives an update."""
    if config.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * update / config.updates))
