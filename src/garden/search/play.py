"""Playing the pairs of a comparison: exact chains or sampled walks, a block of pairs at a time.

What a block gives depends on its pairs and on their numbers alone, so that blocks can be played one
after another here, or side by side by the workers of a cluster (:mod:`garden.search.spread`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from garden.graphs.graph import Graph
from garden.search.chain import hop_distributions
from garden.search.lazy_rollout import MetGraph, lazy_rollout
from garden.search.lazy_rows import RowSource
from garden.search.metrics import PairOutcomes, expected_hops, win_shares
from garden.search.progress import Progress, silent
from garden.search.rollout import rollout, sampled_distributions
from garden.search.rounds import GossipCost
from garden.strategies.base import MAX_KEPT, ScoreMemo, Strategy
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations

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
class Player:
    """A contender that is ready to play."""

    contender: Contender  # with its strategy fitted and tuned
    rows: RowSource  # one per node
    cost: GossipCost | None  # of its rounds
    evaluation: str  # "exact" or "sampled"
    reason: str  # why it is that
    lazy: bool  # whether only candidates that walks meet are scored
    seed: int  # of its walks


@dataclass(frozen=True, eq=False)
class Games:
    """What players play: the same pairs, and how."""

    graph: Graph  # that messages travel on
    pairs: np.ndarray  # (num_pairs, 2) positions of source and target, sorted by target
    max_hops: int  # the hop at which an episode is truncated
    episodes_per_pair: int  # how often each pair is walked where walks are sampled
    first: int = 0  # the number of the first pair among all pairs; random streams go by it

    def block(self, which: slice) -> Games:
        """Some of the pairs, under the numbers that they have here."""
        return replace(self, pairs=self.pairs[which], first=self.first + which.start)


def play(players: Sequence[Player], games: Games, progress: Progress) -> list[PairOutcomes]:
    """The outcomes of each player; pairs are played in blocks whose distributions fit memory.

    Args:
        players: Who plays.
        games: What they play.
        progress: Called as blocks are done.
    """
    num_pairs = len(games.pairs)
    figures = np.empty((3, len(players), num_pairs))
    for block in pair_blocks(
        games.pairs[:, 1], games.max_hops, table_columns(players, games.graph)
    ):

        def tell(_what: str, share: float, _total: float, first: int = block.start) -> None:
            progress("searching", first + share, num_pairs)

        figures[:, :, block] = play_block(players, games.block(block), tell)
        progress("searching", block.stop, num_pairs)
    return outcomes_of(figures)


def table_columns(players: Sequence[Player], graph: Graph) -> int:
    """How many columns a table of scores has; 1 where none is made.

    Args:
        players: who plays.
        graph: the graph.
    """
    return 1 if all(player.lazy for player in players) else graph.num_nodes


def outcomes_of(figures: np.ndarray) -> list[PairOutcomes]:
    """The outcomes of each player from hops, truncation and wins, (3, num_players, num_pairs)."""
    return [PairOutcomes(*figures[:, number]) for number in range(figures.shape[1])]


def play_block(players: Sequence[Player], games: Games, progress: Progress = silent) -> np.ndarray:
    """Expected hops, truncation and shares of wins, (3, num_players, num_pairs).

    Args:
        players: Who plays.
        games: A block of pairs, few enough for their distributions to fit memory.
        progress: Called as players are done.
    """
    memo, num_pairs = ScoreMemo(), len(games.pairs)
    met: _Met = defaultdict(dict)
    tables = []
    for number, player in enumerate(players):
        progress("searching", number / len(players) * num_pairs, num_pairs)
        tables.append(_distributions(player, games, memo, met))
    hops = [expected_hops(table) for table in tables]
    return np.array([hops, [table[:, -1] for table in tables], win_shares(tables)])


def _distributions(player: Player, games: Games, memo: ScoreMemo, met: _Met) -> np.ndarray:
    strategy, memory = player.contender.strategy, player.contender.memory
    graph, pairs, max_hops = games.graph, games.pairs, games.max_hops
    first_episode = games.first * games.episodes_per_pair
    numbers = (max_hops, games.episodes_per_pair, player.seed, first_episode)
    if player.lazy:
        walks = lazy_rollout(
            graph, strategy, player.rows, pairs, memory, *numbers, met=met[id(strategy)]
        )
        return sampled_distributions(walks.hops, max_hops)
    assert isinstance(player.rows, Representations)
    if player.evaluation == "exact":
        return hop_distributions(graph, strategy, player.rows, pairs, max_hops, memo)
    walks = rollout(graph, strategy, player.rows, pairs, memory, *numbers, scored=memo)
    return sampled_distributions(walks.hops, max_hops)


def pair_blocks(targets: np.ndarray, max_hops: int, num_nodes: int) -> Iterator[slice]:
    """Blocks of pairs that are sorted by target.

    A block ends where a target ends, so that each chain is solved once; only a target with more
    pairs than fit is cut. It holds at most as many targets as a :class:`ScoreMemo` keeps.

    Args:
        targets: of the pairs, (num_pairs,), sorted.
        max_hops: the limit, by which the size of a block goes.
        num_nodes: of the graph.

    Returns:
        Slices of the pairs, in order.
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
