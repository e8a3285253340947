"""``garden task``: draw a split and its pairs once, and store them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from garden.cli.console import TABLES_AS_USUAL, GraphFlags, Verb, check_outputs, print_report


@dataclass(frozen=True)
class Task(Verb):
    """Split a graph's targets 80/10/10, draw 1,000 validation and 1,000 test pairs, store them."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: Path
    """The file to write."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    seed: int = 0
    """Fixes the split and the pairs."""

    force: bool = False
    """Overwrite OUT, where it holds another task or anything else."""

    json: str | None = None
    """Write a summary as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Split, save, print a summary."""
        from garden.datasets.task import SearchTask

        check_outputs(self.out, json=self.json)
        task = SearchTask.split(self.graph_options.load_aloud(self.spec), seed=self.seed)
        task.save(self.out, self.force)
        summary = {
            "graph": task.graph.name,
            "seed": task.seed,
            "train_targets": len(task.train_targets),
            "validation_targets": len(task.validation_targets),
            "test_targets": len(task.test_targets),
            "validation_pairs": len(task.validation_pairs),
            "test_pairs": len(task.test_pairs),
            "task_hash": task.content_hash,
            "file": str(self.out),
        }
        print_report("Search task", summary, self.json)
