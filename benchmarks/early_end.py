"""What it costs that training ends by itself: the best validation ratio beside a full schedule's.

One stack of seeds trains through all updates. Where a seed's validation has not improved for as
long as the default patience says, the stack is copied; the copy's step size falls to 0 and it ends,
as a training of that seed would. Both share every random number up to there. A seed whose patience
never ends has the same training twice.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from _timing import report
from garden.api import load
from garden.datasets.task import SearchTask
from garden.models.registry import ModelConfig
from garden.training.callbacks import Listener
from garden.training.config import TrainingOptions
from garden.training.methods.config import TrainingConfig
from garden.training.state import SeedProgress, note_ratio
from garden.training.trainer import Trainer


@dataclass
class Copies(Listener):
    """Copies the stack's state when a seed loses patience, once for each seed."""

    config: TrainingConfig
    stored: Sequence[Path]
    copies: Path
    seeds: list[SeedProgress]
    taken: dict[int, int] = field(default_factory=dict)  # place of the seed: update

    def on_validation(self, records: Sequence[dict[str, Any]]) -> None:
        """Count the validation, and copy what was stored for it where patience is over."""
        for place, (progress, record) in enumerate(zip(self.seeds, records, strict=True)):
            update = int(record["update"])
            note_ratio(progress, record["validation_ratio"], update)
            room = update + self.config.cooldown < self.config.updates
            if progress.idle >= self.config.patience and room and place not in self.taken:
                self.taken[place] = update
                for number, folder in enumerate(self.stored):
                    shutil.copytree(folder, self.copies / f"{place}" / f"{number}")


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--graphs", nargs="*", default=["facebook:414"])
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--updates", type=int, default=None)
    chosen, _ = parser.parse_known_args()
    content = [
        line
        for spec in chosen.graphs
        for line in compared(spec, chosen.seeds, chosen.device, chosen.updates)
    ]
    columns = ("graph", "seed", "updates", "best", "updates, full", "best, full", "lost")
    rows = [
        (
            line["graph"],
            str(line["seed"]),
            str(line["updates"]),
            f"{line['best']:.4f}",
            str(line["updates_full"]),
            f"{line['best_full']:.4f}",
            f"{line['best'] - line['best_full']:+.4f}",
        )
        for line in content
    ]
    report(
        "Training that ends by itself, and the full schedule: validation", columns, rows, content
    )


def compared(
    spec: str, seeds: Sequence[int], device: str, updates: int | None
) -> list[dict[str, Any]]:
    """One line for each seed of a graph: where each training ended, and its best validation."""
    tasks = [SearchTask.split(load(spec), seed=seed) for seed in seeds]
    ends = TrainingOptions(model="trellis", updates=updates).resolved()
    with tempfile.TemporaryDirectory() as name:
        stored = [Path(name) / "full" / f"{place}" for place in range(len(seeds))]
        for folder in stored:
            folder.mkdir(parents=True)
        copies = Copies(ends, stored, Path(name), [SeedProgress() for _ in seeds])
        full = Trainer(
            tasks, replace(ends, patience=0), ModelConfig(), device, stored, [copies]
        ).run()
        lines = []
        for place, seed in enumerate(seeds):
            ended = full.state
            if place in copies.taken:
                trainer = Trainer(tasks, ends, ModelConfig(), device)
                trainer.state.load([Path(name) / f"{place}" / f"{n}" for n in range(len(seeds))])
                trainer.state.cooling_since = trainer.state.update
                ended = trainer.run().state
            lines.append(
                {
                    "graph": spec,
                    "seed": seed,
                    "updates": ended.update,
                    "best": ended.seeds[place].best_ratio,
                    "updates_full": full.state.update,
                    "best_full": full.state.seeds[place].best_ratio,
                }
            )
    return lines


if __name__ == "__main__":
    main()
