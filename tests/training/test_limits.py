"""The limit of hops in training and adapting, and validation ratios that never fall below 1."""

import json

import numpy as np
import pytest

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import DataError, SpecError
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.training.config import RunOptions, TrainingOptions
from garden.training.run import read_metrics, train_seeds
from garden.training.trainer import Trainer
from garden.training.training_graph import validation_targets_of, with_limit
from garden.training.universal.config import AdaptConfig
from garden.training.validation import validation_metrics

LINE = Graph.from_edges(
    np.array([[node, node + 1] for node in range(119)]), 120, np.arange(120.0)[:, None]
)
TASK = SearchTask.split(LINE, seed=0)
SIZE = ModelConfig(hidden=8, embedding=4, layers=2)
QUICK = TrainingOptions(model="garden", updates=2, targets_per_update=4, validate_every=1)
CPU = RunOptions(device="cpu")


def longest_of(*tasks):
    return max(distances(LINE, task.validation_targets).max() for task in tasks)


def test_with_limit__goes_by_all_sources_to_the_validation_targets():
    options = TrainingOptions()
    assert with_limit(options.resolved(), [TASK]).limit == 10 * longest_of(TASK)
    other = SearchTask.split(LINE, seed=1)
    both = with_limit(options.resolved(), [TASK, other])
    assert both.limit == 10 * longest_of(TASK, other)
    small = SearchTask.split(kaiser_hilgetag(n=30, beta=2, seed=1), seed=0)
    assert with_limit(options.resolved(), [small]).limit == 100
    assert with_limit(TrainingOptions(max_hops=7).resolved(), [TASK]).limit == 7


@pytest.mark.parametrize("bad", [0, -1, "Auto", 2.5])
def test_options__a_limit_is_auto_or_a_whole_number(bad):
    with pytest.raises(SpecError, match="max_hops is"):
        TrainingOptions(max_hops=bad).resolved()


@pytest.mark.parametrize("max_hops", [None, "auto", 10, 100])
def test_train__validation_ratios_are_never_below_one_and_the_limit_is_told(tmp_path, max_hops):
    options = TrainingOptions(**{**vars(QUICK), "max_hops": max_hops})
    (run,) = train_seeds([TASK], options, SIZE, CPU, [tmp_path / "run"])
    limit = max_hops if isinstance(max_hops, int) else 10 * longest_of(TASK)
    assert run.summary["max_hops"] == limit
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["training"]["options"]["max_hops"] == limit
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["max_hops"] == limit
    records = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert all(record["validation_ratio"] >= 1 for record in records)


def test_resume__a_number_and_the_auto_that_makes_it_are_one_run(tmp_path):
    train_seeds([TASK], QUICK, SIZE, CPU, [tmp_path])
    number = with_limit(QUICK.resolved(), [TASK]).limit
    same = TrainingOptions(**{**vars(QUICK), "max_hops": number})
    train_seeds([TASK], same, SIZE, CPU, [tmp_path], resume=True)
    other = TrainingOptions(**{**vars(QUICK), "max_hops": number + 1})
    with pytest.raises(DataError, match="max_hops"):
        train_seeds([TASK], other, SIZE, CPU, [tmp_path], resume=True)


def test_validation__its_mean_is_over_sources_within_the_limit():
    trainer = Trainer([TASK], QUICK.resolved(), SIZE)
    ratios, truncation = validation_metrics(trainer.state.model, trainer.training_graph, 1)
    assert ratios.tolist() == np.ones(ratios.shape).tolist()  # neighbours alone are within a hop
    assert (truncation > 0.9).all()


def test_a2c__walks_to_the_limit_of_its_graph():
    options = TrainingOptions(model="mlpa2c", method="a2c", updates=1, targets_per_update=2)
    trainer = Trainer([TASK], options.resolved(), SIZE)
    trainer.run()
    assert trainer.state.update == 1


@pytest.mark.parametrize("local", [False, True])
def test_adapt__ratios_are_never_below_one_and_the_limit_is_told(local):
    config = AdaptConfig(updates=2, local=local, messages=5)
    record = garden.adapt(TASK, config=config).record
    assert record["max_hops"] == 10 * longest_of(TASK)
    assert record["validation_ratio"] >= 1
    assert record["validation_ratio_before"] >= 1


def test_validation__goes_by_fewer_targets_where_episodes_are_long():
    ring = np.array([[node, (node + 1) % 2000] for node in range(2000)])
    graph = Graph.from_edges(ring, 2000, np.eye(2000)[:, :2])
    tasks = [SearchTask.split(graph, seed=seed) for seed in (0, 1)]
    counts = [len(validation_targets_of(task)) for task in tasks]
    assert counts[0] == counts[1] == 25  # two seeds train as one stack
    star = Graph.from_edges(np.array([[0, node] for node in range(1, 1500)]), 1500)
    assert len(validation_targets_of(SearchTask.split(star))) == 100
