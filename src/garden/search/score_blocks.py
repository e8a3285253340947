"""Score tables of a strategy over a whole graph, in blocks of targets that fit memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from garden.strategies.base import Strategy, checked_scores, target_blocks
from garden.strategies.representations import Representations

ENTRIES_PER_BLOCK = 1 << 22
MAX_KEPT = 1 << 25  # entries of all tables that a memo keeps, 256 MiB

Scored = Iterable[tuple[slice, np.ndarray]]
ScoreSource = Callable[[Strategy, Representations, np.ndarray], Scored]


def score_blocks(
    strategy: Strategy, representations: Representations, targets: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Blocks of the targets, each with its scores, (num_targets_of_block, num_nodes) float64."""
    for block in target_blocks(len(targets), len(representations), ENTRIES_PER_BLOCK):
        table = strategy.score(representations, representations.take(targets[block]))
        expected = (block.stop - block.start, len(representations))
        yield block, np.ascontiguousarray(checked_scores(table, expected, strategy.name))


class ScoreMemo:
    """Score tables made once for all who play one strategy on the same targets.

    A strategy is known by its identity, so that it must be one object for all of them; where
    tables grow too large, the oldest are forgotten.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, bytes], tuple[Strategy, list[tuple[slice, np.ndarray]]]] = {}
        self._room = MAX_KEPT

    def __call__(
        self, strategy: Strategy, representations: Representations, targets: np.ndarray
    ) -> Scored:
        """Like :func:`score_blocks`."""
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
