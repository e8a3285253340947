"""Getting a strategy ready for a task: fitting on training nodes, tuning on validation targets.

Test targets play no part here.
"""

from __future__ import annotations

import numpy as np

from garden.datasets.task import SearchTask
from garden.graphs.paths import distances
from garden.graphs.views import ego_graphs
from garden.search.chain import chain_of_scores
from garden.search.progress import Progress, silent
from garden.search.scores import score_blocks
from garden.strategies.base import Fitted, Representations, Strategy, Tempered

MAX_TUNING_TARGETS = 100
TEMPERATURES = np.logspace(-4, 2, 25)  # four values a decade, without gaps


def prepare(
    strategy: Strategy, task: SearchTask, max_hops: int = 100, progress: Progress = silent
) -> Strategy:
    """The strategy fitted and tuned as far as it asks for it; others come back as they are."""
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = strategy.fit(ego_graphs(task.graph, task.train_targets))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        ratios = validation_ratios(strategy, task, max_hops, progress)
        strategy = strategy.with_temperature(float(TEMPERATURES[np.argmin(ratios)]))
    return strategy


def validation_ratios(
    strategy: Strategy,
    task: SearchTask,
    max_hops: int = 100,
    progress: Progress = silent,
    temperatures: np.ndarray = TEMPERATURES,
) -> np.ndarray:
    """The exact oracle ratio at each of the temperatures, (num_temperatures,).

    It is the mean over all sources and at most :data:`MAX_TUNING_TARGETS` validation targets.
    """
    assert isinstance(strategy, Tempered)
    targets = _tuning_targets(task)
    unit = strategy.with_temperature(1.0)
    representations: Representations = unit.represent(ego_graphs(task.graph))
    totals = np.zeros(len(temperatures))
    for block, scores in score_blocks(unit, representations, targets):
        hops_to = distances(task.graph, targets[block]).astype(np.float64)
        hops_to[hops_to == 0] = np.inf  # the target itself is no source
        for number, temperature in enumerate(temperatures):
            expected, _ = chain_of_scores(
                task.graph, scores / temperature, unit.selection, targets[block], max_hops
            )
            totals[number] += (expected / hops_to).sum()
            done = block.start * len(temperatures) + (number + 1) * (block.stop - block.start)
            progress(f"tuning {unit.name}", done, len(targets) * len(temperatures))
    return totals / (len(targets) * (task.graph.num_nodes - 1))


def _tuning_targets(task: SearchTask) -> np.ndarray:
    targets = task.validation_targets
    if len(targets) <= MAX_TUNING_TARGETS:
        return targets
    chosen = np.random.default_rng([task.seed, 5]).choice(
        targets, MAX_TUNING_TARGETS, replace=False
    )
    return np.sort(chosen)
