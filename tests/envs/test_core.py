from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.envs import core
from garden.envs.env_config import EnvConfig
from garden.errors import ActionError, TaskError
from garden.graphs.graph import Graph
from garden.search.episode_rng import episode_streams, stream_root, streams_of, uniforms_of


def test_step__messages_follow_the_slots_of_their_holders(small_graph: Graph) -> None:
    episodes = core.reset(small_graph, np.array([[0, 4], [3, 4], [1, 5]]))
    after, rewards = core.step(small_graph, episodes, np.array([0, 2, 2]), max_hops=10)
    assert after.holders.tolist() == [1, 4, 3]
    assert after.hops.tolist() == [1, 1, 1]
    assert after.delivered.tolist() == [False, True, False]
    assert rewards.tolist() == [0.0, 1.0, 0.0]
    assert episodes.holders.tolist() == [0, 3, 1]  # as they were


def test_step__a_finished_episode_stays_whatever_its_action(small_graph: Graph) -> None:
    episodes = core.reset(small_graph, np.array([[3, 4], [0, 5]]))
    episodes, _ = core.step(small_graph, episodes, np.array([2, 0]), max_hops=10)
    after, rewards = core.step(small_graph, episodes, np.array([99, 0]), max_hops=10)
    assert after.holders.tolist() == [4, 0]
    assert after.hops.tolist() == [1, 2]
    assert after.delivered.tolist() == [True, False]
    assert rewards.tolist() == [0.0, 0.0]  # the reward came once, on delivery


def test_step__truncates_at_max_hops_unless_delivered_there(small_graph: Graph) -> None:
    episodes = core.reset(small_graph, np.array([[1, 4], [1, 4]]))
    episodes, _ = core.step(small_graph, episodes, np.array([2, 0]), max_hops=2)
    assert not episodes.finished.any()
    episodes, rewards = core.step(small_graph, episodes, np.array([2, 0]), max_hops=2)
    assert episodes.delivered.tolist() == [True, False]
    assert episodes.truncated.tolist() == [False, True]
    assert rewards.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.array([1]), "slots are 0 … 0"),
        (np.array([-1]), "action -1 of episode 0"),
        (np.array([0, 0]), "shape"),
        (np.array([0.0]), "whole number"),
    ],
)
def test_step__refuses_what_is_no_slot(
    small_graph: Graph, actions: np.ndarray, message: str
) -> None:
    episodes = core.reset(small_graph, np.array([[0, 4]]))
    with pytest.raises(ActionError, match=message):
        core.step(small_graph, episodes, actions, max_hops=10)


@pytest.mark.parametrize("pairs", [[[0, 0]], [[0, 6]], [[-1, 2]], [0, 1], [[0.0, 1.0]]])
def test_reset__refuses_pairs_that_are_none(small_graph: Graph, pairs: list[object]) -> None:
    with pytest.raises(TaskError):
        core.reset(small_graph, np.array(pairs))


def test_action_masks__show_as_many_slots_as_neighbours(small_graph: Graph) -> None:
    masks = core.action_masks(small_graph, np.array([0, 3, 4]), 3)
    assert masks.tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]
    assert masks.dtype == np.int8


@given(seed=st.integers(0, 1000), max_hops=st.integers(1, 30))
def test_step__every_hop_follows_an_edge_and_every_episode_ends(seed: int, max_hops: int) -> None:
    graph = kaiser_hilgetag(n=20, alpha=10, beta=0.5, seed=seed % 5)
    rng = np.random.default_rng(seed)
    pairs = np.stack([rng.permutation(20)[:2] for _ in range(8)])
    episodes = core.reset(graph, pairs)
    total = np.zeros(8)
    linked = graph.adjacency().toarray() > 0
    for _ in range(max_hops):
        before = episodes
        actions = rng.integers(graph.degrees[before.holders])
        episodes, rewards = core.step(graph, before, actions, max_hops)
        moved = ~before.finished
        assert linked[before.holders[moved], episodes.holders[moved]].all()
        total += rewards
    assert episodes.finished.all()
    assert (total == episodes.delivered).all()
    assert (episodes.delivered == (episodes.holders == episodes.targets)).all()
    assert (episodes.hops[episodes.truncated] == max_hops).all()


def plain_uniform(state: int) -> float:
    """SplitMix64's output function, in whole numbers of Python."""
    word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % (1 << 64)
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % (1 << 64)
    return ((word ^ (word >> 31)) >> 11) / (1 << 53)


def test_streams__of_roots_and_numbers_are_those_of_the_rollout() -> None:
    roots = np.array([stream_root(7), stream_root(7), stream_root(8)])
    streams = streams_of(roots, np.array([0, 5, 2]))
    assert streams[0] == episode_streams(7, 0, 1)[0]
    assert streams[1] == episode_streams(7, 0, 6)[5]
    assert streams[2] == episode_streams(8, 2, 1)[0]
    assert uniforms_of(streams).tolist() == [plain_uniform(int(state)) for state in streams]


def test_pairs__are_uniform_over_targets_and_other_sources() -> None:
    config = EnvConfig(SearchTask.split(kaiser_hilgetag(20)), "test")
    roots = np.full(40_000, stream_root(0))
    pairs = config.pairs(roots, np.arange(40_000))
    counts = np.zeros((20, 20))
    np.add.at(counts, (pairs[:, 1], pairs[:, 0]), 1)
    expected = np.zeros((20, 20))
    expected[config.task.test_targets] = 40_000 / 38
    np.fill_diagonal(expected, 0)
    assert np.abs(counts - expected).max() < 4 * np.sqrt(40_000 / 38)
    assert (counts[expected == 0] == 0).all()
