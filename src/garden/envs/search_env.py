"""One message as a Gymnasium environment."""

from __future__ import annotations

from typing import Any, ClassVar, SupportsFloat, final

import gymnasium
import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymnasium.spaces import Box

from garden.datasets.task import SearchTask, Split
from garden.envs import core
from garden.envs.action_spaces import Slots
from garden.envs.env_config import EnvConfig, known_options
from garden.envs.observations import Observe, Observer, check_observe
from garden.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from garden.errors import ActionError
from garden.search.config import MaxHops
from garden.search.episode_rng import stream_root
from garden.strategies.base import Strategy


@final
class SearchEnv(gymnasium.Env[np.ndarray, np.int64]):
    """The paper's Dec-POMDP as a single-agent process: the present holder acts, one hop per step.

    **States** Sₜ = (M⁽¹⁾ₜ … M⁽ⁿ⁾ₜ, u_tgt): which node holds the message (M⁽ⁱ⁾ₜ = 1 for one i), and
    its target. An episode begins with a uniform target of the task's ``split`` and a uniform other
    node as u_src; ``reset(options={"pair": (source, target)})`` sets both by position. The k-th
    episode after ``reset(seed=s)`` is a function of s and k alone.

    **Observations** O⁽ⁱ⁾ₜ, of the holder alone: G_uⱼ for each neighbour uⱼ ∈ 𝒩(uᵢ) and, out of the
    message 𝐦, that of u_tgt, as a flat float32 box of ``max_degree + 1`` rows, the target's last:

    ====== ==========================================================================
    column content
    ====== ==========================================================================
    0      1; all columns are 0 in rows of slots that the holder does not have
    1      log(1 + degree)
    2 …    its representation under ``strategy``, or its attributes 𝐱 without one
    ====== ==========================================================================

    ``observation.reshape(max_degree + 1, -1)`` gives the rows back. No node is named, and the
    holder's own row is not there, since no score depends on it. With ``observe="mask"`` the
    observation is the action mask and nothing else.

    **Actions** 𝒜⁽ⁱ⁾ₜ: a slot; slot k is a_{uᵢ→uⱼ} for the k-th neighbour uⱼ of the holder.
    ``info["action_mask"]`` (int8) and ``action_masks()`` (bool) say which slots it has. All other
    agents do nothing. A slot that the holder does not have raises
    :class:`gymnasium.error.InvalidAction`. ``action_space.sample(info["action_mask"])`` draws a
    slot of the holder; without a mask it draws one that every node has.

    **Transitions** are deterministic: M⁽ʲ⁾ₜ₊₁ = 1 for the chosen neighbour, and 0 for all others.

    **Rewards** R⁽ᵏ⁾ₜ₊₁ = 1 for all agents k, and so for the message, when it reaches u_tgt, which
    terminates the episode; 0 at every other step.

    **Truncation** after T_max = ``max_hops`` steps. A step after the end, or before the first
    ``reset``, raises :class:`gymnasium.error.ResetNeeded`.

    Args:
        task: The graph and its split.
        split: The part of the split whose targets are drawn.
        max_hops: T_max; `auto` follows from the distances.
        strategy: Whose representations observations contain; attributes without one.
        observe: ``features``, or ``mask`` for the action mask alone.
        render_mode: ``rgb_array``, ``ansi`` or None.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        task: SearchTask,
        *,
        split: Split = "train",
        max_hops: MaxHops = "auto",
        strategy: Strategy | None = None,
        observe: Observe = "features",
        render_mode: str | None = None,
    ) -> None:
        check_observe(observe)
        check_render_mode(render_mode)
        self.config = EnvConfig(task, split, max_hops, strategy)
        self.observe = observe
        self.render_mode = render_mode
        self.action_space = slots_of(self.config)
        self.observation_space = observation_box(self.config, observe)
        self.path: list[int] = []
        """The nodes that have held the message, by position, the source first."""
        self._episode: core.Episodes | None = None
        self._root: np.uint64 | None = None
        self._number = 0
        self._renderer = Renderer(task.graph)

    @property
    def episode(self) -> core.Episodes:
        """The state Sₜ as a batch of one episode: for a centralised trainer, not for agents."""
        if self._episode is None:
            raise ResetNeeded("there is no episode yet: call env.reset() first")
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin the next episode; with a seed, the first of that seed.

        Args:
            seed: Starts a new sequence of episodes.
            options: ``{"pair": (source, target)}`` sets both by position.

        Returns:
            The observation, (size,), and info with ``action_mask``.
        """
        super().reset(seed=seed)
        if seed is not None or self._root is None:
            self._root, self._number = stream_root(root_seed(self)), 0
        pair = known_options(options, "pair").get("pair")
        if pair is None:
            pair = self.config.pairs(np.array([self._root]), np.array([self._number]))[0]
            self._number += 1
        self._episode = core.reset(self.config.graph, np.asarray(pair)[None])
        self.path = [int(self._episode.holders[0])]
        return self._observation(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[np.ndarray, SupportsFloat, bool, bool, dict[str, Any]]:
        """Pass the message to the neighbour in this slot.

        Returns:
            Observation, reward, terminated, truncated and info.
        """
        episode = self._episode
        if episode is None:
            raise ResetNeeded("Cannot call env.step() before calling env.reset()")
        if episode.finished[0]:
            raise ResetNeeded("the episode is over: call env.reset() before the next env.step()")
        if np.ndim(action) != 0:
            raise InvalidAction(f"an action is one slot, not an array of {np.shape(action)}")
        try:
            self._episode, rewards = core.step(
                self.config.graph, episode, np.asarray(action)[None], self.config.limit
            )
        except ActionError as error:
            raise InvalidAction(str(error)) from None
        self.path.append(int(self._episode.holders[0]))
        return (
            self._observation(),
            float(rewards[0]),
            bool(self._episode.delivered[0]),
            bool(self._episode.truncated[0]),
            self._info(),
        )

    def action_masks(self) -> np.ndarray:
        """Which slots the holder has, (max_degree,) bool."""
        return self._mask().astype(bool)

    def render(self) -> Any:
        """The graph, the path so far and what the holder sees, as ``render_mode`` asks."""
        episode = self.episode
        if self.render_mode is None:
            return None
        return self._renderer.render(self.render_mode, self.path, int(episode.targets[0]))

    def _mask(self) -> np.ndarray:
        mask: np.ndarray = self.config.action_masks(self.episode.holders)[0]
        return mask

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def _observation(self) -> np.ndarray:
        if self.observe == "mask":
            return self._mask()
        observer: Observer = self.config.observer
        observation: np.ndarray = observer.observe(self.episode.holders, self.episode.targets)[0]
        return observation


def slots_of(config: EnvConfig) -> Slots:
    """The action space of every holder."""
    return Slots(config.max_degree, int(config.graph.degrees.min()))


def observation_box(config: EnvConfig, observe: Observe) -> Box:
    """The observation space of every holder.

    Args:
        config: What the environment is made from.
        observe: ``features``, or ``mask`` for the action mask alone.
    """
    if observe == "mask":
        return Box(0, 1, (config.max_degree,), dtype=np.int8)
    low, high = config.observer.bounds
    return Box(low, high, dtype=np.float32)


def check_render_mode(render_mode: str | None) -> None:
    """Refuse an unknown render mode."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise UnsupportedMode(
            f"render_mode {render_mode!r}: choose from {', '.join(RENDER_MODES)}, or None"
        )


def root_seed(env: Any) -> int:
    """The seed of a freshly reset environment; drawn where its generator was made without one."""
    _ = env.np_random  # makes generator and seed where there are none yet
    seed = env.np_random_seed
    return int(seed if seed >= 0 else env.np_random.integers(1 << 62))
