"""Agents that learn by themselves: what each may read, and that it helps."""

import numpy as np
import pytest

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import DataError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import contender_named, strategy_named
from garden.search.config import EvaluationConfig
from garden.search.episode_rng import episode_streams
from garden.search.rollout import rollout
from garden.search.walk import walk
from garden.strategies.registry import MEMORIES
from garden.strategies.universal.edge_bias import EdgeBias
from garden.training.universal.adapt_local import LearningAgent, edge_bias_of, learn_locally, send
from garden.training.universal.config import AdaptConfig

SAMPLED = EvaluationConfig(evaluation="sampled", episodes_per_pair=5)


@pytest.fixture(scope="module")
def task():
    return SearchTask.split(kaiser_hilgetag(n=60, alpha=30, beta=0.2, seed=7), seed=3)


@pytest.fixture(scope="module")
def adapted(task):
    return garden.adapt(task, config=AdaptConfig(local=True, messages=1500))


def test_agent__prefers_what_delivered_sooner_than_it_is_used_to():
    agent = LearningAgent(2)
    even = agent.probabilities(np.zeros(2))
    agent.learn(even, 0, further_hops=None)
    agent.learn(even, 1, further_hops=0)
    assert agent.edge_bias == pytest.approx([-0.15, 0.15])
    assert agent.baseline == pytest.approx(0.5)


def test_agent__the_first_outcome_only_tells_it_what_to_expect():
    agent = LearningAgent(3)
    agent.learn(agent.probabilities(np.zeros(3)), 1, further_hops=2)
    assert not agent.edge_bias.any()
    assert agent.baseline == pytest.approx(0.81)


def square_with_a_tail():
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [3, 4]])
    return Graph.from_edges(edges, 5, np.eye(5))


def test_send__only_those_who_held_the_message_learn_from_it():
    graph = square_with_a_tail()
    agents = [LearningAgent(len(graph.neighbours(node))) for node in range(5)]
    scores = np.array([0.0, 50.0, 0.0, 0.0, 0.0])  # whoever can, sends to node 1
    send(graph, agents, scores, source=0, target=1, draws=np.random.default_rng(0))
    assert [agent.num_outcomes for agent in agents] == [1, 0, 0, 0, 0]
    assert agents[0].baseline == 1


def test_learn__an_agents_numbers_follow_from_its_own_history_alone(monkeypatch):
    graph, histories, learn = square_with_a_tail(), {}, LearningAgent.learn

    def recorded(agent, probabilities, chosen, further_hops):
        histories.setdefault(id(agent), []).append((probabilities.copy(), chosen, further_hops))
        learn(agent, probabilities, chosen, further_hops)

    monkeypatch.setattr(LearningAgent, "learn", recorded)
    agents = [LearningAgent(len(graph.neighbours(node))) for node in range(5)]
    draws = np.random.default_rng(1)
    for source, target in [(0, 4), (1, 4), (4, 2), (2, 0), (0, 2)] * 10:
        send(graph, agents, np.zeros(5), source, target, draws)
    for agent in agents:
        alone = LearningAgent(len(agent.edge_bias))
        for probabilities, chosen, further_hops in histories[id(agent)]:
            learn(alone, probabilities, chosen, further_hops)
        assert np.array_equal(alone.edge_bias, agent.edge_bias)
        assert alone.baseline == agent.baseline
    assert agents[0].edge_bias.any()


def test_learn__messages_that_pass_make_later_ones_quicker(task, adapted):
    ratios = [
        garden.evaluate(task, one, config=SAMPLED).results[0].oracle_ratio
        for one in ("universal", adapted)
    ]
    assert ratios[1] < ratios[0]


def test_learn__a_seed_says_everything(task):
    strategy = strategy_named("universal")
    first, second = (learn_locally(strategy, task, 60) for _ in range(2))
    assert np.array_equal(first.values, second.values)
    assert first.values.any()


def test_local__representations_and_scores_stay_as_they_are_announced(task, adapted):
    universal = strategy_named("universal")
    rows = universal.represent(ego_graphs(task.graph))
    assert np.array_equal(adapted.score(rows, rows), universal.score(rows, rows))


@pytest.mark.parametrize("memory", ["none", "visited", "backtrack", "frontier"])
def test_local__batches_walk_as_single_messages_do(task, adapted, memory):
    contender = contender_named(adapted, memory)
    rows = adapted.represent(ego_graphs(task.graph))
    pairs = task.test_pairs[:12]
    many = rollout(task.graph, adapted, rows, pairs, contender.memory, 40, 1, 5, keep_paths=True)
    for number, ((source, target), stream) in enumerate(
        zip(pairs, episode_streams(5, 0, 12), strict=True)
    ):
        trip = walk(task.graph, adapted, rows, source, target, contender.memory, 40, int(stream))
        path = many.paths[number, 0]
        assert tuple(path[path >= 0]) == trip.nodes


def test_edge_bias__of_nothing_leaves_every_memory_as_it_is(task):
    agents = [LearningAgent(len(task.graph.neighbours(n))) for n in range(task.graph.num_nodes)]
    edge_bias = edge_bias_of(task.graph, agents)
    universal = strategy_named("universal")
    rows = universal.represent(ego_graphs(task.graph))
    for name in ("none", "backtrack"):
        plain, biased = (
            rollout(task.graph, universal, rows, task.test_pairs[:30], memory, 40, 2, 1).hops
            for memory in (MEMORIES[name], edge_bias.with_memory(MEMORIES[name]))
        )
        assert np.array_equal(plain, biased)


def test_edge_bias__finds_a_link_by_its_holder_and_its_neighbour():
    edge_bias = EdgeBias(np.array([0, 0, 1, 2]), np.array([1, 2, 0, 0]), np.array([1.0, 2, 3, 4]))
    assert edge_bias.of(np.array([2, 0, 0]), np.array([0, 2, 1])).tolist() == [4, 2, 1]


def test_local__comes_back_from_its_folder_and_is_refused_elsewhere(task, adapted, tmp_path):
    adapted.save(tmp_path)
    back = strategy_named(str(tmp_path))
    mine, stored = (
        garden.evaluate(task, one, config=SAMPLED).results[0] for one in (adapted, back)
    )
    assert mine.oracle_ratio == stored.oracle_ratio
    assert (mine.evaluation, mine.memory) == ("sampled", "local")
    with pytest.raises(StrategyError, match="its agents are not those of"):
        garden.evaluate(kaiser_hilgetag(n=60, seed=8), adapted)
    file = tmp_path / "edge_bias.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match="altered"):
        strategy_named(str(tmp_path))
