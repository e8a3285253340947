"""``garden.envs:garden/Search-v0``: environments by name, from a graph spec and a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium

from garden.datasets.spec import load
from garden.datasets.task import SearchTask

if TYPE_CHECKING:
    from garden.envs.search_env import SearchEnv
    from garden.envs.vector_env import SearchVectorEnv

ENV_ID = "garden/Search-v0"


def register_envs() -> None:
    """Register the environments with Gymnasium; a second call does nothing."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            id=ENV_ID,
            entry_point=f"{__name__}:make_search_env",
            vector_entry_point=f"{__name__}:make_search_vector_env",
        )


def make_search_env(spec: str, seed: int = 0, **options: Any) -> SearchEnv:
    """The :class:`SearchEnv` of a graph by its name, for ``gymnasium.make``.

    Args:
        spec: The graph, as :func:`garden.load` takes it.
        seed: Fixes the split.
        **options: Further arguments of :class:`SearchEnv`.
    """
    from garden.envs.search_env import SearchEnv

    return SearchEnv(SearchTask.split(load(spec), seed=seed), **options)


def make_search_vector_env(
    num_envs: int, spec: str, seed: int = 0, **options: Any
) -> SearchVectorEnv:
    """The :class:`SearchVectorEnv` of a graph by its name, for ``gymnasium.make_vec``.

    Args:
        num_envs: How many episodes run at once.
        spec: The graph, as :func:`garden.load` takes it.
        seed: Fixes the split.
        **options: Further arguments of :class:`SearchVectorEnv`.
    """
    from garden.envs.vector_env import SearchVectorEnv

    return SearchVectorEnv(SearchTask.split(load(spec), seed=seed), num_envs, **options)
