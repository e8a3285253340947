"""The same seed and actions give the same episode in every view, and in our own rollout."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv, SearchVectorEnv
from garden.graphs.ego_extraction import ego_graphs
from garden.search.episode_rng import episode_streams, next_streams, uniforms_of
from garden.search.rollout import rollout
from garden.strategies.registry import MEMORIES
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights, choose
from garden.strategies.walkers import DistanceWalker

NUM_EPISODES, MAX_HOPS, SEED = 12, 25, 4
WALKER = DistanceWalker(temperature=0.05)


@pytest.fixture(scope="module")
def paths(grown_task: SearchTask) -> np.ndarray:
    """What the rollout makes of the first pairs of the seed, (NUM_EPISODES, MAX_HOPS + 1)."""
    env = SearchEnv(grown_task)
    pairs = []
    for number in range(NUM_EPISODES):
        env.reset(seed=SEED if number == 0 else None)
        pairs.append([env.episode.holders[0], env.episode.targets[0]])
    graph = grown_task.graph
    rows = WALKER.represent(ego_graphs(graph))
    walks = rollout(
        graph,
        WALKER,
        rows,
        np.array(pairs),
        MEMORIES["none"],
        MAX_HOPS,
        episodes_per_pair=1,
        seed=SEED,
        keep_paths=True,
    )
    hops = walks.hops[:, 0]
    assert (hops <= MAX_HOPS).any()
    assert (hops > MAX_HOPS).any()  # some are delivered, some truncated
    return walks.paths[:, 0]


def slots_along(task: SearchTask, path: np.ndarray) -> list[int]:
    nodes = path[path >= 0]
    return [int(np.flatnonzero(task.graph.neighbours(a) == b)[0]) for a, b in pairwise(nodes)]


def walkers_slot(
    env: SearchEnv, observation: np.ndarray, mask: np.ndarray, state: np.ndarray
) -> int:
    """The walker's choice from the observation and nothing else."""
    rows = observation.reshape(len(mask) + 1, -1)[:, 2:]
    candidates = Representations({"profile": rows[:-1][mask == 1]})
    targets = Representations({"profile": rows[-1:].repeat(mask.sum(), axis=0)})
    scores = WALKER.score_pairs(candidates, targets)
    return choose(choice_weights(scores, WALKER.selection), float(uniforms_of(state)[0]))


def test_search_env__a_strategy_that_acts_on_observations_walks_as_the_rollout_does(
    grown_task: SearchTask, paths: np.ndarray
) -> None:
    env = SearchEnv(grown_task, max_hops=MAX_HOPS)
    streams = episode_streams(SEED, 0, NUM_EPISODES)
    for number, path in enumerate(paths):
        state = streams[number : number + 1]
        observation, info = env.reset(seed=SEED if number == 0 else None)
        over = False
        while not over:
            state = next_streams(state)
            slot = walkers_slot(env, observation, info["action_mask"], state)
            observation, reward, terminated, truncated, info = env.step(slot)
            over = terminated or truncated
        assert env.path == path[path >= 0].tolist()
        assert terminated == (reward == 1.0) == (env.path[-1] == env.episode.targets[0])


def test_vector_env__plays_the_same_episodes(grown_task: SearchTask, paths: np.ndarray) -> None:
    """One environment gives the seed's episodes one after the other, with autoreset between."""
    envs = SearchVectorEnv(grown_task, 1, max_hops=MAX_HOPS)
    envs.reset(seed=SEED)
    for path in paths:
        nodes = path[path >= 0]
        for slot, node in zip(slots_along(grown_task, path), nodes[:-1], strict=True):
            assert envs.episodes.holders[0] == node
            _, rewards, terminated, truncated, _ = envs.step(np.array([slot]))
        assert terminated[0] or truncated[0]
        assert rewards[0] == terminated[0]


def test_vector_env__environment_i_is_the_single_one_of_seed_plus_i(
    grown_task: SearchTask,
) -> None:
    envs = SearchVectorEnv(grown_task, 6, autoreset_mode=AutoresetMode.DISABLED)
    seen, _ = envs.reset(seed=SEED)
    for number in range(6):
        single = SearchEnv(grown_task)
        observation, _ = single.reset(seed=SEED + number)
        assert (observation == seen[number]).all()


def test_aec_env__plays_the_same_episodes(grown_task: SearchTask, paths: np.ndarray) -> None:
    agents = SearchAECEnv(grown_task, max_hops=MAX_HOPS)
    single = SearchEnv(grown_task, max_hops=MAX_HOPS)
    for number, path in enumerate(paths):
        seed = SEED if number == 0 else None
        agents.reset(seed=seed)
        observation, _ = single.reset(seed=seed)
        for slot in slots_along(grown_task, path):
            assert (agents.observe(agents.agent_selection) == observation).all()
            agents.step(slot)
            observation, reward, terminated, truncated, _ = single.step(slot)
            assert set(agents.rewards.values()) == {reward}
            assert set(agents.terminations.values()) == {terminated}
            assert set(agents.truncations.values()) == {truncated}
        assert terminated or truncated
        assert agents.path == single.path == path[path >= 0].tolist()
