"""``garden export``: a trained model as ONNX, for agents that run without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from garden.cli.console import TABLES_AS_USUAL, GraphFlags, Verb, busy, check_outputs, print_table


@dataclass(frozen=True)
class Export(Verb):
    """Write a trained model as ONNX: one ego graph to its row, and rows to scores.

    The folder runs without torch: `garden peers cut SPEC --strategy FOLDER`.
    """

    run_folder: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """A run folder, or the name of shipped weights."""

    out: Path | None = None
    """The folder to write; by default RUN's name with -onnx, here."""

    compare: str | None = None
    """A graph on which the choices of torch and of the export are compared."""

    hops: int = 20_000
    """How many choices are compared, at holders and for targets drawn at random."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    seed: int = 0
    """Fixes which choices are compared."""

    force: bool = False
    """Replace the folder, where it holds an export already."""

    json: str | None = None
    """Write a summary as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Export, compare where asked, print a summary."""
        from garden.errors import StrategyError, expect_count
        from garden.experiments.peers.export_gap import compare_choices
        from garden.models.export import check_extra, export_policy
        from garden.models.policy import Policy
        from garden.resolve import strategy_named
        from garden.strategies.exported import load_exported

        check_outputs(json=self.json)
        expect_count("hops", self.hops)
        check_extra()
        policy = strategy_named(self.run_folder)
        if not isinstance(policy, Policy):
            raise StrategyError(f"{self.run_folder}: is no trained model: nothing to export")
        graph = None if self.compare is None else self.graph_options.load(self.compare)
        if graph is not None:
            policy.check_attributes(graph.attribute_names)
        out = self.out or Path(f"{Path(self.run_folder).name}-onnx")
        with busy(f"exporting {self.run_folder}"):
            export_policy(policy, out, self.force)
        size = sum(path.stat().st_size for path in out.iterdir())
        summary = {"model": policy.info.model, "trained_on": policy.info.graph}
        summary |= {"folder": str(out), "bytes": str(size)}
        content: dict[str, object] = {**summary, "bytes": size}
        if graph is not None:
            with busy(f"comparing on {self.compare}"):
                gap = compare_choices(graph, policy, load_exported(out), self.hops, self.seed)
            content["choices"] = gap.to_json()
            summary |= {name: str(value) for name, value in gap.to_json().items()}
        rows = [(name.replace("_", " "), value) for name, value in summary.items()]
        print_table("Export", ("", "value"), rows, self.json, content)
