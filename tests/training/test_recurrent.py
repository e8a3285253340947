import numpy as np
import pytest
import torch

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import SpecError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.config import ModelConfig
from garden.models.message import MessageNetwork, RecurrentMemory
from garden.models.policy import Policy
from garden.models.registry import build_model
from garden.resolve import contender_named
from garden.search.episode_rng import episode_streams
from garden.search.rollout import rollout
from garden.search.walk import walk
from garden.strategies.memory import memory_named
from garden.training.config import RunOptions, TrainingOptions
from garden.training.recurrent import train_message
from garden.training.run import train_seeds
from garden.training.training_graph import make_problem

TASK = SearchTask.split(kaiser_hilgetag(n=40, beta=2, seed=1), seed=0)
PAIRS = TASK.test_pairs[:30]


@pytest.fixture(scope="module")
def policy():
    options = TrainingOptions(updates=20, memory_updates=3)
    return garden.train(TASK, options=options, device="cpu", quiet=True)


def hops_of(policy, memory, episodes=4):
    rows = policy.represent(ego_graphs(TASK.graph))
    return rollout(TASK.graph, policy, rows, PAIRS, memory, 50, episodes, seed=5, keep_paths=True)


def test_recurrent__a_state_that_has_learned_nothing_changes_no_hop(policy):
    blank = RecurrentMemory(MessageNetwork(policy.model.row_width))
    expected = hops_of(policy, memory_named("none"))
    found = hops_of(policy, blank)
    assert np.array_equal(found.hops, expected.hops)
    assert np.array_equal(found.paths, expected.paths)


def test_recurrent__messages_together_walk_as_each_does_alone(policy):
    memory = policy.recurrent_memory
    with torch.no_grad():
        memory.network.last.weight.normal_(std=2.0)  # a state that matters
    rows = policy.represent(ego_graphs(TASK.graph))
    together = hops_of(policy, memory, episodes=1)
    streams = episode_streams(5, 0, len(PAIRS))
    for number, (source, target) in enumerate(PAIRS.tolist()):
        alone = walk(TASK.graph, policy, rows, source, target, memory, 50, int(streams[number]))
        path = together.paths[number, 0]
        assert path[path >= 0].tolist() == list(alone.nodes)
        assert together.hops[number, 0] == (alone.hops if alone.delivered else 51)
    blank = RecurrentMemory(MessageNetwork(policy.model.row_width))
    assert not np.array_equal(together.paths, hops_of(policy, blank, episodes=1).paths)


def test_recurrent__learns_to_walk_on_along_a_ring():
    size = 12
    angles = 2 * np.pi * np.arange(size) / size
    ring = Graph.from_edges(
        np.array([[i, (i + 1) % size] for i in range(size)]),
        size,
        np.stack([np.cos(angles), np.sin(angles)], axis=1),
    )
    task = SearchTask.split(ring, seed=0)
    model = build_model("mlpa2c", 2, ModelConfig())
    with torch.no_grad():
        for parameter in model.actor.parameters():
            parameter.zero_()  # a random walk: all that helps is not to turn back
    config = TrainingOptions(model="mlpa2c", memory_updates=150).resolved()
    network = train_message(model, make_problem([task]), config, seed=0)
    walker = contender_named("random").strategy
    policy = Policy(model, garden.load_policy("garden-quickstart").info)
    rows = policy.represent(ego_graphs(ring))
    pairs = task.test_pairs[:200]

    def mean_hops(strategy, memory):
        return rollout(ring, strategy, rows, pairs, memory, 100, 2, seed=0).hops.mean()

    aimless = mean_hops(walker, memory_named("none"))
    assert mean_hops(policy, RecurrentMemory(network)) < 0.75 * aimless


def test_recurrent__is_stored_and_played_by_name(tmp_path, policy):
    policy.save(tmp_path / "run")
    loaded = garden.load_policy(tmp_path / "run")
    for name, tensor in policy.message.state_dict().items():
        assert torch.equal(loaded.message.state_dict()[name], tensor)
    report = garden.evaluate(TASK, [f"{tmp_path / 'run'}+recurrent"])
    (result,) = report.results
    assert result.memory == "recurrent"
    assert result.oracle_ratio >= 1


def test_recurrent__is_missed_aloud():
    bare = garden.load_policy("garden-quickstart")
    with pytest.raises(StrategyError, match="`memory_updates=300`"):
        contender_named(bare, "recurrent")
    with pytest.raises(SpecError, match="only trained policies"):
        contender_named("distance+recurrent")
    unbound = RecurrentMemory(MessageNetwork(3))
    with pytest.raises(StrategyError, match="among"):
        unbound.recall(unbound.start(), 0, np.array([1]), np.array([0.0]))


def test_train__stopped_before_the_message_has_learned_is_no_whole_run(tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("garden.training.run.train_message", stopped)
    options = TrainingOptions(updates=2, memory_updates=3)
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train_seeds([TASK], options, ModelConfig(), RunOptions(device="cpu"), [folder])
    assert (folder / "model.safetensors").exists()
    assert not (folder / "summary.json").exists()
    monkeypatch.undo()
    train_seeds([TASK], options, ModelConfig(), RunOptions(device="cpu"), [folder], resume=True)
    assert (folder / "summary.json").exists()
    assert garden.load_policy(folder).message is not None
