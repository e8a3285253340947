"""What is limited where actors pass messages and die."""

from __future__ import annotations

from dataclasses import dataclass

from garden.errors import expect_count


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
    """Whether ``beacons`` uses its compiled rounds; the plain ones give the same rows."""

    def __post_init__(self) -> None:
        expect_count("attempts", self.attempts)
        expect_count("max_restarts", self.max_restarts)
