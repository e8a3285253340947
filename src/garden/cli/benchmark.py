"""``garden benchmark``: play the frozen tasks with a strategy, and set entries side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from garden.cli.console import Verb, check_outputs, print_table, progress_bar, say
from garden.cli.result_text import write_json
from garden.errors import SpecError


@dataclass(frozen=True)
class BenchmarkRun(Verb):
    """Play every task of the benchmark that is at hand, and write an entry."""

    strategy: tyro.conf.UseAppendAction[tuple[str, ...]]
    """The strategy, NAME+MEMORY: a name, or a class of your own as package.module:Class. Several
    only for policies that were each trained on a graph of their own."""

    out: Path
    """The file of the entry."""

    quick: bool = False
    """Small generated graphs and few pairs, without any data: two minutes at most."""

    training_seconds: float | None = None
    """How long the strategy was trained, for the entry."""

    def run(self) -> None:
        """Play, check the entry against its own schema, write it and print a table."""
        from garden.experiments.benchmark.entry import misfit_of
        from garden.experiments.benchmark.run import benchmark_entry
        from garden.experiments.benchmark.table import entry_tables

        if not self.strategy:
            raise SpecError("no strategy: name one with --strategy")
        check_outputs(self.out)
        with progress_bar("benchmark") as progress:
            entry = benchmark_entry(self.strategy, self.quick, self.training_seconds, progress)
        wrong = misfit_of(entry)
        if wrong:
            raise SpecError(f"the entry does not fit its schema: {wrong}")
        write_json(entry, str(self.out))
        for table in entry_tables([entry]):
            print_table(table.title, table.columns, table.rows)
        if entry["missing"]:
            first = entry["missing"][0]
            say(f"{len(entry['missing'])} tasks were left out ({first['spec']}: {first['why']})")


@dataclass(frozen=True)
class BenchmarkGraph(Verb):
    """Write the graph that a policy for a task is trained on: of newcomers, that without them."""

    task: tyro.conf.Positional[str]
    """The task, as entries name it, such as newcomers:facebook:414."""

    out: Path
    """The file, such as before.npz; `garden train` takes it as a spec."""

    def run(self) -> None:
        """Find the task, make its graph, write it."""
        from garden.datasets.files import write_graph
        from garden.experiments.benchmark.tasks import task_named

        check_outputs(self.out)
        graph = task_named(self.task).training_graph()
        write_graph(graph, self.out)
        say(f"{self.out}: {graph.num_nodes} nodes; train with: garden train {self.out}")


@dataclass(frozen=True)
class BenchmarkTable(Verb):
    """Set entries side by side: one table for each track, memoryless and with memory apart."""

    entries: tyro.conf.Positional[tuple[Path, ...]]
    """Files that `garden benchmark run` wrote."""

    paper: bool = False
    """Add the paper's own Table 1, which is on other pairs."""

    out: Path | None = None
    """Write the tables as Markdown to this file."""

    def run(self) -> None:
        """Check every entry, print the tables, write what was asked for."""
        from garden.experiments.benchmark.entry import read_entry
        from garden.experiments.benchmark.table import entry_tables, paper_table
        from garden.storage import write_text

        if not self.entries:
            raise SpecError("no entry: name at least one file")
        check_outputs(self.out)
        tables = entry_tables([read_entry(path) for path in self.entries])
        tables += [paper_table()] if self.paper else []
        for table in tables:
            print_table(table.title, table.columns, table.rows)
        if self.out:
            write_text(self.out, "\n".join(table.markdown() for table in tables))
