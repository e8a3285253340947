"""Several strategies on the same pairs, their results side by side.

:func:`compare` tunes each strategy, makes representations once per strategy, evaluates every
contender exactly (:mod:`garden.search.chain`) or by sampled walks (:mod:`garden.search.rollout`),
and computes the metrics of :mod:`garden.search.metrics`.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.chain import hop_distributions
from garden.search.config import PAPERS_LIMIT, EvaluationConfig, limit_of
from garden.search.lazy_rollout import (
    MIN_NODES,
    MetGraph,
    few_are_met,
    is_dear_to_score,
    lazy_rollout,
)
from garden.search.lazy_rows import LazyRows, RowSource
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
from garden.search.rollout import compiled_kernel, rollout, sampled_distributions
from garden.search.rounds import GossipCost, settle
from garden.search.temperature_tuning import prepare
from garden.strategies.base import (
    MAX_KEPT,
    ScoreMemo,
    Strategy,
    check_declarations,
    checked_representations,
    is_ready,
)
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations

MAX_EXACT_STEPS = 2e11  # edges × targets × hops, minutes on two cores; beyond it walks are sampled
MAX_LONG_STEPS = 2e10  # the same where the limit of hops is longer than the paper's
DISTRIBUTION_ENTRIES = 1 << 21  # per strategy and block of pairs
SCORE_ENTRIES = MAX_KEPT // 2  # per strategy and block: a memo keeps two such tables


_Met = dict[int, dict[int, MetGraph]]  # what walks met, by the identity of a strategy and target


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
    rows: RowSource  # one per node
    cost: GossipCost | None  # of its rounds
    evaluation: str  # "exact" or "sampled"
    lazy: bool  # whether only candidates that walks meet are scored
    seed: int  # of its walks


def compare(
    task: SearchTask,
    contenders: Sequence[Contender],
    config: EvaluationConfig,
    progress: Progress = silent,
    seen_targets: bool = False,
    views: Graph | None = None,
    cache: bool = True,
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
        cache: Whether settled rows of large graphs are read from the cache, and kept there.

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
    evaluations = [_evaluation_of(one, graph, pairs, config, max_hops) for one in contenders]
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
        _player(one, repeat, *ready[id(one.strategy)], how, id(one.strategy) in dear, task.seed)
        for one, repeat, how in zip(contenders, _repeats(contenders), evaluations, strict=True)
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
        if id(contender.strategy) not in ready:
            check_declarations(contender.strategy)
            strategy = contender.strategy
            if not is_ready(strategy):
                strategy = prepare(strategy, task, config.max_hops, progress)
            if isinstance(strategy, GossipStrategy):
                settled = settle(views, strategy, progress, cache=cache)
                ready[id(contender.strategy)] = (strategy, settled.rows, settled.cost)
            elif id(contender.strategy) in eager:
                egos = egos or ego_graphs(views)
                rows = checked_representations(strategy.represent(egos), len(egos), strategy.name)
                ready[id(contender.strategy)] = (strategy, rows, None)
            else:
                ready[id(contender.strategy)] = (strategy, LazyRows(views, strategy), None)
    return ready


def _player(
    contender: Contender,
    repeat: int,
    strategy: Strategy,
    rows: RowSource,
    cost: GossipCost | None,
    evaluation: str,
    dear: bool,
    task_seed: int,
) -> _Player:
    # The label, not the position in the list, seeds the walks: adding a strategy changes no other.
    # Repetitions of a name get streams of their own.
    stream = _full_name(contender) + (f"#{repeat}" if repeat else "")
    seed = zlib.crc32(stream.encode()) + (task_seed << 32)
    ready = Contender(contender.label, strategy, contender.memory)
    lazy = dear and evaluation == "sampled" and compiled_kernel(contender.memory) is not None
    return _Player(ready, rows, cost, evaluation, lazy, seed)


def _evaluation_of(
    contender: Contender, graph: Graph, pairs: np.ndarray, config: EvaluationConfig, max_hops: int
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
    steps = len(graph.indices) * len(np.unique(pairs[:, 1])) * max_hops
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
    all_lazy = all(player.lazy for player in players)
    columns = 1 if all_lazy else task.graph.num_nodes  # of a table of scores
    for block in pair_blocks(pairs[:, 1], max_hops, columns):
        tables = []
        memo = ScoreMemo()
        met: _Met = defaultdict(dict)
        for number, player in enumerate(players):
            share = number / len(players) * (block.stop - block.start)
            progress("searching", block.start + share, len(pairs))
            episodes = config.episodes_per_pair
            tables.append(
                _distributions(
                    player, task.graph, pairs[block], max_hops, episodes, block.start, memo, met
                )
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
    graph: Graph,
    pairs: np.ndarray,
    max_hops: int,
    episodes_per_pair: int,
    first: int,
    memo: ScoreMemo,
    met: _Met,
) -> np.ndarray:
    contender, strategy = player.contender, player.contender.strategy
    numbers = (max_hops, episodes_per_pair, player.seed, first * episodes_per_pair)
    if player.lazy:
        memory = contender.memory
        walks = lazy_rollout(
            graph, strategy, player.rows, pairs, memory, *numbers, met=met[id(strategy)]
        )
        return sampled_distributions(walks.hops, max_hops)
    assert isinstance(player.rows, Representations)
    if player.evaluation == "exact":
        return hop_distributions(graph, strategy, player.rows, pairs, max_hops, memo)
    walks = rollout(graph, strategy, player.rows, pairs, contender.memory, *numbers, scored=memo)
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


def _num_represented(player: _Player) -> int | None:
    """How many nodes have a row, where rows or scores were made lazily."""
    if isinstance(player.rows, LazyRows):
        return player.rows.num_represented
    return len(player.rows) if player.lazy else None
