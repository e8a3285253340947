"""Getting a strategy ready for a task: fitting on training nodes, tuning on validation targets.

The temperature τ divides all scores before the softmax. It is chosen from
:data:`TUNING_TEMPERATURES` by the exact oracle ratio on validation targets, ::

    R(τ) = mean over targets t and sources u of  E[min(H, T)] / d(u, t),

with the chains of :mod:`garden.search.chain`. Estimates that differ from R by rounding alone cost a
fraction of it and leave one or a few candidates; only among several are exact ratios computed. Test
targets play no part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads
from garden.random_streams import TUNING_TARGETS
from garden.search.chain import NEGLIGIBLE, chain_of_scores
from garden.search.config import PAPERS_LIMIT, MaxHops, limit_towards
from garden.search.progress import Progress, silent
from garden.search.rounds import representations_of
from garden.strategies.base import Selection, Strategy, score_blocks
from garden.strategies.protocols import Fitted, Tempered

MAX_TUNING_TARGETS = 100
MAX_LONG_STEPS = 5e9  # edges × targets × hops × temperatures where the limit is a long one
TUNING_TEMPERATURES = np.logspace(-4, 2, 25)  # four values a decade, without gaps

_ROUNDING = 1e-6  # relative; each way to sum rounds by about hops · degree · 1e-16
_MAX_SPREAD = 1200.0  # of scores / temperature about their middle that exp can hold
_ENTRIES = 1 << 18  # nodes × chains worked on at once
_MIN_CHAINS, _MAX_CHAINS = 8, 64  # solved at once by a thread

Advance = Callable[[float], None]
"""Called with the share of the work that is done."""


@dataclass(frozen=True, eq=False)
class TuningProblem:
    """What temperatures are compared on: some targets, and all sources."""

    graph: Graph
    scores: np.ndarray  # (num_targets, num_nodes) at temperature 1
    selection: Selection
    targets: np.ndarray  # (num_targets,)
    distances: np.ndarray  # (num_targets, num_nodes) float64; infinite where a source is left out
    max_hops: int


RatioSums = Callable[[TuningProblem, np.ndarray, Advance], np.ndarray]
"""Gives Σ E[min(H, T)] / d(u, t) for each of the temperatures, (num_temperatures,)."""


def exact_ratio_sums(
    problem: TuningProblem, temperatures: np.ndarray, advance: Advance
) -> np.ndarray:
    """The sums at each temperature by exact chains, one temperature after another.

    Args:
        problem: scores and sources towards some validation targets.
        temperatures: by which scores are divided, (num_temperatures,).
        advance: called as targets are done.

    Returns:
        (num_temperatures,).
    """
    sums = np.empty(len(temperatures))
    for number, temperature in enumerate(temperatures):
        expected, _ = chain_of_scores(
            problem.graph,
            problem.scores / temperature,
            problem.selection,
            problem.targets,
            problem.max_hops,
        )
        sums[number] = (expected / problem.distances).sum()
        advance((number + 1) / len(temperatures))
    return sums


def prepare(
    strategy: Strategy, task: SearchTask, max_hops: MaxHops = "auto", progress: Progress = silent
) -> Strategy:
    """The strategy, fitted and tuned where it asks for that.

    Args:
        strategy: A :class:`Fitted` one is fitted on the training nodes' ego graphs, a
            :class:`Tempered` one without a temperature is tuned; others come back as they are.
        task: The graph and its split.
        max_hops: The limit of hops that tuning plays with.
        progress: Called as tuning goes on.
    """
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = strategy.fit(ego_graphs(task.graph, task.train_targets))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        strategy = strategy.with_temperature(best_temperature(strategy, task, max_hops, progress))
    return strategy


def best_temperature(
    strategy: Strategy, task: SearchTask, max_hops: MaxHops = "auto", progress: Progress = silent
) -> float:
    """The minimiser over τ of the :func:`validation_ratios`; the lowest τ among equals.

    Args:
        strategy: fitted, at temperature 1.
        task: whose validation targets are used.
        max_hops: the limit, or `auto`.
        progress: called as the work goes on.
    """
    ratios = validation_ratios(strategy, task, max_hops, progress, ratio_sums=estimated_ratio_sums)
    possible = ratios <= ratios.min() * (1 + _ROUNDING)
    if possible.sum() > 1:
        exact = exact_ratio_sums_of(possible)
        ratios = validation_ratios(strategy, task, max_hops, progress, ratio_sums=exact)
    return float(TUNING_TEMPERATURES[np.argmin(ratios)])


def validation_ratios(
    strategy: Strategy,
    task: SearchTask,
    max_hops: MaxHops = "auto",
    progress: Progress = silent,
    temperatures: np.ndarray = TUNING_TEMPERATURES,
    ratio_sums: RatioSums = exact_ratio_sums,
) -> np.ndarray:
    """The oracle ratio R(τ) on validation targets at each temperature.

    At most :data:`MAX_TUNING_TARGETS` targets count, fewer where episodes are long; pairs further
    apart than the limit are left out.

    Args:
        strategy: A :class:`Tempered` one.
        task: The graph and its split.
        max_hops: The limit of hops; `auto` goes by the distances to the targets that count.
        progress: Called after each temperature or group of chains.
        temperatures: The values of τ, (num_temperatures,).
        ratio_sums: How the sums are computed: :func:`exact_ratio_sums`, or the cheaper
            :func:`estimated_ratio_sums`.

    Returns:
        (num_temperatures,) ratios, each at least 1.
    """
    assert isinstance(strategy, Tempered)
    targets = _tuning_targets(task, MAX_TUNING_TARGETS)
    limit = limit_towards(max_hops, task.graph, targets)
    if limit > PAPERS_LIMIT:
        steps = len(task.graph.indices) * limit * len(temperatures)
        targets = _tuning_targets(task, max(1, min(len(targets), int(MAX_LONG_STEPS / steps))))
    unit = strategy.with_temperature(1.0)
    representations = representations_of(task.graph, unit)
    totals, num_pairs = np.zeros(len(temperatures)), 0
    for block, scores in score_blocks(unit, representations, targets):
        lengths = distances(task.graph, targets[block]).astype(np.float64)
        counted = (lengths > 0) & (lengths <= limit)  # the target itself is no source
        lengths[~counted] = np.inf
        num_pairs += int(counted.sum())
        problem = TuningProblem(task.graph, scores, unit.selection, targets[block], lengths, limit)

        def advance(share: float, block: slice = block) -> None:
            done = block.start + share * (block.stop - block.start)
            progress(f"tuning {unit.name}", done, len(targets))

        totals += ratio_sums(problem, temperatures, advance)
    return np.maximum(totals / num_pairs, 1.0)  # rounding alone takes it below


def _tuning_targets(task: SearchTask, most: int) -> np.ndarray:
    targets = task.validation_targets
    if len(targets) <= most:
        return targets
    draws = np.random.default_rng([task.seed, TUNING_TARGETS])
    return np.sort(draws.choice(targets, most, replace=False))


def estimated_ratio_sums(
    problem: TuningProblem, temperatures: np.ndarray, advance: Advance
) -> np.ndarray:
    """The same up to rounding: many chains at once where exp can hold the scores over τ.

    Args:
        problem: Scores and sources towards some validation targets.
        temperatures: By which scores are divided, (num_temperatures,).
        advance: Called with the share of chains that are solved.

    Returns:
        (num_temperatures,).
    """
    try:
        from garden.search import chain_kernels  # noqa: F401
    except ImportError:  # no numba on this machine
        return exact_ratio_sums(problem, temperatures, advance)
    spread = np.ptp(problem.scores, axis=1).max(initial=0.0)
    held = (spread <= _MAX_SPREAD * temperatures) & (problem.selection == "softmax")
    share = float(held.mean())
    sums = np.empty(len(temperatures))
    sums[held] = _sums_of_many_chains(
        problem, temperatures[held], lambda done: advance(share * done)
    )
    sums[~held] = exact_ratio_sums(
        problem, temperatures[~held], lambda done: advance(share + (1 - share) * done)
    )
    return sums


def exact_ratio_sums_of(chosen: np.ndarray) -> RatioSums:
    """A function for exact sums at ``chosen`` temperatures (bool mask) and infinity elsewhere."""

    def ratio_sums(
        problem: TuningProblem, temperatures: np.ndarray, advance: Advance
    ) -> np.ndarray:
        sums = np.full(len(temperatures), np.inf)
        sums[chosen] = exact_ratio_sums(problem, temperatures[chosen], advance)
        return sums

    return ratio_sums


def _sums_of_many_chains(
    problem: TuningProblem, temperatures: np.ndarray, advance: Advance
) -> np.ndarray:
    from garden.search.chain_kernels import ratio_sums

    graph, per_hop = problem.graph, 1 / problem.distances
    rows, numbers = (axis.ravel() for axis in np.indices((len(per_hop), len(temperatures))))
    sums = np.empty(len(rows))
    fitting = _ENTRIES // graph.num_nodes // _MIN_CHAINS * _MIN_CHAINS
    size = min(max(fitting, _MIN_CHAINS), _MAX_CHAINS)
    done = []

    def solve(group: int) -> None:
        chains = slice(group * size, (group + 1) * size)
        ratio_sums(
            graph.indptr,
            graph.indices,
            problem.scores,
            rows[chains],
            temperatures[numbers[chains]],
            problem.targets[rows[chains]],
            problem.max_hops,
            NEGLIGIBLE,
            per_hop,
            sums[chains],
        )
        done.append(group)
        advance(min(1.0, len(done) * size / len(rows)))

    map_in_threads(solve, range(-(-len(rows) // size)))
    total: np.ndarray = sums.reshape(len(per_hop), len(temperatures)).sum(axis=0)
    return total
