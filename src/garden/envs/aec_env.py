"""The agents of the graph as a PettingZoo environment."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from gymnasium.spaces import Box, Space
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from garden.datasets.task import SearchTask, Split
from garden.envs import core
from garden.envs.env_config import EnvConfig
from garden.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from garden.envs.search_env import check_render_mode, observation_box, slots_of
from garden.errors import ActionError
from garden.search.config import MaxHops
from garden.search.episode_rng import stream_root
from garden.strategies.base import Strategy

NO_MESSAGE = -1


@final
class SearchAECEnv(AECEnv[str, np.ndarray, Any]):  # type: ignore[misc]
    """The paper's Dec-POMDP, agent by agent: ``agent_17`` is the agent of the node at position 17.

    **Agents.** There is one per node (``possible_agents``). The one that acts
    (``agent_selection``) is the holder, M⁽ⁱ⁾ₜ = 1. All other agents' no-ops take no step here, and
    ``agents`` lists only agents that have held the message: each further one would cost a step at
    the end of the episode.

    **States** Sₜ and **transitions** are those of :class:`~garden.envs.search_env.SearchEnv`; the
    k-th episode after ``reset(seed=s)`` is the same, and ``options={"pair": …}`` too. ``state()``
    gives Sₜ to a centralised trainer: M⁽¹⁾ₜ … M⁽ⁿ⁾ₜ and a one-hot u_tgt, (2n,) int8.

    **Observations** O⁽ⁱ⁾ₜ: flat boxes as in ``SearchEnv``, the same for every agent. The holder's
    contains the target's row; those of all other agents describe their neighbours alone, and the
    target's row is zero.

    **Actions** 𝒜⁽ⁱ⁾ₜ: a slot of the holder's neighbours; ``infos[agent]["action_mask"]`` (int8)
    says which slots an agent has. Another slot raises an ``AssertionError``, an action other than
    None after the end of the episode a ``ValueError``.

    **Rewards** R⁽ᵏ⁾ₜ₊₁ = 1 for all agents in ``agents`` on delivery, the target among them; else 0.

    **Truncation** after T_max = ``max_hops`` steps, for all of them.

    Args:
        task: The graph and its split.
        split: The part of the split whose targets are drawn.
        max_hops: T_max; `auto` follows from the distances.
        strategy: Whose representations observations contain; attributes without one.
        render_mode: ``rgb_array``, ``ansi`` or None.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "garden_search_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        task: SearchTask,
        *,
        split: Split = "train",
        max_hops: MaxHops = "auto",
        strategy: Strategy | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.config = EnvConfig(task, split, max_hops, strategy)
        self.render_mode = render_mode
        self.possible_agents = [f"agent_{node}" for node in range(task.graph.num_nodes)]
        self.path: list[int] = []
        """The nodes that have held the message, by position, the source first."""
        self._episode: core.Episodes | None = None
        self._root: np.uint64 | None = None
        self._number = 0
        self._renderer = Renderer(task.graph)
        self._box = observation_box(self.config, "features")
        self._slots = slots_of(self.config)

    def node_of(self, agent: str) -> int:
        """The position of an agent's node."""
        return self._position_of[agent]

    def observation_space(self, agent: str) -> Space[np.ndarray]:
        """The same box for every agent."""
        return self._box

    def action_space(self, agent: str) -> Space[Any]:
        """The same object for every agent: a seed for one agent's samples is one for all."""
        return self._slots

    @cached_property
    def state_space(self) -> Box:
        """The space of ``state()``: 0 or 1, two numbers per node of the graph."""
        return Box(0, 1, (2 * self.config.graph.num_nodes,), dtype=np.int8)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next episode; with a seed, the first of that seed.

        Args:
            seed: Starts a new sequence of episodes; None goes on with the present one.
            options: ``{"pair": (source, target)}`` sets both by position.
        """
        if seed is not None or self._root is None:
            _, used = seeding.np_random(seed)
            self._root, self._number = stream_root(used), 0
        pair = (options or {}).get("pair")  # others are ignored: PettingZoo's checker gives some
        if pair is None:
            pair = self.config.pairs(np.array([self._root]), np.array([self._number]))[0]
            self._number += 1
        self._episode = core.reset(self.config.graph, np.asarray(pair)[None])
        self.path = [int(self._episode.holders[0])]
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._skip_agent_selection = None
        self._hand_over()

    def step(self, action: Any) -> None:
        """Take the holder's action; None for an agent whose episode is over."""
        if self._episode is None:
            EnvLogger.error_step_before_reset()
            return
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        if self._episode.finished[0]:
            self._was_dead_step(action)
            return
        assert action is not None, "action is not in action space: the holder must choose a slot"
        assert np.ndim(action) == 0, "action is not in action space: it must be one slot"
        try:
            self._episode, rewards = core.step(
                self.config.graph,
                self._episode,
                np.asarray(action)[None],
                self.config.limit,
            )
        except ActionError as error:
            raise AssertionError(f"action is not in action space: {error}") from None
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.path.append(int(self._episode.holders[0]))
        self._hand_over()
        self.rewards = dict.fromkeys(self.agents, float(rewards[0]))
        self.terminations = dict.fromkeys(self.agents, bool(self._episode.delivered[0]))
        self.truncations = dict.fromkeys(self.agents, bool(self._episode.truncated[0]))
        self._accumulate_rewards()

    def observe(self, agent: str) -> np.ndarray:
        """Its neighbours and, for the holder, the target: a flat observation, (size,) float32."""
        if self._episode is None:
            EnvLogger.error_observe_before_reset()
        episode = self._running()
        node = self.node_of(agent)
        target = episode.targets if node == episode.holders[0] else np.array([NO_MESSAGE])
        observation: np.ndarray = self.config.observer.observe(np.array([node]), target)[0]
        return observation

    def state(self) -> np.ndarray:
        """Who holds the message, and its target, (2 · num_nodes,) int8."""
        if self._episode is None:
            EnvLogger.error_state_before_reset()
        episode = self._running()
        state = np.zeros((2, self.config.graph.num_nodes), dtype=np.int8)
        state[[0, 1], [episode.holders[0], episode.targets[0]]] = 1
        return state.ravel()

    def render(self) -> Any:
        """The graph, the path so far and what the holder sees, as ``render_mode`` asks."""
        if self._episode is None:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            return None
        return self._renderer.render(self.render_mode, self.path, int(self._running().targets[0]))

    def close(self) -> None:
        """Do nothing: the environment holds no file or window open."""

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {agent: node for node, agent in enumerate(self.possible_agents)}

    def _running(self) -> core.Episodes:
        assert self._episode is not None
        return self._episode

    def _hand_over(self) -> None:
        """Make the holder the agent that acts, and add it to the agents."""
        holders = self._running().holders
        agent = self.possible_agents[int(holders[0])]
        if agent not in self.infos:
            self.agents.append(agent)
            self.rewards[agent] = self._cumulative_rewards[agent] = 0.0
            self.terminations[agent] = self.truncations[agent] = False
            mask = self.config.action_masks(holders)[0]
            self.infos[agent] = {"action_mask": mask}
        self.agent_selection = agent
