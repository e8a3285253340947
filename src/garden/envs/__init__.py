"""The search task as environments for reinforcement learning libraries (extra ``envs``).

:class:`SearchEnv` and :class:`SearchVectorEnv` implement Gymnasium's interfaces,
:class:`SearchAECEnv` PettingZoo's. All three wrap the pure functions of :mod:`garden.envs.core`,
which need neither package. Importing this package registers ``garden/Search-v0`` with Gymnasium,
where that is installed: ``gymnasium.make("garden.envs:garden/Search-v0", spec=…, seed=…)``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from garden.envs.aec_env import SearchAECEnv
    from garden.envs.search_env import SearchEnv
    from garden.envs.vector_env import SearchVectorEnv

__all__ = ["SearchAECEnv", "SearchEnv", "SearchVectorEnv"]

_MODULES = {
    "SearchAECEnv": "garden.envs.aec_env",
    "SearchEnv": "garden.envs.search_env",
    "SearchVectorEnv": "garden.envs.vector_env",
}
_EXTRA = ("gymnasium", "pettingzoo")


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'garden.envs' has no attribute {name!r}")
    try:
        value = getattr(import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        from garden.errors import MissingExtraError

        raise MissingExtraError(
            f"{name} needs {error.name}: pip install 'garden-search[envs]'"
        ) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if find_spec("gymnasium") is not None:
    import_module("garden.envs.registration").register_envs()
