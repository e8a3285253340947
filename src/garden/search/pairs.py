"""Which pairs an evaluation plays, and in which order."""

from __future__ import annotations

import numpy as np

from garden.datasets.task import NUM_PAIRS, SPLITS, SearchTask, draw_pairs
from garden.random_streams import FURTHER_PAIRS
from garden.search.config import EvaluationConfig, EvaluationSplit


def evaluated_pairs(task: SearchTask, config: EvaluationConfig) -> np.ndarray:
    """The pairs that the options ask for, (num_pairs, 2), those of one target side by side."""
    if config.all_pairs:
        pairs = task.all_pairs(config.split)
    elif config.pairs is not None:
        pairs = first_pairs(task, config.split, config.pairs)
    else:
        pairs = task.pairs(config.split)
    by_target: np.ndarray = pairs[np.argsort(pairs[:, 1], kind="stable")]
    return by_target


def first_pairs(task: SearchTask, split: EvaluationSplit, count: int) -> np.ndarray:
    """So many pairs of a split, (count, 2): a longer list begins like a shorter one.

    The serialized pairs come first, which are independent draws, so that the first few of them
    are a fair sample; further ones are drawn in the same way from the task's seed.
    """
    pairs = task.pairs(split)
    missing = count - len(pairs)
    if missing <= 0:
        return pairs[:count]
    stream = [task.seed, FURTHER_PAIRS, SPLITS.index(split)]
    further = [
        draw_pairs(task.targets(split), task.graph.num_nodes, NUM_PAIRS, [*stream, number])
        for number in range(-(-missing // NUM_PAIRS))
    ]
    return np.concatenate([pairs, *further])[:count]
