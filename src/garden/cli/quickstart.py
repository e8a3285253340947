"""``garden quickstart``: a graph, every walker on it, a table and a picture, in seconds."""

from __future__ import annotations

import json as jsonlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Quickstart:
    """Grow a graph, compare every strategy on it, and draw one message's trip."""

    out: Path = Path("garden-quickstart")
    """The folder for the table and the picture."""

    seed: int = 0
    """Fixes the graph, the split and the walks."""

    json: str | None = None
    """Write the report as JSON to this file too; - is standard output."""

    def run(self) -> None:
        """Generate, compare, draw."""
        from garden.api import evaluate, load, route
        from garden.atomic import write_text
        from garden.cli.console import check_outputs, print_table, progress_bar, write_json
        from garden.datasets.task import SearchTask
        from garden.names import default_strategies
        from garden.search.report import COLUMNS

        check_outputs(self.out / "report.json", json=self.json)
        graph = load(f"kaiser-hilgetag:n=200,alpha=30,beta=1,seed={self.seed}")
        task = SearchTask.split(graph, seed=self.seed)
        strategies = [*default_strategies(graph), "bidirectional+visited", "distance+visited"]
        with progress_bar() as progress:
            report = evaluate(task, strategies, progress=progress)
        best = min(report.results, key=lambda result: result.oracle_ratio)
        farthest = report.pairs[report.distances.argmax()]
        source, target = (graph.node_names[node] for node in farthest)
        message = route(
            graph, f"{best.name}+{best.memory}", source=source, target=target, seed=self.seed
        )
        write_text(self.out / "report.json", jsonlib.dumps(report.to_json(), indent=2) + "\n")
        write_text(self.out / "table.txt", f"{report}\n")
        message.plot(self.out / "walk.png")
        print_table(report.title(), COLUMNS, report.rows(), self.json)
        trip = f"{source} → {target} by {best.name}+{best.memory}"
        rows = [
            ("table", str(self.out / "table.txt")),
            (f"picture of {trip}", str(self.out / "walk.png")),
            ("report", str(self.out / "report.json")),
        ]
        print_table("Written", ("what", "where"), rows, self.json)
        if self.json:
            write_json(report.to_json(), self.json)
