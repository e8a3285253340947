"""``garden adapt``: the universal policy, fitted to one graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

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
from garden.training.universal.config import AdaptConfig


@dataclass(frozen=True)
class Adapt(Verb):
    """Fit universal to a graph in seconds: by fine-tuning, or by agents that learn on their own.

    Fine-tuned weights are kept where they help on validation targets.
    """

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: Path
    """The folder of the adapted policy, which is then a strategy's name."""

    start: str = "universal"
    """The policy to start from: shipped weights, or the folder of one trained on many graphs."""

    config: Annotated[AdaptConfig, tyro.conf.arg(name="")] = field(default_factory=AdaptConfig)

    graph_options: GraphFlags = TABLES_AS_USUAL

    seed: int = 0
    """Fixes the split and the draws."""

    force: bool = False
    """Overwrite a policy in OUT."""

    json: str | None = None
    """Write the result as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Adapt, store, print the ratios before and after and how to use the result."""
        from garden.api import adapt
        from garden.datasets.task import SearchTask

        check_outputs(json=self.json)
        task = SearchTask.split(self.graph_options.load_aloud(self.spec), seed=self.seed)
        with progress_bar(f"adapting to {self.spec}") as progress:
            policy = adapt(task, self.start, self.config, self.out, self.force, progress)
        found = policy.record
        columns = ("policy", "validation ratio", "before", "kept", "seconds")
        row = (
            str(self.out),
            _ratio_text(found["validation_ratio"]),
            _ratio_text(found["validation_ratio_before"]),
            found["kept"],
            f"{found['seconds']:.1f}",
        )
        about = {"folder": str(self.out), "seed": self.seed, **policy.parameters, **found}
        print_table("Adapted", columns, [row], self.json, about)
        spec = self.graph_options.command_words(self.spec)
        say(f"evaluate with: garden evaluate {spec} --seed {self.seed} --strategy {self.out}")


def _ratio_text(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.3f}"
