"""Walkers by name: a call gives a fresh one, not yet tuned or fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from garden.strategies.base import Strategy
from garden.strategies.evn import EVNWalker
from garden.strategies.lookahead import BidirectionalWalker, LookaheadWalker
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
