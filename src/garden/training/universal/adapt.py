"""Adapting `universal` to one graph: a few seconds of fine-tuning, guided by the oracle.

It is central, as all training here is: it sees the whole graph. It trains on training targets;
validation targets choose between the old policy and the new one, and a temperature. Test targets
play no part.
"""

from __future__ import annotations

import time
from dataclasses import asdict, replace

import numpy as np

from garden.datasets.task import SearchTask, draw_pairs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.identity import GraphIdentity
from garden.models.universal_network import network_of
from garden.random_streams import ADAPTING_MESSAGES, ADAPTING_TARGETS
from garden.search.progress import Progress, silent
from garden.strategies.base import require_attributes
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import AdaptConfig, UniversalConfig
from garden.training.universal.train import (
    UNIVERSAL_TEMPERATURES,
    GraphBatch,
    graph_batch,
    memoryless_ratio,
    train_universal,
)

MAX_PAIRS = 500_000  # nodes × targets of a batch, 60 MB; of more targets a sample is drawn
MAX_VALIDATION_PAIRS = 200_000


def adapt_universal(
    start: Universal,
    task: SearchTask,
    config: AdaptConfig,
    progress: Progress = silent,
) -> Adapted:
    """The policy after fine-tuning on a task, or as it was where validation finds that no better.

    Args:
        start: The policy to start from.
        task: The graph and its split.
        config: Updates, step size, and how many messages to learn from.
        progress: Called as updates pass.

    """
    began = time.monotonic()
    require_attributes(ego_graphs(task.graph), start.name)
    validation = _batch(task, task.validation_targets, True, MAX_VALIDATION_PAIRS)
    training = _batch(task, training_targets(task, config), False, MAX_PAIRS)
    old, new = (network_of(start.weights, start.bound) for _ in range(2))
    train_universal(
        [training],
        _options(config, task.seed),
        lambda number, _: progress("adapting", number, config.updates),
        new,
    )
    own = 1.0 if start.temperature is None else start.temperature
    before = memoryless_ratio(old, validation, own)
    choices = [(before, old, own)]
    for network in (old, new):
        choices += [
            (memoryless_ratio(network, validation, t), network, t) for t in UNIVERSAL_TEMPERATURES
        ]
    after, chosen, temperature = min(choices, key=lambda choice: choice[0])
    record = {
        "graph": task.graph.name,
        "options": asdict(config),
        "max_hops": validation.max_hops,
        "validation_ratio_before": before,
        "validation_ratio": after,
        "kept": "fine-tuned weights" if chosen is new else "weights as they were",
        "seconds": round(time.monotonic() - began, 2),
    }
    policy = Universal(chosen.weights(), start.bound, temperature, start.training, start.met)
    graph, marks = task.graph, GraphIdentity.of(task.graph).marks
    return Adapted(policy, graph.content_hash, task.content_hash, task.seed, record, marks=marks)


def training_targets(task: SearchTask, config: AdaptConfig) -> np.ndarray:
    """The targets of ``config.messages`` messages, sorted.

    Args:
        task: the graph and its split.
        config: with ``messages`` None, all training targets are taken.
    """
    if config.messages is None:
        return task.train_targets
    return np.unique(training_messages(task, config.messages)[:, 1])


def training_messages(task: SearchTask, count: int) -> np.ndarray:
    """Random sources and training targets, (count, 2).

    Args:
        task: the graph, its split and the seed that messages are drawn by.
        count: how many messages; a longer list begins with the shorter.
    """
    blocks = [
        draw_pairs(
            task.train_targets, task.graph.num_nodes, 100, [task.seed, ADAPTING_MESSAGES, number]
        )
        for number in range(-(-count // 100))
    ]
    return np.concatenate(blocks)[:count]


def _batch(task: SearchTask, targets: np.ndarray, validates: bool, max_pairs: int) -> GraphBatch:
    most = max(1, max_pairs // task.graph.num_nodes)
    if len(targets) > most:
        draws = np.random.default_rng([task.seed, ADAPTING_TARGETS])
        targets = np.sort(draws.choice(targets, most, replace=False))
    return graph_batch(task.graph, targets, task.graph.name, validates)


def _options(config: AdaptConfig, seed: int) -> UniversalConfig:
    return replace(
        UniversalConfig(),
        updates=config.updates,
        learning_rate=config.learning_rate,
        seed=seed,
    )
