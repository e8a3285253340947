"""``garden evaluate``: strategies side by side on the same pairs, and a hint what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from garden.cli.console import (
    TABLES_AS_USUAL,
    GraphFlags,
    Verb,
    check_outputs,
    print_table,
    progress_bar,
    say,
)
from garden.cli.result_text import write_json
from garden.errors import SpecError
from garden.search.config import EvaluationConfig, ExecutorName

if TYPE_CHECKING:
    from garden.datasets.task import SearchTask
    from garden.graphs.graph import Graph
    from garden.search.report import Report, StrategyResult

_NEAR_ONE = 1.005  # ratios below it are printed as 1.00
_HALF = 0.5


@dataclass(frozen=True)
class Evaluate(Verb):
    """Compare strategies on a graph's test pairs and print the paper's three metrics."""

    spec: tyro.conf.Positional[str]
    """The graph: facebook:414, kaiser-hilgetag:n=200,beta=1, a file, a folder, …; `garden data
    list` shows the kinds."""

    strategy: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A strategy, as often as you like: a walker, beacons:k=16,rank=degree,seed=0 (all optional),
    shipped weights, a run folder, or a class of your own as package.module:Class; NAME+MEMORY gives
    it a memory. By default all walkers, universal, which needs no training, and beacons, whose
    agents tell their neighbours something first."""

    memory: str = "none"
    """The memory of every strategy that names none of its own: none, visited, backtrack,
    frontier, explore."""

    seed: int | None = None
    """Fixes the split and the pairs; 0 by default."""

    seeds: str | None = None
    """Several seeds, such as 0-9, in place of one: the table then shows means over them."""

    task: Path | None = None
    """A task file made by `garden task`, in place of a split by seed."""

    config: Annotated[EvaluationConfig, tyro.conf.arg(name="")] = field(
        default_factory=EvaluationConfig
    )

    graph_options: GraphFlags = TABLES_AS_USUAL

    allow_seen_targets: bool = False
    """Evaluate a policy even where its training may have seen the targets; the JSON says so."""

    pairs_out: Path | None = None
    """Write hops and truncation of every pair and strategy to this CSV file."""

    no_cache: bool = False
    """Let the agents of strategies with rounds talk anew. By default what they settled on is kept
    in the user's cache folder (GARDEN_CACHE) for graphs of 20,000 nodes or more."""

    executor: ExecutorName = "process"
    """Who plays the pairs: this process, or the workers of a Ray cluster (that of RAY_ADDRESS, or
    one of this machine's cores); the report is the same to the last digit."""

    json: str | None = None
    """Write the report as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Evaluate on every seed, print the table, write what was asked for."""
        from garden.search.seed_summary import SeedSummary
        from garden.storage import write_text

        self._refuse_clashes()
        check_outputs(self.pairs_out, json=self.json)
        graph = self.graph_options.load_aloud(self.spec)
        reports = [self._report(task) for task in self._tasks(graph)]
        result = reports[0] if self.seeds is None else SeedSummary(tuple(reports))
        print_table(result.title(), result.columns(), result.rows(), self.json)
        if self.pairs_out:
            write_text(self.pairs_out, reports[0].pairs_csv())
        if self.json:
            write_json(result.to_json(), self.json)
        advice = advice_on(reports)
        if advice is not None:
            say(advice)

    def _refuse_clashes(self) -> None:
        """Refuse flags that exclude each other, before anything is loaded."""
        if self.seeds is not None and (self.task or self.pairs_out or self.seed is not None):
            raise SpecError("--seeds goes without --seed, --task and --pairs-out")
        if self.task and self.seed is not None:
            raise SpecError("--task goes without --seed: the task file holds its seed")

    def _tasks(self, graph: Graph) -> list[SearchTask]:
        """The task of the file that was given, or a split of the graph for each seed."""
        from garden.datasets.task import SearchTask
        from garden.search.seed_summary import parse_seeds

        if self.task:
            return [SearchTask.load(self.task, graph)]
        seeds = [self.seed or 0] if self.seeds is None else parse_seeds(self.seeds)
        return [SearchTask.split(graph, seed=seed) for seed in seeds]

    def _report(self, task: SearchTask) -> Report:
        """The report on one task, by the strategies that were named or else by the default ones."""
        from garden.api import evaluate
        from garden.resolve import default_strategies

        strategies = self.strategy or tuple(default_strategies(task.graph, self.memory))
        with progress_bar(f"evaluating on {task.graph.name}") as progress:
            return evaluate(
                task,
                strategies,
                memory=self.memory,
                config=self.config,
                allow_seen_targets=self.allow_seen_targets,
                progress=progress,
                cache=not self.no_cache,
                executor=self.executor,
            )


def advice_on(reports: Sequence[Report]) -> str | None:
    """What to do next, where all reports agree on it; otherwise None.

    Args:
        reports: One for each seed.

    Returns:
        One line: that some pairs are out of reach, that training cannot help, or that a memory may.
    """
    lines = {_advice(report) for report in reports}
    return lines.pop() if len(lines) == 1 else None


def _advice(report: Report) -> str | None:
    return _pairs_beyond_limit(report) or _training_cannot_help(report) or _memory_helps(report)


def _pairs_beyond_limit(report: Report) -> str | None:
    """Says that no strategy can deliver some of the messages, where that is so."""
    if not report.num_pairs_beyond_limit:
        return None
    return (
        f"{report.num_pairs_beyond_limit} of {len(report.pairs)} pairs are further apart than "
        f"{report.config.max_hops} hops, the longest {report.distances.max()}: no ratio counts them"
    )


def _training_cannot_help(report: Report) -> str | None:
    """Says that a strategy without training takes shortest paths, where its interval ends at 1.00.

    Only test targets count: temperatures are tuned on the others.
    """
    from garden.resolve import UNIVERSAL
    from garden.strategies.registry import WALKERS

    def is_perfect(result: StrategyResult) -> bool:
        untrained = result.name in (*WALKERS, UNIVERSAL)
        interval = result.oracle_ratio_ci
        return untrained and interval is not None and interval[1] < _NEAR_ONE

    best = [result.name for result in report.results if is_perfect(result)]
    if not best or report.config.split != "test":
        return None
    name = UNIVERSAL if UNIVERSAL in best else best[0]
    return f"{name} is at 1.00 here: training cannot help"


def _memory_helps(report: Report) -> str | None:
    """Proposes a memory where none was used and every strategy lost half of its messages.

    A message that can turn back reaches every node of a connected graph. Agents that talk first are
    left out: that theirs arrive says nothing about the others'.
    """
    alone = [result for result in report.results if result.knows == "ego"]
    among = " where agents see ego graphs alone" if 0 < len(alone) < len(report.results) else ""
    results = alone or report.results
    if any(result.memory != "none" or result.truncation_rate < _HALF for result in results):
        return None
    return f"half of the walks or more were cut off{among}: try --memory backtrack"
