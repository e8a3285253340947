"""``garden quickstart``: a graph, a policy trained on it, a table and a picture, in a minute."""

from __future__ import annotations

import json as jsonlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from garden.cli.console import Verb, check_outputs, print_table, progress_bar

if TYPE_CHECKING:
    from garden.datasets.task import SearchTask
    from garden.resolve import StrategyLike
    from garden.search.report import Report

_SPEC = "kaiser-hilgetag:n=200,alpha=30,beta=1"
_UPDATES = 300
_DROPOUT = 0.0  # two attributes are too few to drop any: chosen on validation targets


@dataclass(frozen=True)
class Quickstart(Verb):
    """Generate a graph, train trellis on it, compare strategies, and draw one message's path."""

    out: Path = Path("garden-quickstart")
    """The folder for the policy, the table and the picture."""

    seed: int = 0
    """Fixes the graph, the split, the training and the walks."""

    json: str | None = None
    """Write the report as JSON to this file too; - is standard output."""

    def run(self) -> None:
        """Generate a graph, train, compare, draw."""
        from garden.api import evaluate, load
        from garden.datasets.task import SearchTask
        from garden.storage import write_text

        check_outputs(self.out / "report.json", json=self.json)
        task = SearchTask.split(load(f"{_SPEC},seed={self.seed}"), seed=self.seed)
        strategies = self._strategies(task)
        with progress_bar("evaluating") as progress:
            report = evaluate(task, strategies, progress=progress)
        write_text(self.out / "report.json", jsonlib.dumps(report.to_json(), indent=2) + "\n")
        write_text(self.out / "table.txt", f"{report}\n")
        print_table(report.title(), report.columns(), report.rows(), self.json)
        trip = self._draw_trip(report, strategies)
        rows = [
            ("policy", str(self.out / "trellis")),
            ("table", str(self.out / "table.txt")),
            (f"picture of {trip}", str(self.out / "walk.png")),
            ("report", str(self.out / "report.json")),
        ]
        print_table("Written", ("what", "where"), rows, self.json, report.to_json())

    def _strategies(self, task: SearchTask) -> list[StrategyLike]:
        """Every walker, the paper's model where its shipped weights fit, and a fresh trellis."""
        from garden.api import train
        from garden.resolve import default_strategies
        from garden.training.config import TrainingOptions

        strategies: list[StrategyLike] = [*default_strategies(task.graph), "bidirectional+visited"]
        if self.seed == 0:  # the shipped policy was trained on this graph and this split
            strategies.append("garden-quickstart")
        options = TrainingOptions(updates=_UPDATES, dropout=_DROPOUT)
        policy = train(task, options=options, quiet=self.verbosity.quiet)
        policy.save(self.out / "trellis", force=True)
        return [*strategies, policy]

    def _draw_trip(self, report: Report, strategies: list[StrategyLike]) -> str:
        """Draw the path between the farthest test pair by the best strategy; say which it is."""
        from garden.routing import route

        best = min(range(len(strategies)), key=lambda number: _ratio(report, number))
        names = report.graph.node_names
        source, target = (names[node] for node in report.pairs[report.distances.argmax()])
        message = route(
            report.graph, strategies[best], source=source, target=target, seed=self.seed
        )
        message.plot(self.out / "walk.png")
        result = report.results[best]
        talk = ", whose agents talk before they search" if result.knows == "gossip" else ""
        return f"{source} → {target} by {result.name}{talk}"


def _ratio(report: Report, number: int) -> float:
    ratio = report.results[number].oracle_ratio
    return math.inf if ratio is None else ratio
