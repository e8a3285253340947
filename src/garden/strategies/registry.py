"""Strategies and memories by name, for every graph and without training.

A strategy's entry is called for a fresh one; ``NAME:key=value,…`` sets the parameters of those that
have some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from garden.errors import SpecError
from garden.strategies.base import Strategy
from garden.strategies.evn import EVNWalker
from garden.strategies.explore import ExploreMemory
from garden.strategies.frontier import FrontierMemory
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.directory import Directory
from garden.strategies.lookahead import BidirectionalWalker, LookaheadWalker
from garden.strategies.memory import BacktrackMemory, Memory, NoMemory, VisitedMemory
from garden.strategies.walkers import (
    ConnectionWalker,
    DistanceWalker,
    GreedyWalker,
    RandomWalker,
)

WALKERS: Mapping[str, Callable[[], Strategy]] = {
    walker.name: walker
    for walker in (
        RandomWalker,
        GreedyWalker,
        DistanceWalker,
        ConnectionWalker,
        LookaheadWalker,
        BidirectionalWalker,
        EVNWalker,
    )
}
"""Hand-written strategies whose agents see ego graphs and nothing else; not yet tuned or fitted."""

GOSSIP: Mapping[str, Callable[..., Strategy]] = {
    strategy.name: strategy for strategy in (Beacons, Directory)
}
"""Strategies whose agents tell their neighbours something first."""

MEMORIES: Mapping[str, Memory] = {
    memory.name: memory
    for memory in (
        NoMemory(),
        VisitedMemory(),
        BacktrackMemory(),
        FrontierMemory(),
        ExploreMemory(),
    )
}
"""All memories."""

RULES = (VisitedMemory.name, BacktrackMemory.name, FrontierMemory.name)
"""The names of the memories that every strategy can play with."""

BY_SCORE = FrontierMemory(hop_price=2.0, patience=math.inf, by_score=True)
"""`frontier` for strategies whose scores compare across holders."""


def registered(name: str) -> Strategy | None:
    """The strategy with this name, parameters included; None where it is none of these."""
    head, colon, rest = name.partition(":")
    if head in GOSSIP:
        return GOSSIP[head](**_parameters(name, rest, GOSSIP[head])) if colon else GOSSIP[head]()
    if head in WALKERS and "=" in rest:  # without one it may be a class in a module of that name
        raise SpecError(f"{name}: {head} takes no parameters: write {head}")
    return WALKERS[name]() if name in WALKERS else None


def _parameters(name: str, rest: str, make: Callable[..., Strategy]) -> dict[str, Any]:
    """What stands after the colon, as arguments."""
    kinds = {key: type(one.default) for key, one in signature(make).parameters.items()}
    given: dict[str, Any] = {}
    for pair in rest.split(","):
        key, equals, value = pair.partition("=")
        if key not in kinds:
            known = ", ".join(kinds)
            raise SpecError(f"{name}: unknown parameter {key!r}: use {known}, as in k=4,seed=1")
        if not equals:
            raise SpecError(f"{name}: {key} has no value: write {key}=…")
        if key in given:
            raise SpecError(f"{name}: {key} stands twice: keep one")
        try:
            given[key] = kinds[key](value)
        except ValueError:
            raise SpecError(f"{name}: {key}={value} is not a whole number") from None
    return given
