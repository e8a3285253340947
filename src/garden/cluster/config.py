"""What is limited where actors pass messages and die."""

from __future__ import annotations

from dataclasses import dataclass

from garden.errors import expect_count
from garden.strategies.base import Strategy
from garden.strategies.gossip.beacons import Beacons


@dataclass(frozen=True)
class ClusterConfig:
    """The limits of a cluster."""

    attempts: int = 3
    """How often a message is sent before it ends as unknown, at most 8."""

    max_restarts: int = 10
    """How often actors may die before the cluster gives up."""

    cpus_per_actor: float = 1.0
    """The cores that Ray sets aside for each actor; whole ones are so many threads in rounds."""

    compiled: bool = True
    """Whether ``beacons`` without paths uses its compiled rounds; the plain ones give the same
    rows."""

    def __post_init__(self) -> None:
        expect_count("attempts", self.attempts)
        expect_count("max_restarts", self.max_restarts)

    def compiles(self, strategy: Strategy) -> bool:
        """Whether the rounds of this strategy are the compiled ones; those with paths are not."""
        return self.compiled and isinstance(strategy, Beacons) and not strategy.paths
