"""What goes wrong in a network that a driver runs; agents know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass

from garden.errors import SpecError


@dataclass(frozen=True)
class Partition:
    """For a while, nothing passes between a part of the network and the rest."""

    start: int  # milliseconds
    stop: int
    part: frozenset[int]  # keys of agents

    def separates(self, one: int, other: int, now: int) -> bool:
        """Whether nothing passes between two agents at this time.

        Args:
            one: The key of an agent.
            other: That of another.
            now: The network's time, in milliseconds.
        """
        return self.start <= now < self.stop and (one in self.part) != (other in self.part)


@dataclass(frozen=True)
class Faults:
    """Shares are probabilities for each envelope; times are in milliseconds."""

    latency: tuple[int, int] = (10, 50)
    """The shortest and the longest time that an envelope is under way, all between alike."""

    loss: float = 0.0
    """The share of envelopes that are lost."""

    duplication: float = 0.0
    """The share that arrive twice."""

    reordering: float = 0.0
    """The share that are held up for :attr:`delay` more, so that later ones overtake them."""

    delay: int = 400

    slow: float = 0.0
    """The share of peers to and from which everything takes :attr:`slowness` times as long."""

    slowness: int = 10

    clock_skew: int = 0
    """Clocks are ahead of the network's by up to so much."""

    partitions: tuple[Partition, ...] = ()

    gone_links: frozenset[tuple[int, int]] = frozenset()
    """Pairs of keys, the smaller first, between whom nothing passes any more."""

    def separates(self, one: int, other: int, now: int) -> bool:
        """Whether nothing passes between two agents at this time, for a partition or a link that is
        gone.

        Args:
            one: The key of an agent.
            other: That of another.
            now: The network's time, in milliseconds.
        """
        if self.gone_links:
            pair = (one, other) if one < other else (other, one)
            if pair in self.gone_links:
                return True
        return any(part.separates(one, other, now) for part in self.partitions)

    def __post_init__(self) -> None:
        for name in ("loss", "duplication", "reordering", "slow"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise SpecError(f"{name} is {share}: it must lie between 0 and 1")
        if not 0 <= self.latency[0] <= self.latency[1]:
            raise SpecError(f"latency is {self.latency}: give the shortest time, then the longest")
