"""Score tables of a strategy over a whole graph, in blocks of targets that fit memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from garden.strategies.base import Representations, Strategy, checked_scores, target_blocks

ENTRIES_PER_BLOCK = 1 << 22


def score_blocks(
    strategy: Strategy, representations: Representations, targets: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Blocks of the targets, each with its scores, (num_targets_of_block, num_nodes) float64."""
    for block in target_blocks(len(targets), len(representations), ENTRIES_PER_BLOCK):
        table = strategy.score(representations, representations.take(targets[block]))
        expected = (block.stop - block.start, len(representations))
        yield block, np.ascontiguousarray(checked_scores(table, expected, strategy.name))
