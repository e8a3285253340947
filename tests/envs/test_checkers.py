"""The checkers that other people's tools bring; every warning is an error here."""

from __future__ import annotations

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv, SearchVectorEnv
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.walkers import DistanceWalker

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("observe", ["features", "mask"])
@pytest.mark.parametrize("spec", ["kaiser-hilgetag:n=40,beta=1", "kaiser-hilgetag:n=20,beta=5"])
def test_gymnasium__check_env_passes_without_a_warning(spec: str, observe: str) -> None:
    env = gymnasium.make("garden/Search-v0", spec=spec, seed=0, observe=observe)
    check_env(env.unwrapped)


def test_gymnasium__check_env_passes_on_real_data(
    real_data: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GARDEN_DATA", str(real_data))
    env = gymnasium.make("garden/Search-v0", spec="facebook:414", seed=0)
    check_env(env.unwrapped)


def test_pettingzoo__api_test_and_seed_test_pass_without_a_warning(
    grown_task: SearchTask,
) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(SearchAECEnv(grown_task), num_cycles=1000)
    api_test(SearchAECEnv(grown_task, strategy=DistanceWalker(), max_hops=5), num_cycles=100)
    seed_test(lambda: SearchAECEnv(grown_task), num_cycles=500)


def test_checkers__environments_pass_with_a_strategy_that_has_rounds(
    grown_task: SearchTask,
) -> None:
    from pettingzoo.test import api_test

    check_env(SearchEnv(grown_task, strategy=Beacons(k=3)), skip_render_check=True)
    api_test(SearchAECEnv(grown_task, strategy=Beacons(k=3), max_hops=5), num_cycles=100)
    many = SearchVectorEnv(grown_task, num_envs=2, strategy=Beacons(k=3))
    assert many.reset(seed=0)[0].shape == (2, (grown_task.graph.degrees.max() + 1) * (2 + 3))


def test_stable_baselines3__check_env_passes_without_a_warning(grown_task: SearchTask) -> None:
    from stable_baselines3.common.env_checker import check_env as check_for_sb3

    check_for_sb3(SearchEnv(grown_task))


@pytest.mark.filterwarnings("default")
def test_torchrl__check_env_specs_passes_with_the_mask(grown_task: SearchTask) -> None:
    import torch
    from torchrl.data import Binary
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
    from torchrl.envs.gym_like import default_info_dict_reader
    from torchrl.envs.utils import check_env_specs

    env = SearchEnv(grown_task)
    wrapped = GymWrapper(env, categorical_action_encoding=True)
    spec = {"action_mask": Binary(int(env.action_space.n), dtype=torch.int8)}
    wrapped.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec=spec))
    masked = TransformedEnv(wrapped, ActionMask())
    check_env_specs(masked, seed=0)
    played = masked.rollout(100)
    chosen = played["action_mask"].gather(1, played["action"].unsqueeze(1))
    assert chosen.all()
