"""What a training on a large graph may take, said before it begins."""

import logging

import numpy as np
import pytest

from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig, build_model
from garden.training import estimate, run
from garden.training.config import RunOptions, TrainingOptions
from garden.training.estimate import operations_of_update, seconds_of_training
from garden.training.run import train_seeds


def ring(num_nodes):
    nodes = np.arange(num_nodes)
    edges = np.stack([nodes, (nodes + 1) % num_nodes], axis=1)
    return Graph.from_edges(edges, num_nodes, np.eye(num_nodes, 3, dtype=np.float32), name="ring")


TRELLIS = build_model("trellis", 3, ModelConfig(), (0,))


def operations(num_nodes=30_000, **options):
    return operations_of_update(ring(num_nodes), TRELLIS, TrainingOptions(**options).resolved())


def test_operations__grow_with_targets_holders_and_nodes():
    assert operations(targets_per_update=128) > operations(targets_per_update=64) > 0
    assert operations(holders_per_update=2048) > operations(holders_per_update=512)
    assert operations(60_000) > operations(30_000)


def test_operations__of_sampled_holders_hardly_grow_with_nodes():
    assert operations(60_000) < 1.5 * operations(30_000)


def test_seconds__are_those_of_all_updates(monkeypatch):
    monkeypatch.setattr(estimate, "operations_per_second", lambda: 1e9)
    config = TrainingOptions(updates=10).resolved()
    graph = ring(1000)
    expected = 10 * operations_of_update(graph, TRELLIS, config) / 1e9
    assert seconds_of_training(graph, TRELLIS, config) == pytest.approx(expected)


@pytest.mark.parametrize(("advised", "lines"), [(20, 1), (20_000, 0)])
def test_training__says_on_large_graphs_what_needs_no_training(advised, lines, monkeypatch, caplog):
    monkeypatch.setattr(run, "ADVISED_NODES", advised)
    options = TrainingOptions(updates=1, max_hops=5)
    with caplog.at_level(logging.INFO, logger="garden"):
        train_seeds([SearchTask.split(ring(30))], options, ModelConfig(), RunOptions("cpu"))
    told = [record.message for record in caplog.records if "need no training" in record.message]
    assert len(told) == lines
    assert all("garden evaluate ring --strategy universal+explore" in line for line in told)
