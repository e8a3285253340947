"""The limit of hops of environments: as far as the targets of their task ask for."""

from __future__ import annotations

import numpy as np
import pytest

from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv, SearchVectorEnv, env_config
from garden.envs.env_config import EnvConfig
from garden.errors import TaskError
from garden.graphs.distances import distances
from garden.graphs.graph import Graph

LINE = Graph.from_edges(
    np.array([[node, node + 1] for node in range(119)]), 120, np.arange(120.0)[:, None]
)
TASK = SearchTask.split(LINE, seed=0)


def test_limit__is_ten_times_the_longest_distance_to_the_targets() -> None:
    for split in ("train", "validation", "test"):
        longest = distances(LINE, TASK.targets(split)).max()
        assert EnvConfig(TASK, split).limit == 10 * longest


def test_limit__is_100_where_distances_are_short(small_task: SearchTask) -> None:
    assert EnvConfig(small_task).max_hops == 100


def test_limit__one_that_is_given_stays_as_it_is() -> None:
    assert EnvConfig(TASK, max_hops=7).max_hops == 7
    for bad in (0, "Auto", True):
        with pytest.raises(TaskError, match="max_hops is"):
            EnvConfig(TASK, max_hops=bad)  # type: ignore[arg-type]


def test_limit__every_environment_has_the_same() -> None:
    limit = EnvConfig(TASK).limit
    assert SearchEnv(TASK).config.max_hops == limit
    assert SearchVectorEnv(TASK, 2).config.max_hops == limit
    assert SearchAECEnv(TASK).config.max_hops == limit


def test_limit__goes_by_a_sample_of_targets_on_a_large_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(env_config, "MAX_MEASURED_NODES", 100)
    monkeypatch.setattr(env_config, "NUM_MEASURED_TARGETS", 3)
    sampled = EnvConfig(TASK)
    assert len(sampled._measured_targets()) == 3
    assert 600 <= sampled.limit <= EnvConfig(TASK, "all").limit + 10
    assert EnvConfig(TASK).limit == sampled.limit  # the same sample every time


def test_episode__a_message_can_walk_a_long_path_to_its_end() -> None:
    env = SearchEnv(TASK)
    env.reset(options={"pair": (0, int(TASK.train_targets[-1]))})
    terminated = truncated = False
    while not (terminated or truncated):
        slot = 0 if env.path[-1] == 0 else 1
        _, _, terminated, truncated, _ = env.step(slot)
    assert terminated
