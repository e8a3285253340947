"""Getting a strategy ready for a task: fitting on training nodes, tuning on validation targets.

Test targets play no part here.
"""

from __future__ import annotations

import numpy as np

from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.graphs.ego_extraction import ego_graphs
from garden.search.config import MaxHops
from garden.search.limits import PAPERS_LIMIT, limit_towards
from garden.search.progress import Progress, silent
from garden.search.score_blocks import score_blocks
from garden.search.temperature_sums import (
    RatioSums,
    Tuned,
    can_be_lowest,
    estimated_ratio_sums,
    exact_ratio_sums,
    exact_ratio_sums_of,
)
from garden.strategies.base import Fitted, Strategy, Tempered
from garden.strategies.representations import Representations

MAX_TUNING_TARGETS = 100
MAX_LONG_STEPS = 5e9  # edges × targets × hops × temperatures where the limit is a long one
TEMPERATURES = np.logspace(-4, 2, 25)  # four values a decade, without gaps


def prepare(
    strategy: Strategy, task: SearchTask, max_hops: MaxHops = "auto", progress: Progress = silent
) -> Strategy:
    """The strategy fitted and tuned as far as it asks for it; others come back as they are."""
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = strategy.fit(ego_graphs(task.graph, task.train_targets))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        strategy = strategy.with_temperature(best_temperature(strategy, task, max_hops, progress))
    return strategy


def best_temperature(
    strategy: Strategy, task: SearchTask, max_hops: MaxHops = "auto", progress: Progress = silent
) -> float:
    """The temperature with the lowest of the :func:`validation_ratios`, the first of equals.

    Estimates leave one, or a few that lie close together; only among a few are exact ratios asked.
    """
    ratios = validation_ratios(strategy, task, max_hops, progress, ratio_sums=estimated_ratio_sums)
    possible = can_be_lowest(ratios)
    if possible.sum() > 1:
        exact = exact_ratio_sums_of(possible)
        ratios = validation_ratios(strategy, task, max_hops, progress, ratio_sums=exact)
    return float(TEMPERATURES[np.argmin(ratios)])


def validation_ratios(
    strategy: Strategy,
    task: SearchTask,
    max_hops: MaxHops = "auto",
    progress: Progress = silent,
    temperatures: np.ndarray = TEMPERATURES,
    ratio_sums: RatioSums = exact_ratio_sums,
) -> np.ndarray:
    """The exact oracle ratio at each of the temperatures, (num_temperatures,).

    It is the mean over all sources and at most :data:`MAX_TUNING_TARGETS` validation targets,
    fewer where episodes are long; pairs further apart than the limit are left out. `auto` is the
    limit that the distances of those pairs ask for.
    """
    assert isinstance(strategy, Tempered)
    targets = _tuning_targets(task, MAX_TUNING_TARGETS)
    limit = limit_towards(max_hops, task.graph, targets)
    if limit > PAPERS_LIMIT:
        steps = len(task.graph.indices) * limit * len(temperatures)
        targets = _tuning_targets(task, max(1, min(len(targets), int(MAX_LONG_STEPS / steps))))
    unit = strategy.with_temperature(1.0)
    representations: Representations = unit.represent(ego_graphs(task.graph))
    totals, num_pairs = np.zeros(len(temperatures)), 0
    for block, scores in score_blocks(unit, representations, targets):
        hops_to = distances(task.graph, targets[block]).astype(np.float64)
        counted = (hops_to > 0) & (hops_to <= limit)  # the target itself is no source
        hops_to[~counted] = np.inf
        num_pairs += int(counted.sum())
        tuned = Tuned(task.graph, scores, unit.selection, targets[block], hops_to, limit)

        def advance(share: float, block: slice = block) -> None:
            done = block.start + share * (block.stop - block.start)
            progress(f"tuning {unit.name}", done, len(targets))

        totals += ratio_sums(tuned, temperatures, advance)
    return np.maximum(totals / num_pairs, 1.0)  # rounding alone takes it below


def _tuning_targets(task: SearchTask, most: int) -> np.ndarray:
    targets = task.validation_targets
    if len(targets) <= most:
        return targets
    return np.sort(np.random.default_rng([task.seed, 5]).choice(targets, most, replace=False))
