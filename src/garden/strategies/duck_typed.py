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
from garden.strategies.gossip.protocol import GossipStrategy
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
_OF_ROUNDS = ("key_seed", "card", "size_of", "told", "fixed_length")
_MAKING_ANOTHER = ("with_temperature", "fit")


@runtime_checkable
class PlainStrategy(Protocol):
    """The least that a user's object must have to be a strategy."""

    def represent(self, egos: EgoGraphs) -> Representations:
        """One representation per ego graph, each from that ego graph alone."""
        ...

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The scores of all pairs, (num_targets, num_candidates); higher is better.

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows.
        """
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
        """What the wrapped object represents the ego graphs as."""
        return self.own.represent(egos)


@final
class OwnGossipStrategy(GossipStrategy):
    """A user's object with rounds, with the rest of what such a strategy has.

    Args:
        own: The object, with ``begin`` and ``hear`` in place of ``represent``.

    """

    def __init__(self, own: Any) -> None:
        self.own = own
        vars(self).update(vars(OwnStrategy(own)))
        vars(self).update({name: getattr(own, name) for name in _OF_ROUNDS if hasattr(own, name)})

    def __repr__(self) -> str:
        return repr(self.own)

    def __copy__(self) -> OwnGossipStrategy:
        return OwnGossipStrategy(copy.copy(self.own))

    @property
    def parameters(self) -> dict[str, Any]:
        """The object's own, where it has some."""
        return getattr(self.own, "parameters", {})

    def begin(self, egos: EgoGraphs, keys: np.ndarray) -> Representations:
        """The first rows that the wrapped object gives, before any round.

        Args:
            egos: The ego graphs of a block of agents.
            keys: (num_members,) uint64, one per member of each ego graph.
        """
        return self.own.begin(egos, keys)

    def hear(
        self, own: Representations, neighbours: Representations, owner: np.ndarray
    ) -> Representations:
        """The next rows that the wrapped object gives after it heard these neighbours.

        Args:
            own: The rows of the block as they stand.
            neighbours: The rows of their neighbours, one under another.
            owner: (num_neighbour_rows,) the row of the block that each belongs to, ascending.
        """
        return self.own.hear(own, neighbours, owner)


def as_strategy(own: object) -> Strategy:
    """The object as a strategy, or an error that names the function that it lacks."""
    if isinstance(own, Strategy):
        return own
    if isinstance(own, type):
        raise StrategyError(f"{own.__name__} is a class: give an object of it, {own.__name__}()")
    missing = missing_functions(own)
    if missing:
        raise StrategyError(f"{short_repr(own)} is not a strategy: {missing}")
    return OwnGossipStrategy(own) if _has_rounds(own) else OwnStrategy(own)


def missing_functions(own: object) -> str:
    """Which functions a class or an object lacks to be a strategy, in words; empty if none."""
    needed = ("begin", "hear") if _begins_or_hears(own) else ("represent",)
    lacks = [name for name in needed if not callable(getattr(own, name, None))]
    if not any(callable(getattr(own, name, None)) for name in ("score", "score_pairs")):
        lacks.append("score")
    if not lacks:
        return ""
    whole = " and ".join([", ".join(needed), "score"])
    return f"it has no {' and no '.join(lacks)} (a strategy is a class with {whole})"


def _has_rounds(own: object) -> bool:
    return all(callable(getattr(own, name, None)) for name in ("begin", "hear"))


def _begins_or_hears(own: object) -> bool:
    """Whether it means to have rounds: one of their functions is there, and no ``represent``."""
    named = [callable(getattr(own, name, None)) for name in ("represent", "begin", "hear")]
    return _has_rounds(own) or (any(named[1:]) and not named[0])


def _made_by(step: Callable[[Any], Any], name: str, argument: Any) -> Strategy:
    made = step(argument)
    if missing_functions(made):
        raise StrategyError(f"{name} gave {short_repr(made)}: it must give the strategy back")
    return as_strategy(made)
