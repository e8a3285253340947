"""garden: learn, run and study decentralised search on attributed graphs.

``__all__`` is the whole public interface. Each name is imported when it is first used, so that
``import garden`` takes milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from garden import testing
    from garden.api import adapt, evaluate, load, load_policy, train
    from garden.datasets.tabular.parse import from_pandas
    from garden.datasets.task import SearchTask
    from garden.errors import GardenError
    from garden.graphs.convert import from_igraph, from_networkx, from_pyg, to_networkx
    from garden.graphs.graph import Graph
    from garden.models.registry import ModelConfig
    from garden.routing import route
    from garden.search.config import EvaluationConfig
    from garden.strategies.base import Strategy
    from garden.strategies.representations import Representations
    from garden.training.config import TrainingOptions
    from garden.training.universal.config import AdaptConfig

__version__ = "0.2.0"
__all__ = [
    "AdaptConfig",
    "EvaluationConfig",
    "GardenError",
    "Graph",
    "ModelConfig",
    "Representations",
    "SearchTask",
    "Strategy",
    "TrainingOptions",
    "adapt",
    "evaluate",
    "from_igraph",
    "from_networkx",
    "from_pandas",
    "from_pyg",
    "load",
    "load_policy",
    "route",
    "testing",
    "to_networkx",
    "train",
]

_NAMES = {
    "garden.api": ("adapt", "evaluate", "load", "load_policy", "train"),
    "garden.datasets.tabular.parse": ("from_pandas",),
    "garden.datasets.task": ("SearchTask",),
    "garden.errors": ("GardenError",),
    "garden.graphs.convert": ("from_igraph", "from_networkx", "from_pyg", "to_networkx"),
    "garden.graphs.graph": ("Graph",),
    "garden.models.registry": ("ModelConfig",),
    "garden.routing": ("route",),
    "garden.search.config": ("EvaluationConfig",),
    "garden.strategies.base": ("Strategy",),
    "garden.strategies.representations": ("Representations",),
    "garden.training.config": ("TrainingOptions",),
    "garden.training.universal.config": ("AdaptConfig",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "testing":
        return import_module("garden.testing")
    if name not in _MODULES:
        raise AttributeError(f"module 'garden' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
