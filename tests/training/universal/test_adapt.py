"""Adapting the policy for every graph to one: what is learned, from whom, and what is kept."""

import numpy as np
import pytest

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import DataError, SpecError, StrategyError
from garden.graphs.graph import Graph
from garden.graphs.identity import GraphIdentity
from garden.resolve import strategy_named
from garden.training.universal.adapt import training_messages, training_targets
from garden.training.universal.config import AdaptConfig

QUICK = AdaptConfig(updates=20)


@pytest.fixture(scope="module")
def task():
    return SearchTask.split(kaiser_hilgetag(n=60, alpha=30, beta=0.4, seed=5), seed=3)


@pytest.fixture(scope="module")
def adapted(task):
    return garden.adapt(task, config=QUICK)


def test_adapt__never_serves_validation_targets_worse_than_before(adapted):
    assert adapted.record["validation_ratio"] <= adapted.record["validation_ratio_before"]


def test_adapt__a_seed_says_everything(task, adapted):
    again = garden.adapt(task, config=QUICK)
    assert np.array_equal(again.policy.weights.last, adapted.policy.weights.last)
    assert again.temperature == adapted.temperature


def test_adapt__does_not_ask_who_the_test_targets_are(task, adapted):
    fewer = SearchTask(
        task.graph,
        task.seed,
        task.train_targets,
        task.validation_targets,
        task.test_targets[:1],
        task.validation_pairs,
        task.test_pairs[task.test_pairs[:, 1] == task.test_targets[0]],
    )
    again = garden.adapt(fewer, config=QUICK)
    assert np.array_equal(again.policy.weights.first, adapted.policy.weights.first)


def test_adapt__comes_back_from_its_folder_with_what_it_has_seen(task, adapted, tmp_path):
    adapted.save(tmp_path / "mine")
    back = strategy_named(str(tmp_path / "mine"))
    assert (back.trained_task, back.trained_seed) == (task.content_hash, 3)
    assert back.record == adapted.record
    assert back.trained_on == adapted.trained_on == GraphIdentity.of(task.graph)
    assert len(back.policy.met) == len(adapted.policy.met) > 0
    mine, stored = (garden.evaluate(task, one).results[0] for one in (adapted, back))
    assert mine.oracle_ratio == stored.oracle_ratio


def test_adapt__is_refused_on_another_split_of_its_own_graph_and_free_on_others(task, adapted):
    other = SearchTask.split(task.graph, seed=4)
    with pytest.raises(StrategyError, match="another split: use `seed=3`"):
        garden.evaluate(other, adapted)
    assert garden.evaluate(other, adapted, allow_seen_targets=True).seen_targets
    elsewhere = kaiser_hilgetag(n=60, alpha=30, beta=0.4, seed=6)
    assert not garden.evaluate(elsewhere, adapted).seen_targets


def test_adapt__the_shipped_policy_remembers_no_task():
    assert not hasattr(strategy_named("universal"), "trained_task")


def test_adapt__keeps_what_is_in_a_folder_unless_told(task, adapted, tmp_path):
    adapted.save(tmp_path)
    with pytest.raises(DataError, match="holds a policy already"):
        garden.adapt(task, config=QUICK, out=tmp_path)
    garden.adapt(task, config=QUICK, out=tmp_path, force=True)


def test_adapt__starts_from_policies_for_every_graph_alone(task):
    with pytest.raises(SpecError, match="cannot be adapted"):
        garden.adapt(task, start="distance")


@pytest.mark.parametrize("local", [False, True])
def test_adapt__refuses_a_graph_without_attributes(local):
    ring = Graph.from_edges(np.array([[node, (node + 1) % 12] for node in range(12)]), 12)
    with pytest.raises(StrategyError, match="this graph has none"):
        garden.adapt(ring, config=AdaptConfig(updates=1, local=local))


def test_load__says_where_a_folder_does_not_tell_what_it_was_adapted_to(adapted, tmp_path):
    adapted.save(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace('"task_hash"', '"task"'))
    with pytest.raises(DataError, match="does not say what it was adapted to"):
        strategy_named(str(tmp_path))


def test_messages__go_to_training_targets_and_a_longer_list_begins_like_a_short_one(task):
    few, many = training_messages(task, 70), training_messages(task, 230)
    assert (few.shape, many.shape) == ((70, 2), (230, 2))
    assert np.array_equal(many[:70], few)
    assert np.isin(many[:, 1], task.train_targets).all()
    assert (many[:, 0] != many[:, 1]).all()
    assert len(training_targets(task, AdaptConfig(messages=5))) <= 5


@pytest.mark.parametrize("wrong", [{"updates": 0}, {"messages": 0}, {"learning_rate": 0.0}])
def test_config__refuses_what_makes_no_sense(wrong):
    with pytest.raises(SpecError, match=next(iter(wrong))):
        AdaptConfig(**wrong)
