"""Several strategies on the same pairs, their results side by side.

:func:`compare` tunes each strategy, makes representations once per strategy, evaluates every
contender exactly (:mod:`garden.search.chain`) or by sampled walks (:mod:`garden.search.rollout`),
and computes the metrics of :mod:`garden.search.metrics`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.chain import hop_distributions
from garden.search.config import PAPERS_LIMIT, EvaluationConfig, limit_of
from garden.search.metrics import (
    PairOutcomes,
    by_distance,
    expected_hops,
    mean_ratio,
    oracle_ratio_interval,
    oracle_ratios,
    win_shares,
)
from garden.search.progress import Progress, silent
from garden.search.report import Report, StrategyResult
from garden.search.rollout import rollout, sampled_distributions
from garden.search.rounds import Settled, settle
from garden.search.temperature_tuning import prepare
from garden.strategies.base import (
    MAX_KEPT,
    ScoreMemo,
    Strategy,
    check_declarations,
    is_ready,
)
from garden.strategies.memory import Memory

MAX_EXACT_STEPS = 2e11  # edges × targets × hops, minutes on two cores; beyond it walks are sampled
MAX_LONG_STEPS = 2e10  # the same where the limit of hops is longer than the paper's
DISTRIBUTION_ENTRIES = 1 << 21  # per strategy and block of pairs
SCORE_ENTRIES = MAX_KEPT // 2  # per strategy and block: a memo keeps two such tables


@dataclass(frozen=True)
class Contender:
    """A strategy with the memory it plays with, under the name that reports give it."""

    label: str
    strategy: Strategy
    memory: Memory


@dataclass(frozen=True)
class _Player:
    """A contender that is ready to play."""

    contender: Contender  # with its strategy fitted and tuned
    settled: Settled
    evaluation: str  # "exact" or "sampled"
    seed: int  # of its walks


def compare(
    task: SearchTask,
    contenders: Sequence[Contender],
    config: EvaluationConfig,
    progress: Progress = silent,
    seen_targets: bool = False,
    views: Graph | None = None,
) -> Report:
    """Tune, play and compare.

    Args:
        task: The graph, its split and its pairs.
        contenders: Strategies with their memories; those that share a strategy object share its
            tuning, representations and scores.
        config: Which pairs are played, and how.
        progress: Called as the work goes on.
        seen_targets: Whether a policy's training may have seen the targets; goes to the report.
        views: The graph that representations are made from, where it is not the one that messages
            travel on; it has the same nodes.

    Returns:
        A report whose results stand in the order of the contenders, and whose options hold the
        limit of hops that was played with, where `auto` was asked for.
    """
    if not contenders:
        raise SpecError("no strategy to evaluate: name at least one")
    graph = task.graph
    pairs = evaluated_pairs(task, config)
    distances = pair_distances(graph, pairs)
    ready = _prepared(contenders, task, config, progress, views or graph)
    max_hops = limit_of(config.max_hops, int(distances.max()))
    config = replace(config, max_hops=max_hops)
    players = [
        _player(contender, repeat, *ready[id(contender.strategy)], task, pairs, config, max_hops)
        for contender, repeat in zip(contenders, _repeats(contenders), strict=True)
    ]
    outcomes = _play(players, task, pairs, config, max_hops, progress)
    results = tuple(
        _result(player, outcome, pairs, distances, max_hops)
        for player, outcome in zip(players, outcomes, strict=True)
    )
    return Report(
        graph, task.content_hash, task.seed, config, pairs, distances, results, seen_targets
    )


def evaluated_pairs(task: SearchTask, config: EvaluationConfig) -> np.ndarray:
    """The pairs of an evaluation, sorted by target.

    Args:
        task: The graph, its split and its serialized pairs.
        config: Which part of the split is played, and how many of its pairs.

    Returns:
        Positions of source and target, (num_pairs, 2).
    """
    if config.all_pairs:
        pairs = task.all_pairs(config.split)
    elif config.pairs is not None:
        pairs = task.first_pairs(config.split, config.pairs)
    else:
        pairs = task.pairs(config.split)
    by_target: np.ndarray = pairs[np.argsort(pairs[:, 1], kind="stable")]
    return by_target


def _repeats(contenders: Sequence[Contender]) -> list[int]:
    """For each contender, how many earlier ones have the same label and memory."""
    names = [_full_name(contender) for contender in contenders]
    return [names[:number].count(name) for number, name in enumerate(names)]


def _full_name(contender: Contender) -> str:
    return f"{contender.label}+{contender.memory.name}"


def _prepared(
    contenders: Sequence[Contender],
    task: SearchTask,
    config: EvaluationConfig,
    progress: Progress,
    views: Graph,
) -> dict[int, tuple[Strategy, Settled]]:
    """Each strategy tuned, with its rows, by the identity of the original."""
    ready: dict[int, tuple[Strategy, Settled]] = {}
    egos = None
    for contender in contenders:
        if id(contender.strategy) not in ready:
            check_declarations(contender.strategy)
            strategy = contender.strategy
            if not is_ready(strategy):
                strategy = prepare(strategy, task, config.max_hops, progress)
            if strategy.knows == "ego" and egos is None:
                egos = ego_graphs(views)
            ready[id(contender.strategy)] = (strategy, settle(views, strategy, progress, egos))
    return ready


def _player(
    contender: Contender,
    repeat: int,
    strategy: Strategy,
    settled: Settled,
    task: SearchTask,
    pairs: np.ndarray,
    config: EvaluationConfig,
    max_hops: int,
) -> _Player:
    evaluation = _evaluation_of(contender, task, pairs, config, max_hops)
    # The label, not the position in the list, seeds the walks: adding a strategy changes no other.
    # Repetitions of a name get streams of their own.
    stream = _full_name(contender) + (f"#{repeat}" if repeat else "")
    seed = zlib.crc32(stream.encode()) + (task.seed << 32)
    ready = Contender(contender.label, strategy, contender.memory)
    return _Player(ready, settled, evaluation, seed)


def _evaluation_of(
    contender: Contender,
    task: SearchTask,
    pairs: np.ndarray,
    config: EvaluationConfig,
    max_hops: int,
) -> str:
    """What was asked for; under `auto`, exact chains where they are possible and affordable."""
    memoryless = contender.memory.name == "none"
    if config.evaluation == "exact" and not memoryless:
        raise SpecError(
            f"{contender.label} with memory {contender.memory.name} has no exact evaluation: "
            "use `evaluation='sampled'` or `evaluation='auto'`"
        )
    if config.evaluation != "auto":
        return config.evaluation
    steps = len(task.graph.indices) * len(np.unique(pairs[:, 1])) * max_hops
    most = MAX_EXACT_STEPS if max_hops <= PAPERS_LIMIT else MAX_LONG_STEPS
    return "exact" if memoryless and steps <= most else "sampled"


def _play(
    players: Sequence[_Player],
    task: SearchTask,
    pairs: np.ndarray,
    config: EvaluationConfig,
    max_hops: int,
    progress: Progress,
) -> list[PairOutcomes]:
    """Outcomes of each player; pairs are played in blocks whose distributions fit memory."""
    hops, truncation, wins = np.empty((3, len(players), len(pairs)))
    for block in pair_blocks(pairs[:, 1], max_hops, task.graph.num_nodes):
        tables = []
        memo = ScoreMemo()
        for number, player in enumerate(players):
            share = number / len(players) * (block.stop - block.start)
            progress("searching", block.start + share, len(pairs))
            episodes = config.episodes_per_pair
            tables.append(
                _distributions(player, task, pairs[block], max_hops, episodes, block.start, memo)
            )
        hops[:, block] = [expected_hops(table) for table in tables]
        truncation[:, block] = [table[:, -1] for table in tables]
        wins[:, block] = win_shares(tables)
        progress("searching", block.stop, len(pairs))
    return [
        PairOutcomes(hops[number], truncation[number], wins[number])
        for number in range(len(players))
    ]


def _distributions(
    player: _Player,
    task: SearchTask,
    pairs: np.ndarray,
    max_hops: int,
    episodes_per_pair: int,
    first: int,
    memo: ScoreMemo,
) -> np.ndarray:
    contender = player.contender
    if player.evaluation == "exact":
        return hop_distributions(
            task.graph, contender.strategy, player.settled.rows, pairs, max_hops, memo
        )
    walks = rollout(
        task.graph,
        contender.strategy,
        player.settled.rows,
        pairs,
        contender.memory,
        max_hops,
        episodes_per_pair,
        player.seed,
        first_episode=first * episodes_per_pair,
        scored=memo,
    )
    return sampled_distributions(walks.hops, max_hops)


def pair_blocks(targets: np.ndarray, max_hops: int, num_nodes: int) -> Iterator[slice]:
    """Blocks of pairs that are sorted by target.

    A block ends where a target ends, so that each chain is solved once; only a target with more
    pairs than fit is cut. It holds at most as many targets as a :class:`ScoreMemo` keeps.
    """
    size = max(1, DISTRIBUTION_ENTRIES // (max_hops + 1))
    most = max(1, SCORE_ENTRIES // num_nodes)
    ends = np.append(np.flatnonzero(np.diff(targets)) + 1, len(targets))
    start = 0
    while start < len(targets):
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, start + size, side="right")) - 1
        last = min(last, first + most - 1)
        stop = int(ends[last]) if last >= 0 and ends[last] > start else start + size
        yield slice(start, stop)
        start = stop


def _result(
    player: _Player,
    outcome: PairOutcomes,
    pairs: np.ndarray,
    distances: np.ndarray,
    max_hops: int,
) -> StrategyResult:
    ratios = oracle_ratios(outcome.hops, distances, max_hops)
    return StrategyResult(
        name=player.contender.label,
        memory=player.contender.memory.name,
        parameters=player.contender.strategy.parameters,
        evaluation=player.evaluation,
        knows="ego" if player.settled.cost is None else "gossip",
        gossip=player.settled.cost,
        oracle_ratio=mean_ratio(ratios),
        oracle_ratio_ci=oracle_ratio_interval(ratios, pairs[:, 1]),
        truncation_rate=float(outcome.truncation.mean()),
        win_rate=float(outcome.wins.mean()),
        mean_hops=float(outcome.hops.mean()),
        by_distance=by_distance(ratios, distances),
        outcomes=outcome,
    )
