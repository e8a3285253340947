"""Any object as a strategy: ``represent`` and ``score`` are all that it must have.

Its class need not derive from :class:`garden.Strategy`. What else a strategy may have (a name, a
selection, a temperature to tune, something to fit) is taken over where the object has it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, final, runtime_checkable

import numpy as np

from garden.errors import StrategyError, short_repr
from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Strategy
from garden.strategies.representations import Representations

_TAKEN_OVER = (
    "name",
    "selection",
    "needs_attributes",
    "represent_one",
    "score",
    "score_pairs",
    "temperature",
    "fitted",
    "trained_graph",
    "trained_task",
    "trained_seed",
    "check_attributes",
)
_MAKING_ANOTHER = ("with_temperature", "fit")


@runtime_checkable
class PlainStrategy(Protocol):
    """The least that a user's object must have to be a strategy."""

    def represent(self, egos: EgoGraphs) -> Representations:
        """One representation per ego graph, each from that ego graph alone."""
        ...

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The scores of all pairs, (num_targets, num_candidates); higher is better."""
        ...


@final
class OwnStrategy(Strategy):
    """A user's object with the rest of what every strategy has.

    Args:
        own: The object; attributes that a strategy may have are taken over from it.

    """

    def __init__(self, own: Any) -> None:
        self.own = own
        mine = vars(self)
        mine["name"] = type(own).__name__
        mine |= {name: getattr(own, name) for name in _TAKEN_OVER if hasattr(own, name)}
        for name in _MAKING_ANOTHER:
            if callable(getattr(own, name, None)):
                mine[name] = partial(_made_by, getattr(own, name), f"{type(own).__name__}.{name}")

    def __repr__(self) -> str:
        return repr(self.own)

    def __copy__(self) -> OwnStrategy:
        return OwnStrategy(copy.copy(self.own))

    @property
    def parameters(self) -> dict[str, Any]:
        """The object's own, or else its temperature, where it has one."""
        if hasattr(self.own, "parameters"):
            return self.own.parameters
        return {"temperature": self.own.temperature} if hasattr(self.own, "temperature") else {}

    def represent(self, egos: EgoGraphs) -> Representations:
        """As the object does."""
        return self.own.represent(egos)


def as_strategy(own: object) -> Strategy:
    """The object as a strategy, or an error that names the function that it lacks."""
    if isinstance(own, Strategy):
        return own
    if isinstance(own, type):
        raise StrategyError(f"{own.__name__} is a class: give an object of it, {own.__name__}()")
    missing = missing_functions(own)
    if missing:
        raise StrategyError(f"{short_repr(own)} is not a strategy: {missing}")
    return OwnStrategy(own)


def missing_functions(own: object) -> str:
    """Which functions a class or an object lacks to be a strategy, in words; empty if none."""
    lacks = [] if callable(getattr(own, "represent", None)) else ["represent"]
    if not any(callable(getattr(own, name, None)) for name in ("score", "score_pairs")):
        lacks.append("score")
    if not lacks:
        return ""
    return f"it has no {' and no '.join(lacks)} (a strategy is a class with represent and score)"


def _made_by(step: Callable[[Any], Any], name: str, argument: Any) -> Strategy:
    made = step(argument)
    if missing_functions(made):
        raise StrategyError(f"{name} gave {short_repr(made)}: it must give the strategy back")
    return as_strategy(made)
