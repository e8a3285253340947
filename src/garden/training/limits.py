"""The limit of hops that a training's graph asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from garden.datasets.task import SearchTask
from garden.search.config import limit_towards
from garden.training.methods.config import TrainingConfig
from garden.training.training_graph import validation_targets_of


def with_limit(config: TrainingConfig, tasks: Sequence[SearchTask]) -> TrainingConfig:
    """The options with a number of hops in place of `auto`.

    It goes by the distances of all sources to the validation targets used, those of all seeds
    where several are trained as one stack.
    """
    targets = np.unique(np.concatenate([validation_targets_of(task) for task in tasks]))
    return replace(config, max_hops=limit_towards(config.max_hops, tasks[0].graph, targets))
