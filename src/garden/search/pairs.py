"""Which pairs an evaluation plays, and in which order."""

from __future__ import annotations

import numpy as np

from garden.datasets.task import NUM_PAIRS, SPLITS, SearchTask, draw_pairs
from garden.random_streams import FURTHER_PAIRS
from garden.search.config import EvaluationConfig, EvaluationSplit


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
        pairs = first_pairs(task, config.split, config.pairs)
    else:
        pairs = task.pairs(config.split)
    by_target: np.ndarray = pairs[np.argsort(pairs[:, 1], kind="stable")]
    return by_target


def first_pairs(task: SearchTask, split: EvaluationSplit, count: int) -> np.ndarray:
    """The first ``count`` pairs of a part of the split, (count, 2).

    Serialized pairs come first; they are independent draws, so that any first few of them are a
    uniform sample. Further pairs are drawn in the same way from the task's seed: a longer list
    begins with every shorter one.
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
