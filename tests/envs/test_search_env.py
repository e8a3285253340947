from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded, UnsupportedMode

from garden.datasets.task import SearchTask
from garden.envs import SearchEnv
from garden.errors import GardenError, TaskError


def test_episode__is_delivered_with_reward_one(small_task: SearchTask) -> None:
    env = SearchEnv(small_task)
    _, info = env.reset(options={"pair": (0, 4)})
    assert info["action_mask"].tolist() == [1, 0, 0]
    results = [env.step(slot) for slot in (0, 2, 2)]
    assert env.path == [0, 1, 3, 4]
    assert [result[1] for result in results] == [0.0, 0.0, 1.0]
    assert [result[2] for result in results] == [False, False, True]
    assert not any(result[3] for result in results)
    assert (env.action_masks() == results[-1][4]["action_mask"].astype(bool)).all()


def test_episode__is_truncated_at_max_hops(small_task: SearchTask) -> None:
    env = SearchEnv(small_task, max_hops=2)
    env.reset(options={"pair": (0, 4)})
    assert env.step(0)[2:4] == (False, False)
    observation, reward, terminated, truncated, _ = env.step(0)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert observation in env.observation_space


def test_reset__draws_targets_of_its_split_alone(grown_task: SearchTask) -> None:
    for split in ("train", "validation", "test"):
        env = SearchEnv(grown_task, split=split)
        env.reset(seed=0)
        drawn = set()
        for _ in range(60):
            env.reset()
            drawn.add(int(env.episode.targets[0]))
        assert drawn <= set(grown_task.targets(split).tolist())
        assert len(drawn) > 3


def test_reset__a_seed_gives_the_same_episodes_and_another_others(grown_task: SearchTask) -> None:
    def pairs(env: SearchEnv, seed: int | None) -> list[tuple[int, int]]:
        env.reset(seed=seed)
        found = []
        for _ in range(20):
            found.append((int(env.episode.holders[0]), int(env.episode.targets[0])))
            env.reset()
        return found

    first, second = SearchEnv(grown_task), SearchEnv(grown_task)
    assert pairs(first, 3) == pairs(second, 3)
    assert pairs(first, 3) != pairs(second, 4)
    assert pairs(SearchEnv(grown_task), None) != pairs(SearchEnv(grown_task), None)


@pytest.mark.parametrize("action", [1, -1, 3, 0.5, "0", np.array([0]), None])
def test_step__a_bad_action_is_gymnasiums_invalid_action(
    small_task: SearchTask, action: object
) -> None:
    env = SearchEnv(small_task)
    env.reset(options={"pair": (0, 4)})
    with pytest.raises(InvalidAction):
        env.step(action)  # type: ignore[arg-type]
    assert env.path == [0]
    env.step(np.int32(0))
    assert env.path == [0, 1]


def test_step__needs_a_reset_before_and_after(small_task: SearchTask) -> None:
    env = SearchEnv(small_task, render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.step(0)
    with pytest.raises(ResetNeeded):
        env.render()
    with pytest.raises(ResetNeeded):
        env.action_masks()
    env.reset(options={"pair": (3, 4)})
    env.step(2)
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


@pytest.mark.parametrize(
    "options",
    [{"max_hops": 0}, {"max_hops": "ten"}, {"split": "training"}, {"observe": "everything"}],
)
def test_init__refuses_bad_options(small_task: SearchTask, options: dict[str, object]) -> None:
    with pytest.raises(GardenError):
        SearchEnv(small_task, **options)  # type: ignore[arg-type]


def test_init__refuses_a_graph_and_an_unknown_render_mode(small_task: SearchTask) -> None:
    with pytest.raises(TaskError, match="SearchTask"):
        SearchEnv(small_task.graph)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedMode):
        SearchEnv(small_task, render_mode="human")


def test_reset__refuses_a_pair_that_is_none(small_task: SearchTask) -> None:
    env = SearchEnv(small_task)
    with pytest.raises(TaskError, match="same node"):
        env.reset(options={"pair": (4, 4)})
    with pytest.raises(TaskError, match="unknown option 'pairs': use pair"):
        env.reset(options={"pairs": (0, 4)})


def test_observe_mask__the_observation_is_the_mask(small_task: SearchTask) -> None:
    env = SearchEnv(small_task, observe="mask")
    observation, info = env.reset(options={"pair": (1, 4)})
    assert observation.tolist() == info["action_mask"].tolist() == [1, 1, 1]
    assert observation is not info["action_mask"]
    assert observation in env.observation_space


def test_sample__is_a_slot_of_any_holder_or_of_the_mask(small_task: SearchTask) -> None:
    env = SearchEnv(small_task)
    _, info = env.reset(options={"pair": (1, 4)})
    env.action_space.seed(0)
    assert {int(env.action_space.sample()) for _ in range(50)} == {0}  # some nodes have one slot
    assert {int(env.action_space.sample(info["action_mask"])) for _ in range(50)} == {0, 1, 2}


def test_render__draws_the_path_and_what_the_holder_sees(small_task: SearchTask) -> None:
    env = SearchEnv(small_task, render_mode="rgb_array")
    env.reset(options={"pair": (0, 4)})
    before = env.render()
    assert before.ndim == 3
    assert before.shape[2] == 3
    assert before.dtype == np.uint8
    env.step(0)
    assert (env.render() != before).any()


def test_render__tells_the_path_and_what_the_holder_sees(small_task: SearchTask) -> None:
    env = SearchEnv(small_task, render_mode="ansi")
    env.reset(options={"pair": (0, 4)})
    env.step(0)
    assert env.render() == "hop 1, target 4\n0 → 1\n1 sees 0: 0, 1: 2, 2: 3\n"
    silent = SearchEnv(small_task)
    silent.reset(seed=0)
    assert silent.render() is None


def test_make__by_name_from_a_spec_and_a_seed() -> None:
    env = gymnasium.make(
        "garden/Search-v0", spec="kaiser-hilgetag:n=30,beta=1,seed=2", seed=5, max_hops=7
    )
    inner = env.unwrapped
    assert isinstance(inner, SearchEnv)
    assert inner.config.task.seed == 5
    assert inner.config.task.graph.num_nodes == 30
    assert inner.config.max_hops == 7
    with pytest.raises(ResetNeeded):
        env.step(0)
    envs = gymnasium.make_vec(
        "garden/Search-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        spec="kaiser-hilgetag:n=30,beta=1,seed=2",
        seed=5,
    )
    assert envs.num_envs == 3
    assert envs.unwrapped.config.task.content_hash == inner.config.task.content_hash
