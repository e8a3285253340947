"""``garden train``: a policy for a graph."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from garden.cli.graph_options import GraphOptions
from garden.cli.verb import Verb
from garden.errors import SpecError
from garden.models.config import ModelConfig
from garden.training.config import RunOptions, TrainingOptions

if TYPE_CHECKING:
    from garden.training.run import TrainedRun


@dataclass(frozen=True)
class Train(Verb):
    """Train a model on a graph, keeping what scores best on validation targets."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: Path
    """The run folder; with --seeds, the folder of the runs' folders."""

    options: Annotated[TrainingOptions, tyro.conf.arg(name="")] = field(
        default_factory=TrainingOptions
    )

    size: Annotated[ModelConfig, tyro.conf.arg(name="")] = field(default_factory=ModelConfig)

    run_options: Annotated[RunOptions, tyro.conf.arg(name="")] = field(default_factory=RunOptions)

    graph_options: Annotated[GraphOptions, tyro.conf.arg(name="")] = field(
        default_factory=GraphOptions
    )

    seed: int | None = None
    """Fixes the split, the initialisation and the training; 0 by default."""

    seeds: str | None = None
    """Several seeds, such as 0-9: each gets a folder OUT/seed-N."""

    resume: bool = False
    """Continue the run in OUT where it stopped."""

    force: bool = False
    """Overwrite a run in OUT."""

    json: str | None = None
    """Write the summaries as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Train, store, say how to use and to resume."""
        from garden.api import train_runs
        from garden.cli.console import busy, check_outputs, print_table, write_json
        from garden.search.summary import parse_seeds

        check_outputs(json=self.json)
        if self.seed is not None and self.seeds is not None:
            raise SpecError("--seed and --seeds exclude each other: give one")
        if self.resume and self.force:
            raise SpecError("--resume continues a run and --force overwrites it: give one")
        seeds = [self.seed or 0] if self.seeds is None else parse_seeds(self.seeds)
        self.options.resolved()  # refused before anything is loaded
        with busy(f"loading {self.spec}"):
            graph = self.graph_options.load(self.spec)
        runs = train_runs(
            graph,
            seeds,
            self.out,
            self.options,
            self.size,
            self.run_options,
            one_folder=self.seeds is None,
            resume=self.resume,
            force=self.force,
            quiet=self.talk.quiet,
        )
        columns = ("run", "validation ratio", "at update", "updates", "seconds", "stopped")
        print_table("Trained", columns, [_row(run) for run in runs], self.json)
        if self.json is not None:
            write_json({"runs": [{"folder": str(r.folder), **r.summary} for r in runs]}, self.json)
        self._say_what_next(runs)

    def _say_what_next(self, runs: list[TrainedRun]) -> None:
        from garden.cli.console import say

        stopped = {run.summary["stopped"] for run in runs}
        if stopped & {"interrupted", "time"}:
            words = [word for word in sys.argv[1:] if word not in ("--resume", "--force")]
            again = shlex.join(["garden", *words, "--resume"])
            say(f"stopped before the end; resume with: {again}")
        if "interrupted" in stopped:
            sys.exit(130)
        first = runs[0]
        seed = first.policy.info.seed
        spec = self.graph_options.command_words(self.spec)
        say(f"evaluate with: garden evaluate {spec} --seed {seed} --strategy {first.folder}")


def _row(run: TrainedRun) -> tuple[str, ...]:
    summary = run.summary
    return (
        str(run.folder),
        f"{summary['validation_ratio']:.3f}",
        str(summary["best_update"]),
        str(summary["updates"]),
        f"{summary['seconds']:.1f}",
        summary["stopped"],
    )
