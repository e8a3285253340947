"""``garden train``: a policy for a graph."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from garden.cli.console import (
    TABLES_AS_USUAL,
    GraphFlags,
    Verb,
    busy,
    check_outputs,
    print_table,
    say,
)
from garden.cli.train_flags import FlagGroups
from garden.errors import DataError, SpecError
from garden.models.registry import ModelConfig
from garden.training.config import RunOptions, TrainingOptions

if TYPE_CHECKING:
    from garden.training.run import TrainedRun

_RUNS = Path("runs")
_LONGEST_NAME = 120  # of a folder; file systems take 255 bytes

_Bare: Any = tyro.conf.OmitArgPrefixes
_DEFAULT_OUT = "(default: runs/GRAPH-MODEL-seedN, with --seeds runs/GRAPH-MODEL)"


@dataclass(frozen=True)
class Train(Verb):
    """Train a model on a graph, keeping what scores best on validation targets.

    Training says after its first updates how long it may take. It ends by itself where validation
    has not improved for long, after a cool-down (--patience, --cooldown). A training that is
    stopped, by Ctrl-C or --max-minutes, hands over the best policy so far, the last update
    included, and goes on with --resume as if it had not been stopped.
    """

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: Annotated[Path | None, tyro.conf.arg(help_behavior_hint=_DEFAULT_OUT)] = None
    """The run folder; with --seeds, the folder of the runs' folders."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    seed: Annotated[int | None, tyro.conf.arg(help_behavior_hint="(default: 0)")] = None
    """Fixes the split, the training and, unless --init-seed is given, the initialisation."""

    seeds: str | None = None
    """Several seeds, such as 0-9: each gets a folder OUT/seed-N."""

    resume: bool = False
    """Continue the run in OUT where it stopped, with the options that it was begun with."""

    force: bool = False
    """Overwrite a run in OUT."""

    json: str | None = None
    """Write the summaries as JSON to this file; - is standard output."""

    flags: Annotated[Any, _Bare, tyro.conf.arg(name="", constructor=FlagGroups)] = field(
        default_factory=FlagGroups
    )

    run_options: Annotated[RunOptions, _Bare, tyro.conf.arg(name="run")] = field(
        default_factory=RunOptions
    )
    """Where and how long; none of it changes what is learned."""

    @property
    def options(self) -> TrainingOptions:
        """The training options that were given."""
        return TrainingOptions(**self._given(TrainingOptions))

    @property
    def size(self) -> ModelConfig:
        """The size of the model."""
        return ModelConfig(**self._given(ModelConfig))

    def _given(self, options: type) -> dict[str, Any]:
        """The values of the flags that set fields of this dataclass, by name."""
        groups = vars(self.flags).values()
        everything = {name: value for group in groups for name, value in vars(group).items()}
        return {one.name: everything[one.name] for one in fields(options) if one.name in everything}

    def run(self) -> None:
        """Train, store, say how to use and to resume."""
        from garden.api import train_runs
        from garden.search.seed_summary import parse_seeds

        check_outputs(json=self.json)
        if self.seed is not None and self.seeds is not None:
            raise SpecError("--seed and --seeds exclude each other: give one")
        if self.resume and self.force:
            raise SpecError("--resume continues a run and --force overwrites it: give one")
        seeds = [self.seed or 0] if self.seeds is None else parse_seeds(self.seeds)
        if not self.resume:  # refused before anything is loaded; a run's own options come first
            self.options.resolved()
        spec, out = self.graph_spec, self._out(self.options.chosen_model, seeds)
        if spec != self.spec:
            say("--protocol paper: attributes as published (attributes=by-id joins them by id)")
        with busy(f"loading {spec}"):
            graph = self.graph_options.load(spec)
        runs = train_runs(
            graph,
            seeds,
            out,
            self.options,
            self.size,
            self.run_options,
            one_folder=self.seeds is None,
            resume=self.resume,
            force=self.force,
            quiet=self.verbosity.quiet,
        )
        columns = ("run", "validation ratio", "at update", "updates", "seconds", "stopped")
        content = {"runs": [{"folder": str(run.folder), **run.summary} for run in runs]}
        print_table("Trained", columns, [_row(run) for run in runs], self.json, content)
        if any(run.summary["temperature"] != 1 for run in runs):
            say("ratios are at the temperature that validation chose at the end; in progress, at 1")
        self._say_what_next(runs)

    @property
    def graph_spec(self) -> str:
        """The graph; the paper's training takes Facebook attributes as they were published."""
        family, _, member = self.spec.partition(":")
        if self.options.protocol != "paper" or family != "facebook" or "attributes=" in member:
            return self.spec
        return f"{self.spec},attributes=as-published"

    def _out(self, model: str, seeds: Sequence[int]) -> Path:
        """The folder to write to: the one given, or the default, which must not exist yet."""
        from garden.api import run_folders

        if self.out is not None:
            return self.out
        out = default_out(self.graph_spec, model, seeds[0] if self.seeds is None else None)
        for folder in run_folders(out, seeds, self.seeds is None):
            if folder.exists() and not (self.resume or self.force):
                raise DataError(
                    f"{folder}: exists already: give --resume, --force or another --out"
                )
        return out

    def _say_what_next(self, runs: list[TrainedRun]) -> None:
        """Print the command that resumes a run which stopped early, or evaluates a trained one.

        Where the user interrupted, the process ends with exit code 130.
        """
        stopped = {run.summary["stopped"] for run in runs}
        if stopped & {"interrupted", "time"}:
            words = [word for word in sys.argv[1:] if word not in ("--resume", "--force")]
            again = shlex.join(["garden", *words, "--resume"])
            say(f"stopped before the end; resume with: {again}")
        if "interrupted" in stopped:
            sys.exit(130)
        first = runs[0]
        if not first.is_trained:
            print(f"garden: {first.folder} is no better than untrained", file=sys.stderr)
            return
        seed = first.policy.info.seed
        spec = self.graph_options.command_words(self.graph_spec)
        say(f"evaluate with: garden evaluate {spec} --seed {seed} --strategy {first.folder}")


def default_out(spec: str, model: str, seed: int | None) -> Path:
    """``runs/GRAPH-MODEL-seedN``, or without a seed the folder of several runs.

    Of a path, whatever leads up from here is left out, and of a long one its end is kept.

    Args:
        spec: The graph, as the command line names it.
        model: The name of the model.
        seed: The seed of the run; None where there are several.

    Returns:
        The folder, relative to the current one; it may exist already.
    """
    name = spec
    for mark in ":,/\\":
        name = name.replace(mark, "-")
    name = name.lstrip(".-~")[-_LONGEST_NAME:].lstrip(".-") or "graph"
    return _RUNS / (f"{name}-{model}" + ("" if seed is None else f"-seed{seed}"))


def _row(run: TrainedRun) -> tuple[str, ...]:
    """A run as a row of the table that is printed, a cell per column."""
    summary = run.summary
    ratio = summary["validation_ratio"]
    return (
        str(run.folder),
        "–" if ratio is None else f"{ratio:.3f}",
        str(max(0, summary["best_update"])),
        str(summary["updates"]),
        f"{summary['seconds']:.1f}",
        summary["stopped"],
    )
