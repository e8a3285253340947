from __future__ import annotations

import numpy as np
import pytest

from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv


def test_agents__are_those_that_have_held_the_message(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task)
    env.reset(options={"pair": (0, 4)})
    assert env.agents == ["agent_0"]
    for slot, holder in ((0, 1), (0, 0), (0, 1), (2, 3)):
        env.step(slot)
        assert env.agent_selection == f"agent_{holder}"
    assert env.agents == ["agent_0", "agent_1", "agent_3"]
    assert env.max_num_agents == 6
    assert env.path == [0, 1, 0, 1, 3]


def test_delivery__rewards_and_ends_all_agents_once(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task)
    env.reset(options={"pair": (1, 4)})
    env.step(2)
    assert env.rewards == {"agent_1": 0.0, "agent_3": 0.0}
    env.step(2)
    assert env.rewards == dict.fromkeys(["agent_1", "agent_3", "agent_4"], 1.0)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    totals = {}
    for agent in env.agent_iter():
        _, totals[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert totals == dict.fromkeys(["agent_1", "agent_3", "agent_4"], 1.0)
    assert env.agents == []


def test_truncation__ends_all_agents_without_reward(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task, max_hops=2)
    env.reset(options={"pair": (0, 4)})
    env.step(0)
    env.step(0)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0.0}


def test_observe__the_holder_alone_sees_the_message(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task)
    env.reset(options={"pair": (1, 4)})
    env.step(2)
    single = SearchEnv(small_task)
    single.reset(options={"pair": (1, 4)})
    expected = single.step(2)[0]
    width = env.config.observer.width
    assert (env.observe("agent_3") == expected).all()
    for node in (0, 1, 2, 4, 5):  # agents that never held it too
        seen = env.observe(f"agent_{node}")
        assert seen in env.observation_space(f"agent_{node}")
        assert (seen[-width:] == 0).all()
        neighbours = small_task.graph.neighbours(node)
        rows = seen.reshape(-1, width)[: len(neighbours)]
        assert (rows == env.config.observer.rows[neighbours]).all()


def test_state__tells_a_trainer_holder_and_target(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task)
    env.reset(options={"pair": (1, 4)})
    assert env.state().tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    assert env.state() in env.state_space


@pytest.mark.parametrize("action", [1, -1, 0.5, None, np.array([0])])
def test_step__a_bad_action_is_an_assertion(small_task: SearchTask, action: object) -> None:
    env = SearchAECEnv(small_task)
    env.reset(options={"pair": (0, 4)})
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(action)
    assert env.path == [0]


def test_step__out_of_order_gives_pettingzoos_errors(
    small_task: SearchTask, caplog: pytest.LogCaptureFixture
) -> None:
    env = SearchAECEnv(small_task)
    with pytest.raises(AssertionError, match="before step"):
        env.step(0)
    with pytest.raises(AssertionError, match="before observe"):
        env.observe("agent_0")
    with pytest.raises(AssertionError, match="before state"):
        env.state()
    with pytest.raises(AssertionError, match="before render"):
        env.render()
    with pytest.raises(AttributeError):
        _ = env.agents
    env.reset(options={"pair": (3, 4)})
    env.step(2)
    with pytest.raises(ValueError, match="dead"):
        env.step(0)
    env.step(None)
    env.step(None)
    assert env.agents == []
    env.step(0)  # PettingZoo warns in its log
    assert env.path == [3, 4]


def test_render__draws_or_tells(small_task: SearchTask) -> None:
    env = SearchAECEnv(small_task, render_mode="rgb_array")
    env.reset(options={"pair": (0, 4)})
    assert env.render().shape[2] == 3
    told = SearchAECEnv(small_task, render_mode="ansi")
    told.reset(options={"pair": (0, 4)})
    assert told.render() == "hop 0, target 4\n0\n0 sees 0: 1\n"
