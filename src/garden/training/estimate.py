"""How long a training on a large graph would take on this processor, before it begins.

An update of `trellis` embeds C candidates with their neighbours and compares each with T targets
and these targets' M neighbours. Its multiplications are counted and divided by the speed of a small
product of matrices here: right within a factor of two or three, which is enough for a choice
between minutes and days.
"""

from __future__ import annotations

import math
import time

import torch

from garden.graphs.graph import Graph
from garden.models.base import Model
from garden.training.methods.config import GuidedConfig, TrainingConfig
from garden.training.methods.guided import ALL_HOLDERS_NODES, SAMPLED_HOLDERS

ADVISED_NODES = 20_000
"""Beyond so many nodes, a training says what it would take on a processor."""
_FORWARD_AND_BACK = 3.0
_PER_COMPARISON = (
    60.0  # operations for a candidate and a neighbour of a target: roots, exponentials
)
_NUM_PROJECTIONS = 8
_SIZE, _REPEATS = 384, 8  # of the product that is timed


def seconds_of_training(graph: Graph, model: Model, config: TrainingConfig) -> float:
    """About how long all updates take on this processor, validations aside.

    Args:
        graph: the graph.
        model: what is trained; the number of its parameters counts.
        config: the options.
    """
    return config.updates * operations_of_update(graph, model, config) / operations_per_second()


def operations_of_update(graph: Graph, model: Model, config: TrainingConfig) -> float:
    """About how many multiplications and additions an update makes.

    Args:
        graph: counts by its nodes and its mean degree.
        model: counts by its parameters per seed, and by whether it reads neighbours.
        config: counts by its targets and holders per update.
    """
    num_nodes, degree = graph.num_nodes, len(graph.indices) / graph.num_nodes
    num_parameters = sum(part.numel() for part in model.parameters()) / model.num_seeds
    candidates = _distinct(_num_holders(config, num_nodes) * degree, num_nodes)
    members = _distinct(candidates * (1 + degree), num_nodes)
    targets = config.targets_per_update
    shown = _distinct(targets * degree, num_nodes) if model.reads_neighbours else 1.0
    embedding = 2 * num_parameters * members
    scoring = targets * candidates * 2 * num_parameters / 4
    comparing = _NUM_PROJECTIONS * candidates * shown * (_PER_COMPARISON + 2 * targets)
    distances = 2 * targets * len(graph.indices) * math.log(max(num_nodes, 3))
    return _FORWARD_AND_BACK * (embedding + scoring + comparing) + distances


def operations_per_second() -> float:
    """The speed of a product of two matrices of float32 here."""
    matrix = torch.ones(_SIZE, _SIZE)
    matrix @ matrix
    since = time.perf_counter()
    for _ in range(_REPEATS):
        matrix @ matrix
    return _REPEATS * 2 * _SIZE**3 / max(time.perf_counter() - since, 1e-9)


def _num_holders(config: TrainingConfig, num_nodes: int) -> float:
    if not isinstance(config, GuidedConfig):
        return num_nodes
    count = config.holders_per_update
    count = count or (num_nodes if num_nodes <= ALL_HOLDERS_NODES else SAMPLED_HOLDERS)
    return min(count, num_nodes)


def _distinct(draws: float, num_nodes: int) -> float:
    """How many different nodes so many draws meet, about."""
    return num_nodes * -math.expm1(-draws / num_nodes)
