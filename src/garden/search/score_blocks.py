"""Score tables of a strategy over a whole graph, in blocks of targets that fit memory.

One row of scores per target serves all walks and chains towards it, so that evaluation goes target
by target. Tables are float64, (num_targets_of_block, num_nodes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from garden.strategies.base import Strategy, checked_scores, target_blocks
from garden.strategies.representations import Representations

ENTRIES_PER_BLOCK = 1 << 22
MAX_KEPT = 1 << 25  # entries of all tables that a memo keeps, 256 MiB

Scored = Iterable[tuple[slice, np.ndarray]]
"""Blocks of targets, each with its table of scores."""

ScoreSource = Callable[[Strategy, Representations, np.ndarray], Scored]
"""Gives the score tables of a strategy for some targets: :func:`score_blocks` or a memo of it."""


def pairs_by_target(pairs: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The targets of some pairs, and which pairs each has.

    Args:
        pairs: Positions of source and target, (num_pairs, 2).

    Returns:
        The distinct targets in ascending order, (num_targets,), and for each of them the rows of
        its pairs in their order.
    """
    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    order = np.argsort(target_of, kind="stable")
    ends = np.cumsum(np.bincount(target_of, minlength=len(targets)))
    return targets, np.split(order, ends[:-1])


def score_blocks(
    strategy: Strategy, representations: Representations, targets: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Scores of all nodes for some targets, a block of targets at a time.

    Args:
        strategy: Who scores.
        representations: One row per node of the graph, made by this strategy.
        targets: Positions of the targets, (num_targets,).

    Yields:
        A slice of ``targets`` and its scores, (num_targets_of_block, num_nodes) float64; their
        shape and values are checked.
    """
    for block in target_blocks(len(targets), len(representations), ENTRIES_PER_BLOCK):
        table = strategy.score(representations, representations.take(targets[block]))
        expected = (block.stop - block.start, len(representations))
        yield block, np.ascontiguousarray(checked_scores(table, expected, strategy.name))


class ScoreMemo:
    """:func:`score_blocks` with a cache, for contenders that share a strategy and targets.

    A strategy is recognised by its identity: contenders must hold the same object. Once all tables
    together exceed :data:`MAX_KEPT` entries, the oldest are dropped; a table that is larger by
    itself is never kept.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, bytes], tuple[Strategy, list[tuple[slice, np.ndarray]]]] = {}
        self._room = MAX_KEPT

    def __call__(
        self, strategy: Strategy, representations: Representations, targets: np.ndarray
    ) -> Scored:
        """Score tables as :func:`score_blocks` gives them, from the cache where they are there."""
        key = (id(strategy), targets.tobytes())
        if key in self._kept:
            return self._kept[key][1]
        size = len(targets) * len(representations)
        if size > MAX_KEPT:
            return score_blocks(strategy, representations, targets)
        while size > self._room:
            oldest = next(iter(self._kept))
            self._room += sum(table.size for _, table in self._kept.pop(oldest)[1])
        blocks = list(score_blocks(strategy, representations, targets))
        self._kept[key] = (strategy, blocks)  # the strategy too: its identity stays taken
        self._room -= size
        return blocks
