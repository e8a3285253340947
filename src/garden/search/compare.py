"""Several strategies on the same pairs, their results side by side.

:func:`compare` tunes each strategy, makes representations once per strategy, evaluates every
contender exactly (:mod:`garden.search.chain`) or by sampled walks (:mod:`garden.search.rollout`),
and computes the metrics of :mod:`garden.search.metrics`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

import numpy as np

from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.config import EvaluationConfig, ExecutorName, limit_of
from garden.search.evaluation_choice import EvaluationChoice, evaluation_of, say_choices
from garden.search.lazy_rollout import MIN_NODES, few_are_met, is_dear_to_score
from garden.search.lazy_rows import LazyRows, RowSource
from garden.search.metrics import (
    PairOutcomes,
    by_distance,
    mean_ratio,
    oracle_ratio_interval,
    oracle_ratios,
)
from garden.search.play import Contender, Games, Player, play
from garden.search.progress import Progress, silent
from garden.search.report import Report, StrategyResult
from garden.search.rollout import compiled_kernel
from garden.search.rounds import GossipCost, settle
from garden.search.temperature_tuning import prepare
from garden.strategies.base import Strategy, check_declarations, checked_representations, is_ready
from garden.strategies.explore import ExploreMemory
from garden.strategies.gossip.protocol import GossipStrategy

__all__ = ["Contender", "compare", "evaluated_pairs"]


def compare(
    task: SearchTask,
    contenders: Sequence[Contender],
    config: EvaluationConfig,
    progress: Progress = silent,
    seen_targets: bool = False,
    views: Graph | None = None,
    cache: bool = True,
    executor: ExecutorName = "process",
) -> Report:
    """The report on contenders that were tuned, and then played on the same pairs.

    Args:
        task: The graph, its split and its pairs.
        contenders: Strategies with their memories; those that share a strategy object share its
            tuning, representations and scores.
        config: Which pairs are played, and how.
        progress: Called as the work goes on.
        seen_targets: Whether a policy's training may have seen the targets; goes to the report.
        views: The graph that representations are made from, where it is not the one that messages
            travel on; it has the same nodes.
        cache: Whether settled rows of large graphs are read from the cache, and kept there.
        executor: Who plays: this process, or the workers of a Ray cluster; the report is the same.

    Returns:
        A report whose results stand in the order of the contenders, and whose options hold the
        limit of hops that was played with, where `auto` was asked for.
    """
    if not contenders:
        raise SpecError("no strategy to evaluate: name at least one")
    graph = task.graph
    pairs = evaluated_pairs(task, config)
    distances = pair_distances(graph, pairs)
    max_hops = limit_of(config.max_hops, int(distances.max()))
    choices = [
        evaluation_of(one.label, one.memory.name, config.evaluation, graph, pairs, max_hops)
        for one in contenders
    ]
    evaluations = [choice.evaluation for choice in choices]
    say_choices(contenders, choices, graph)
    few = graph.num_nodes >= MIN_NODES and few_are_met(
        graph, pairs, config.episodes_per_pair, max_hops
    )
    chains = {
        id(one.strategy) for one, how in zip(contenders, evaluations, strict=True) if how == "exact"
    }
    eager = {
        id(one.strategy) for one in contenders if not few or compiled_kernel(one.memory) is None
    }
    ready = _prepared(contenders, eager | chains, task, config, progress, views or graph, cache)
    config = replace(config, max_hops=max_hops)
    # Tables that exact chains need are made anyway: walks of the same strategy share them.
    dear = {
        name
        for name, (_, rows, _) in ready.items()
        if name not in chains and (few or is_dear_to_score(rows, pairs))
    }
    players = [
        _player(one, repeat, *ready[id(one.strategy)], choice, id(one.strategy) in dear, task.seed)
        for one, repeat, choice in zip(contenders, _repeats(contenders), choices, strict=True)
    ]
    games = Games(graph, pairs, max_hops, config.episodes_per_pair)
    outcomes = _player_of_pairs(executor)(players, games, progress)
    results = tuple(
        _result(player, outcome, pairs, distances, max_hops)
        for player, outcome in zip(players, outcomes, strict=True)
    )
    return Report(
        graph, task.content_hash, task.seed, config, pairs, distances, results, seen_targets
    )


def _player_of_pairs(
    executor: ExecutorName,
) -> Callable[[Sequence[Player], Games, Progress], list[PairOutcomes]]:
    if executor == "process":
        return play
    from garden.search.spread import play_on_ray

    return play_on_ray


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
    eager: Set[int],
    task: SearchTask,
    config: EvaluationConfig,
    progress: Progress,
    views: Graph,
    cache: bool,
) -> dict[int, tuple[Strategy, RowSource, GossipCost | None]]:
    """Each strategy tuned, with its rows, by the identity of the original.

    Those that are not ``eager`` and have no rounds get rows that are made when they are asked for.
    """
    ready: dict[int, tuple[Strategy, RowSource, GossipCost | None]] = {}
    egos = None
    for contender in contenders:
        strategy, original = contender.strategy, id(contender.strategy)
        if original in ready:
            continue
        check_declarations(strategy)
        if not is_ready(strategy):
            strategy = prepare(strategy, task, config.max_hops, progress)
        if isinstance(strategy, GossipStrategy):
            settled = settle(views, strategy, progress, egos, cache)
            ready[original] = (strategy, settled.rows, settled.cost)
        elif original in eager:
            egos = egos or ego_graphs(views)
            rows = checked_representations(strategy.represent(egos), len(egos), strategy.name)
            ready[original] = (strategy, rows, None)
        else:
            ready[original] = (strategy, LazyRows(views, strategy), None)
    return ready


def _player(
    contender: Contender,
    repeat: int,
    strategy: Strategy,
    rows: RowSource,
    cost: GossipCost | None,
    choice: EvaluationChoice,
    dear: bool,
    task_seed: int,
) -> Player:
    # The label, not the position in the list, seeds the walks: adding a strategy changes no other.
    # Repetitions of a name get streams of their own.
    stream = _full_name(contender) + (f"#{repeat}" if repeat else "")
    seed = zlib.crc32(stream.encode()) + (task_seed << 32)
    ready = Contender(contender.label, strategy, contender.memory)
    sampled = choice.evaluation == "sampled"
    lazy = dear and sampled and compiled_kernel(contender.memory) is not None
    if isinstance(contender.memory, ExploreMemory):  # its walks are dear to make again
        lazy = lazy and isinstance(rows, LazyRows)
    return Player(ready, rows, cost, choice.evaluation, choice.reason, lazy, seed)


def _result(
    player: Player,
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
        evaluation_reason=player.reason,
        knows="ego" if player.cost is None else "gossip",
        gossip=player.cost,
        represented_nodes=_num_represented(player),
        oracle_ratio=mean_ratio(ratios),
        oracle_ratio_ci=oracle_ratio_interval(ratios, pairs[:, 1]),
        truncation_rate=float(outcome.truncation.mean()),
        win_rate=float(outcome.wins.mean()),
        mean_hops=float(outcome.hops.mean()),
        by_distance=by_distance(ratios, distances),
        outcomes=outcome,
    )


def _num_represented(player: Player) -> int | None:
    """How many nodes have a row, where rows or scores were made lazily."""
    if isinstance(player.rows, LazyRows):
        return player.rows.num_represented
    return len(player.rows) if player.lazy else None
