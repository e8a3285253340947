"""The limit of hops of environments: as far as the targets of their task ask for."""

from __future__ import annotations

import numpy as np
import pytest

from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv, SearchVectorEnv
from garden.envs import env_config as setting
from garden.envs.env_config import Setting
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
        assert Setting(TASK, split).limit == 10 * longest


def test_limit__is_100_where_distances_are_short(small_task: SearchTask) -> None:
    assert Setting(small_task).max_hops == 100


def test_limit__one_that_is_given_stays_as_it_is() -> None:
    assert Setting(TASK, max_hops=7).max_hops == 7
    for bad in (0, "Auto", True):
        with pytest.raises(TaskError, match="max_hops is"):
            Setting(TASK, max_hops=bad)  # type: ignore[arg-type]


def test_limit__every_environment_has_the_same() -> None:
    limit = Setting(TASK).limit
    assert SearchEnv(TASK).setting.max_hops == limit
    assert SearchVectorEnv(TASK, 2).setting.max_hops == limit
    assert SearchAECEnv(TASK).setting.max_hops == limit


def test_limit__goes_by_a_sample_of_targets_on_a_large_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(setting, "MAX_MEASURED_NODES", 100)
    monkeypatch.setattr(setting, "NUM_MEASURED_TARGETS", 3)
    sampled = Setting(TASK)
    assert len(sampled._measured_targets()) == 3
    assert 600 <= sampled.limit <= Setting(TASK, "all").limit + 10
    assert Setting(TASK).limit == sampled.limit  # the same sample every time


def test_episode__a_message_can_walk_a_long_path_to_its_end() -> None:
    env = SearchEnv(TASK)
    env.reset(options={"pair": (0, int(TASK.train_targets[-1]))})
    terminated = truncated = False
    while not (terminated or truncated):
        slot = 0 if env.path[-1] == 0 else 1
        _, _, terminated, truncated, _ = env.step(slot)
    assert terminated
