from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from garden.datasets.task import SearchTask
from garden.envs import SearchEnv, SearchVectorEnv
from garden.errors import TaskError

MODES = list(AutoresetMode)
NUM_ENVS, NUM_STEPS = 5, 40


def random_slots(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(mask)) * np.maximum(mask.sum(axis=1), 1)).astype(np.int64)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("observe", ["features", "mask"])
def test_step__equals_gymnasiums_own_vector_of_single_environments(
    grown_task: SearchTask, mode: AutoresetMode, observe: str
) -> None:
    """Observations, rewards, ends, masks and what is final, under both autoreset modes."""
    options = {"max_hops": 7, "observe": observe}
    ours = SearchVectorEnv(grown_task, NUM_ENVS, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv(
        [lambda: SearchEnv(grown_task, **options)] * NUM_ENVS, autoreset_mode=mode
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen, info = ours.reset(seed=11)
    expected, expected_info = theirs.reset(seed=11)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(NUM_STEPS):
        assert (seen == expected).all()
        assert seen.dtype == expected.dtype
        assert info.keys() == expected_info.keys()
        assert (info["action_mask"] == expected_info["action_mask"]).all()
        if "final_obs" in info:
            assert (info["_final_obs"] == expected_info["_final_obs"]).all()
            for row in np.flatnonzero(info["_final_obs"]):
                assert (info["final_obs"][row] == expected_info["final_obs"][row]).all()
            for key in ("action_mask", "_action_mask"):
                assert (info["final_info"][key] == expected_info["final_info"][key]).all()
        actions = random_slots(info["action_mask"], rng)
        seen, rewards, terminated, truncated, info = ours.step(actions)
        expected, *others, expected_info = theirs.step(actions)
        for mine, other in zip((rewards, terminated, truncated), others, strict=True):
            assert (mine == other).all()
        ends += int((terminated | truncated).sum())
    assert ends > NUM_ENVS


def test_same_step__the_final_observation_is_the_holders_at_the_end(small_task: SearchTask) -> None:
    envs = SearchVectorEnv(small_task, 2)
    assert SearchVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs.reset(seed=0, options={"pairs": np.array([[3, 4], [0, 4]])})
    seen, rewards, terminated, _, info = envs.step(np.array([2, 0]))
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [1.0, 0.0]
    expected = envs.config.observer.observe(np.array([4]), np.array([4]))[0]
    assert (info["final_obs"][0] == expected).all()
    assert info["final_obs"][1] is None
    assert info["final_info"]["action_mask"][0].tolist() == [1, 1, 0]
    assert envs.episodes.hops.tolist() == [0, 1]  # the next episode has begun
    begun = envs.config.observer.observe(envs.episodes.holders, envs.episodes.targets)
    assert (seen == begun).all()


def test_next_step__the_step_after_the_end_begins_an_episode(small_task: SearchTask) -> None:
    envs = SearchVectorEnv(small_task, 1, autoreset_mode="NextStep")
    envs.reset(seed=0, options={"pairs": np.array([[3, 4]])})
    seen, _, terminated, _, info = envs.step(np.array([2]))
    assert terminated[0]
    assert "final_obs" not in info
    assert (seen[0] == envs.config.observer.observe(np.array([4]), np.array([4]))[0]).all()
    _, rewards, terminated, truncated, _ = envs.step(np.array([99]))  # any action will do
    assert (rewards[0], terminated[0], truncated[0]) == (0.0, False, False)
    assert envs.episodes.hops[0] == 0


def test_disabled__a_finished_episode_waits_for_its_reset(small_task: SearchTask) -> None:
    envs = SearchVectorEnv(small_task, 2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0, options={"pairs": np.array([[3, 4], [0, 4]])})
    envs.step(np.array([2, 0]))
    _, rewards, terminated, _, _ = envs.step(np.array([99, 0]))
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [0.0, 0.0]
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.episodes.hops.tolist() == [0, 2]
    assert envs.episodes.holders[1] == 0
    assert not envs.episodes.finished.any()


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, False], TypeError),
        (np.array([1, 0]), TypeError),
        (np.array([True]), ValueError),
        (np.array([False, False]), ValueError),
    ],
)
def test_reset_mask__is_checked_as_gymnasium_does(
    small_task: SearchTask, mask: object, error: type[Exception]
) -> None:
    envs = SearchVectorEnv(small_task, 2)
    envs.reset(seed=0)
    with pytest.raises(error):
        envs.reset(options={"reset_mask": mask})


def test_reset__seeds_may_be_given_one_by_one(grown_task: SearchTask) -> None:
    envs = SearchVectorEnv(grown_task, 3)
    envs.reset(seed=[5, 9, 5])
    single = SearchEnv(grown_task)
    single.reset(seed=9)
    pairs = np.stack([envs.episodes.holders, envs.episodes.targets], axis=1)
    assert pairs[1].tolist() == [single.episode.holders[0], single.episode.targets[0]]
    assert pairs[0].tolist() == pairs[2].tolist()
    envs.reset(seed=[5, None, None])
    assert [envs.episodes.holders[0], envs.episodes.targets[0]] == pairs[0].tolist()
    single.reset()  # the second episode of seed 9
    assert envs.episodes.targets[1] == single.episode.targets[0]
    with pytest.raises(ValueError, match="num_envs"):
        envs.reset(seed=[1, 2])
    with pytest.raises(TaskError, match="unknown option"):
        envs.reset(options={"pair": [[0, 1]] * 3})
    with pytest.raises(TaskError, match="shape"):
        envs.reset(options={"pairs": [[0, 1]] * 2})


def test_reset__without_a_seed_two_environments_differ(grown_task: SearchTask) -> None:
    drawn = []
    for _ in range(2):
        envs = SearchVectorEnv(grown_task, 50, observe="mask")
        envs.reset()
        drawn.append(envs.episodes.holders)
    assert (drawn[0] != drawn[1]).any()


def test_step__bad_actions_and_no_reset_are_gymnasiums_errors(small_task: SearchTask) -> None:
    envs = SearchVectorEnv(small_task, 2)
    with pytest.raises(ResetNeeded):
        envs.step(np.array([0, 0]))
    with pytest.raises(ResetNeeded):
        _ = envs.episodes
    envs.reset(seed=0, options={"pairs": np.array([[0, 4], [1, 4]])})
    for actions in (np.array([0]), np.array([1, 0]), np.array([0.0, 0.0]), np.zeros((2, 1), int)):
        with pytest.raises(InvalidAction):
            envs.step(actions)
    assert envs.episodes.hops.tolist() == [0, 0]
    envs.step([0, 0])  # type: ignore[arg-type]
    assert envs.episodes.hops.tolist() == [1, 1]


def test_init__refuses_no_episodes_and_unknown_modes(small_task: SearchTask) -> None:
    for num_envs in (0, 1.5, True):
        with pytest.raises(TaskError, match="num_envs"):
            SearchVectorEnv(small_task, num_envs)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sometimes"):
        SearchVectorEnv(small_task, 2, autoreset_mode="sometimes")


def test_observations__are_the_callers_own(grown_task: SearchTask) -> None:
    """What one step returned stays as it was, whatever later steps do and callers change."""
    envs = SearchVectorEnv(grown_task, 4)
    seen, info = envs.reset(seed=0)
    kept = [seen]
    copies = [seen.copy()]
    rng = np.random.default_rng(0)
    for _ in range(6):
        seen, _, _, _, info = envs.step(random_slots(info["action_mask"], rng))
        kept.append(seen)
        copies.append(seen.copy())
    assert all((a == b).all() for a, b in zip(kept, copies, strict=True))
    kept.clear()
    seen[:] = 99
    del seen
    for _ in range(4):
        after, _, _, _, info = envs.step(random_slots(info["action_mask"], rng))
        assert (after != 99).all()


def test_sample__is_a_slot_of_any_holder(grown_task: SearchTask) -> None:
    envs = SearchVectorEnv(grown_task, 6, observe="mask")
    envs.reset(seed=0)
    for _ in range(20):
        envs.step(envs.action_space.sample())
    mask = envs.action_masks().astype(np.int8)
    for _ in range(20):
        chosen = envs.action_space.sample(mask=tuple(mask))
        assert mask[np.arange(6), chosen].all()
