import json

from garden.experiments.run.jobs import Training
from garden.experiments.run.policy_cache import PolicyCache, groups_to_train
from garden.training.config import TrainingOptions
from small_work import GRAPH


def test_cache__a_policy_cut_short_is_trained_again(tmp_path):
    cache = PolicyCache(tmp_path, "cpu")
    training = Training(GRAPH, 0, TrainingOptions(updates=2))
    cache.policy(training)
    summary = cache.folder_of(training) / "summary.json"
    summary.write_text(json.dumps({**json.loads(summary.read_text()), "stopped": "interrupted"}))
    assert not cache.is_trained(training)
    cache.policy(training)
    assert cache.is_trained(training)


def test_cache__seeds_of_one_graph_and_method_go_as_one_stack(tmp_path):
    options, others = TrainingOptions(updates=2), TrainingOptions(updates=3)
    trainings = [Training(GRAPH, seed, options) for seed in (0, 1, 0)]
    stacks = groups_to_train([*trainings, Training(GRAPH, 0, others)])
    assert [[one.seed for one in stack] for stack in stacks] == [[0, 1], [0]]
    cache = PolicyCache(tmp_path, "cpu")
    cache.train(stacks[0])
    assert all(cache.is_trained(training) for training in trainings)
    assert cache.policy(trainings[1]).info.training["stack"] == [2, 1]


def test_cache__a_policy_with_a_time_limit_may_be_cut_off_by_it(tmp_path):
    cache = PolicyCache(tmp_path, "cpu")
    limited = Training(GRAPH, 0, TrainingOptions(updates=2), max_minutes=5)
    assert limited.key != Training(GRAPH, 0, TrainingOptions(updates=2)).key
    cache.policy(limited)
    summary = cache.folder_of(limited) / "summary.json"
    for stopped, is_trained in (("time", True), ("interrupted", False)):
        summary.write_text(json.dumps({**json.loads(summary.read_text()), "stopped": stopped}))
        assert cache.is_trained(limited) == is_trained
