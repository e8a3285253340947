"""``garden reproduce``: the paper's tables and figures."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from garden.cli.console import Verb, progress_lines, say
from garden.errors import duration
from garden.experiments.run.config import AttributeJoin, Execution, ReproductionListener
from garden.search.progress import Progress

if TYPE_CHECKING:
    from garden.experiments.run.config import Scope
    from garden.experiments.run.jobs import Work


@dataclass(frozen=True)
class Reproduce(Verb):
    """Make a table or a figure of the paper from nothing but the data, or all of them.

    What is done stays done: a stopped reproduction continues where it was.
    """

    name: tyro.conf.Positional[str]
    """The experiment: graphs, facebook, temperature, density, ablation, runtime, values (the
    paper's), trellis, failures, splits, larger, retraining, newcomers, collection, universal,
    left-out, universal-inputs, adapt, robustness, gossip (ours), or all."""

    out: Path = Path("results")
    """The folder of the results."""

    quick: bool = False
    """Two seeds and short trainings: minutes on two cores, to see that all of it works."""

    seeds: str | None = None
    """These seeds, such as 0-9, in place of the experiment's own."""

    graphs: str | None = None
    """Some of the experiment's graphs, such as 414,686; for temperature and density some of their
    densities β, such as 0.1,1.0."""

    attributes: AttributeJoin | None = None
    """For facebook, one way of joining attributes in place of both."""

    train_only: bool = False
    """Train the policies, all seeds of a graph as one stack, and stop: for a GPU machine, whose
    policies are then carried home."""

    execution: Annotated[Execution, tyro.conf.arg(name="")] = field(default_factory=Execution)

    def run(self) -> None:
        """Do what is left, write the page, say where it is."""
        from garden.experiments.run.config import Scope
        from garden.experiments.run.reproduce import experiment_named, pretrain, reproduce
        from garden.process_settings import cut_short
        from garden.search.seed_summary import parse_seeds

        if self.name != "all":
            experiment_named(self.name)
        scope = Scope(
            quick=self.quick,
            seeds=None if self.seeds is None else tuple(parse_seeds(self.seeds)),
            graphs=None if self.graphs is None else tuple(self.graphs.split(",")),
            attributes=self.attributes,
        )
        if cut_short():
            self._try_first_units(scope)
            return
        if self.train_only:
            pretrain([self.name], self.out, scope, self.execution.device)
            return
        with progress_lines(f"reproducing {self.name}") as progress:
            lines = Lines(progress)
            page = reproduce([self.name], self.out, scope, self.execution, lines)
        say(f"the results are in {page}")

    def _try_first_units(self, scope: Scope) -> None:
        """One unit in small, kept in a temporary folder while it lasts."""
        from garden.experiments.run.reproduce import experiments_named, try_first_units
        from garden.process_settings import SHORT_VARIABLE

        with tempfile.TemporaryDirectory() as folder:
            try_first_units(experiments_named([self.name]), scope, Path(folder))
        print(
            f"garden: {SHORT_VARIABLE} is set: one run in small, nothing is kept", file=sys.stderr
        )


class Lines(ReproductionListener):
    """Prints a line where a run of an experiment ends, with the time that the others will take.

    Args:
        progress: Told what is at work, so that long runs are reported too.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.name, self.done, self.left, self.running = "", 0, 0, 0
        self.began, self.finished = time.monotonic(), 0

    def planned(self, name: str, done: int, left: int) -> None:
        """Print how many runs of an experiment are stored already, and how many are left."""
        self.name, self.done, self.left, self.running = name, done, left, 0
        self.began, self.finished = time.monotonic(), 0
        say(f"{name}: {done} runs are done, {left} are left")
        self.progress(f"{name}, {done} of {done + left} runs done", 0, 0)

    def started(self, work: Work) -> None:
        """Count a run as running."""
        self.left -= 1
        self.running += 1

    def ended(self, work: Work, seconds: float) -> None:
        """Print how long a run took, and how long the rest will take at this pace."""
        self.done += 1
        self.running -= 1
        self.finished += 1
        pace = (time.monotonic() - self.began) / self.finished
        rest = pace * (self.left + self.running)
        say(
            f"{self.name}: {work.title} took {seconds:.0f} s; {self.done} done, "
            f"{self.running} running, {self.left} left, about {duration(rest)} to go"
        )
        total = self.done + self.running + self.left
        self.progress(f"{self.name}, {self.done} of {total} runs done", 0, 0)
