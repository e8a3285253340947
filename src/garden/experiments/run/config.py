"""Options of a reproduction, with one default each, and who is told how it goes. Free of torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from garden.errors import SpecError

if TYPE_CHECKING:
    from garden.experiments.run.jobs import Work

ExecutorName = Literal["process", "pool", "ray"]
AttributeJoin = Literal["by-id", "as-published"]
NUM_QUICK_SEEDS = 2
FIRST_SEED = 20
"""Of the Facebook graphs: splits of earlier seeds were looked at while trellis was made."""


@dataclass(frozen=True)
class Scope:
    """How much of an experiment is made."""

    quick: bool = False
    """Two seeds and short trainings: minutes on two cores, to see that all of it works."""

    seeds: tuple[int, ...] | None = None
    """These seeds in place of the experiment's own."""

    graphs: tuple[str, ...] | None = None
    """Some of the experiment's graphs, by name: 414, 686, 348, 0 or 3437; for temperature and
    density, some of their β, such as 0.1."""

    attributes: AttributeJoin | None = None
    """One way of joining the Facebook graphs' attributes in place of both (facebook only)."""

    def seeds_or(self, own: int, first: int = 0) -> tuple[int, ...]:
        """The seeds to play: those given, two of a quick run, else the experiment's own number.

        Args:
            own: How many seeds the experiment has by itself.
            first: The first of them.

        Returns:
            The seeds, in order.
        """
        if self.seeds is not None:
            return self.seeds
        return tuple(range(first, first + (NUM_QUICK_SEEDS if self.quick else own)))

    def graphs_among(
        self, names: tuple[str, ...], quick: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        """The graphs to play, in the experiment's order.

        Args:
            names: All that the experiment has.
            quick: Those of a quick run that names none; all of them where this is left out.

        Returns:
            Those that were asked for, or all.

        Raises:
            SpecError: If one was asked for that the experiment does not have.
        """
        if self.graphs is None:
            return quick if self.quick and quick is not None else names
        unknown = [name for name in self.graphs if name not in names]
        if unknown:
            raise SpecError(f"unknown graph {unknown[0]!r}: choose from {', '.join(names)}")
        return tuple(name for name in names if name in self.graphs)

    def command(self, name: str) -> str:
        """What a person types to make this much of an experiment."""
        words = ["garden", "reproduce", name]
        if self.quick:
            words.append("--quick")
        if self.seeds is not None:
            words += ["--seeds", ",".join(map(str, self.seeds))]
        if self.graphs is not None:
            words += ["--graphs", ",".join(self.graphs)]
        if self.attributes is not None:
            words += ["--attributes", self.attributes]
        return " ".join(words)


@dataclass(frozen=True)
class Execution:
    """Who does the work; none of it changes a result on one device and layout."""

    executor: ExecutorName = "process"
    """This process, a pool of processes, or a Ray cluster (extra `cluster`)."""

    workers: int = 2
    """Processes of the pool, or of a Ray that is started here."""

    device: str = "cpu"
    """Where policies are trained: cpu, or cuda, where all seeds of a graph go as one stack."""

    def __post_init__(self) -> None:
        if self.executor not in get_args(ExecutorName):
            choices = ", ".join(get_args(ExecutorName))
            raise SpecError(f"unknown executor {self.executor!r}: choose from {choices}")
        if self.workers < 1:
            raise SpecError(f"workers is {self.workers}: it must be at least 1")


class ReproductionListener:
    """Somebody who wants to see how a reproduction goes; this one does nothing."""

    def planned(self, name: str, done: int, left: int) -> None:
        """An experiment begins.

        Args:
            name: Of the experiment.
            done: How many units are stored already.
            left: How many are left to do.
        """

    def started(self, work: Work) -> None:
        """A unit was taken up."""

    def ended(self, work: Work, seconds: float) -> None:
        """A unit is done and stored.

        Args:
            work: The unit.
            seconds: How long it took whoever did it.
        """
