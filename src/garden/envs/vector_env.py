"""Thousands of messages at once as a native Gymnasium vector environment."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, ClassVar, final

import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from garden.datasets.task import SearchTask, Split
from garden.envs import core
from garden.envs.env_config import EnvConfig, check_count, known_options
from garden.envs.observations import Observe, check_observe
from garden.envs.search_env import observation_box, root_seed, slots_of
from garden.errors import ActionError, TaskError
from garden.search.config import MaxHops
from garden.search.episode_rng import stream_root
from garden.strategies.base import Strategy

MAX_BUFFERS = 3  # the observation in hand, the one before it, and the one being made

Stepped = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


@final
class SearchVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """``num_envs`` independent :class:`~garden.envs.search_env.SearchEnv`, stepped together.

    States, observations, actions, transitions, rewards and truncation are those of ``SearchEnv``,
    with a leading axis of ``num_envs``; environment i after ``reset(seed=s)`` plays the episodes
    of ``SearchEnv.reset(seed=s + i)``. ``reset(options={"pairs": …})`` sets all pairs, (num_envs,
    2) positions such as ``task.test_pairs``.

    **Autoreset** is :attr:`gymnasium.vector.AutoresetMode.SAME_STEP` unless ``autoreset_mode`` says
    otherwise, and is declared in ``metadata``:

    - ``SAME_STEP``: an episode that ends is followed by the next within the same step.
      ``info["final_obs"]`` (an object array) and ``info["final_info"]`` hold its last observation
      and info; ``info["_final_obs"]`` says in which environments.
    - ``NEXT_STEP``: the last observation is returned as it is; the next step begins a new episode
      there, whatever the action, with reward 0.
    - ``DISABLED``: a finished episode stays as it is, its action ignored and its reward 0, until
      ``reset(options={"reset_mask": …})`` begins another.

    ``info["action_mask"]``, (num_envs, max_degree) int8, says which slots each holder has; slots
    start at 0 without gaps, so that ``(rng.random(num_envs) * mask.sum(1)).astype(int)`` is a
    uniform choice. Observations belong to the caller; their memory is used again once no reference
    to it is left.

    Args:
        task: The graph and its split.
        num_envs: How many episodes run at once.
        split: The part of the split whose targets are drawn.
        max_hops: T_max; `auto` follows from the distances.
        strategy: Whose representations observations contain; attributes without one.
        observe: ``features``, or ``mask`` for the action mask alone.
        autoreset_mode: What follows the end of an episode, as above.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        task: SearchTask,
        num_envs: int,
        *,
        split: Split = "train",
        max_hops: MaxHops = "auto",
        strategy: Strategy | None = None,
        observe: Observe = "features",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        check_observe(observe)
        check_count("num_envs", num_envs)
        self.config = EnvConfig(task, split, max_hops, strategy)
        self.observe = observe
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.single_action_space = slots_of(self.config)
        self.single_observation_space = observation_box(self.config, observe)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        size = 0 if observe == "mask" else self.config.observer.size
        self._buffers = Buffers((num_envs, size))
        self._episodes: core.Episodes | None = None
        self._roots: np.ndarray | None = None  # (num_envs,) uint64
        self._numbers = np.zeros(num_envs, dtype=np.int64)

    @property
    def episodes(self) -> core.Episodes:
        """The states Sₜ: for a centralised trainer, not for agents."""
        if self._episodes is None:
            raise ResetNeeded("there are no episodes yet: call envs.reset() first")
        return self._episodes

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin the next episode in all environments, or in some.

        Args:
            seed: One seed s, of which environment i gets s + i, or a seed (or None) for each.
            options: ``reset_mask`` chooses environments, (num_envs,) bool; ``pairs`` sets sources
                and targets by position, (num_envs, 2).

        Returns:
            Observations, (num_envs, size), and info with ``action_mask``.
        """
        options = known_options(options, "pairs", "reset_mask")
        rows = self._rows_to_reset(options.get("reset_mask"))
        self._seed(seed, rows)
        pairs = options.get("pairs")
        begun = self._next_episodes(rows) if pairs is None else self._given(pairs, rows)
        everywhere = len(rows) == self.num_envs
        self._episodes = begun if everywhere else self.episodes.renewed(rows, begun)
        mask = self._mask()
        return self._observations(mask), self._info(mask)

    def step(self, actions: np.ndarray) -> Stepped:
        """Pass every message that is on its way to the neighbour in the chosen slot.

        Args:
            actions: A slot for each environment, (num_envs,) int.

        Returns:
            Observations (num_envs, size), rewards (num_envs,) float64, terminated and truncated
            (num_envs,) bool, and info.
        """
        if self._episodes is None:
            raise ResetNeeded("Cannot call envs.step() before calling envs.reset()")
        before = self._episodes
        try:
            after, rewards = core.step(self.config.graph, before, actions, self.config.limit)
        except ActionError as error:
            raise InvalidAction(str(error)) from None
        ended = np.flatnonzero(after.finished)
        final: dict[str, Any] = {}
        delivered, truncated = after.delivered, after.truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and len(ended):
            final = self._final(after, ended)
            after = after.renewed(ended, self._next_episodes(ended))
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            over = np.flatnonzero(before.finished)
            if len(over):
                after = after.renewed(over, self._next_episodes(over))
                delivered, truncated = after.delivered, after.truncated
        self._episodes = after
        mask = self._mask()
        info = {**self._info(mask), **final}
        return self._observations(mask), rewards, delivered, truncated, info

    def action_masks(self) -> np.ndarray:
        """Which slots each holder has, (num_envs, max_degree) bool."""
        return self._mask().astype(bool)

    def _rows_to_reset(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError("`options['reset_mask']` must be a NumPy array of bool")
        if mask.shape != (self.num_envs,):
            raise ValueError(
                f"`options['reset_mask']` has shape {mask.shape}, expected ({self.num_envs},)"
            )
        if not mask.any():
            raise ValueError("`options['reset_mask']` chooses no environment")
        return np.flatnonzero(mask)

    def _seed(self, seed: int | Sequence[int | None] | None, rows: np.ndarray) -> None:
        """New roots where a seed is given; roots from the system where there are none at all."""
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seeds: list[int | None] = [int(seed) + number for number in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds for num_envs={self.num_envs}: give one each")
        elif self._roots is None:
            first = root_seed(self)
            seeds = [first + number for number in range(self.num_envs)]
        else:
            return
        if self._roots is None:
            fresh = root_seed(self)
            given = [fresh + i if one is None else one for i, one in enumerate(seeds)]
            self._roots = np.array([stream_root(one) for one in given], dtype=np.uint64)
            return
        for row in rows:
            chosen = seeds[row]
            if chosen is not None:
                self._roots[row], self._numbers[row] = stream_root(chosen), 0

    def _next_episodes(self, rows: np.ndarray) -> core.Episodes:
        assert self._roots is not None
        pairs = self.config.pairs(self._roots[rows], self._numbers[rows])
        self._numbers[rows] += 1
        return core.reset(self.config.graph, pairs)

    def _given(self, pairs: Any, rows: np.ndarray) -> core.Episodes:
        pairs = np.asarray(pairs)
        if pairs.shape != (self.num_envs, 2):
            raise TaskError(f"pairs have shape {pairs.shape}: expected ({self.num_envs}, 2)")
        return core.reset(self.config.graph, pairs[rows])

    def _mask(self) -> np.ndarray:
        return self.config.action_masks(self.episodes.holders)

    def _info(self, mask: np.ndarray) -> dict[str, Any]:
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, dtype=bool)}

    def _observations(self, mask: np.ndarray) -> np.ndarray:
        if self.observe == "mask":
            return mask.copy()
        observations = self._buffers.take()
        self.config.observer.fill(self.episodes.holders, self.episodes.targets, observations)
        return observations

    def _final(self, episodes: core.Episodes, rows: np.ndarray) -> dict[str, Any]:
        """Last observations and infos of the episodes at these rows, as Gymnasium wants them."""
        holders = episodes.holders[rows]
        masks = self.config.action_masks(holders)
        seen = (
            masks
            if self.observe == "mask"
            else self.config.observer.observe(holders, episodes.targets[rows])
        )
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row, one in zip(rows, seen, strict=True):
            final_obs[row] = one
        which = np.zeros(self.num_envs, dtype=bool)
        which[rows] = True
        all_masks = np.zeros((self.num_envs, masks.shape[1]), dtype=np.int8)
        all_masks[rows] = masks
        final_info = {"action_mask": all_masks, "_action_mask": which.copy()}
        return {
            "final_obs": final_obs,
            "_final_obs": which,
            "final_info": final_info,
            "_final_info": which.copy(),
        }


@final
class Buffers:
    """A pool of float32 arrays of one shape, for large observations.

    Allocating a hundred megabytes costs more than filling them. A buffer is used again once neither
    the array that was handed out nor any view of it is referenced any more, and never before.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._in_use: list[tuple[np.ndarray, weakref.ref[Any]]] = []

    def take(self) -> np.ndarray:
        """An array with arbitrary contents, to be filled by the caller."""
        for number, (buffer, window) in enumerate(self._in_use):
            if window() is None:
                del self._in_use[number]
                return self._tracked(buffer)
        return self._tracked(np.empty(self._shape, dtype=np.float32))

    def _tracked(self, buffer: np.ndarray) -> np.ndarray:
        # NumPy wraps a memoryview of its own, which every view of the array keeps alive.
        array = np.asarray(memoryview(buffer))  # type: ignore[arg-type]
        window: Any = array.base
        self._in_use = [*self._in_use[-(MAX_BUFFERS - 1) :], (buffer, weakref.ref(window))]
        return array
