"""The process that adapts or trains one policy for the page, and says how it goes.

python -P -m garden.web.job_process KIND FOLDER MINUTES

Reads FOLDER/graph.npz and FOLDER/name.txt, writes the policy to FOLDER/policy, and prints lines of
JSON: ``progress`` and ``message``, or a ``point`` of a curve, or ``error``. It ends when its
standard input does, so that it never outlives the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from garden.api import adapt, load, train
from garden.datasets.task import SearchTask
from garden.errors import GardenError, one_line
from garden.training.callbacks import Listener, Record, in_words
from garden.training.state import Plan

CURVES = {
    "validation_ratio": "Hops over the shortest path, on validation targets",
    "validation_truncation": "Share of messages that are given up",
    "loss": "Loss",
}
GRAPH, NAME, POLICY = "graph.npz", "name.txt", "policy"


def main(kind: str, folder: Path, minutes: float) -> None:
    """Do the work, then say ``done`` or what went wrong.

    Args:
        kind: ``adapt`` or ``train``.
        folder: Holds the graph and its name; the policy is written there.
        minutes: How long a training may take; adapting takes what it takes.
    """
    sys.argv = ["garden", "serve"]  # a policy records the command, and this one means nothing
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        graph = load(folder / GRAPH).renamed((folder / NAME).read_text(encoding="utf-8"))
        task = SearchTask.split(graph, seed=0)
        if kind == "adapt":
            _adapt(task, folder / POLICY)
        else:
            _train(task, folder / POLICY, minutes)
    except GardenError as error:
        tell(error=one_line(error))


def tell(**values: Any) -> None:
    """Print one line for the server."""
    print(json.dumps(values), flush=True)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(1)


def _adapt(task: SearchTask, out: Path) -> None:
    def progress(what: str, done: float, total: float) -> None:
        tell(progress=done / total, message=f"{what}: update {done:.0f} of {total:.0f}")

    found = adapt(task, out=out, progress=progress).record
    before, after = found["validation_ratio_before"], found["validation_ratio"]
    name = CURVES["validation_ratio"]
    for update, ratio in ((0, before), (found["options"]["updates"], after)):
        if ratio is not None:
            tell(point=[name, update, ratio])
    tell(message=f"{before:.2f} hops per shortest hop before, {after:.2f} after")


def _train(task: SearchTask, out: Path, minutes: float) -> None:
    policy = train(task, out=out, max_minutes=minutes, quiet=True, callbacks=[Teller()])
    tell(message=f"{policy.info.model}, by {policy.info.method}")


class Teller(Listener):
    """Tells the server how a training goes."""

    def __init__(self) -> None:
        self.plan: Plan | None = None

    def on_start(self, plan: Plan) -> None:
        """Know how long it may take."""
        self.plan = plan

    def on_update(self, update: int, total: int) -> None:
        """Say how far it is, and how long it may still take.

        Args:
            update: How many updates are done.
            total: How many there are at most.
        """
        left = None if self.plan is None else self.plan.seconds_left()
        pace = "" if left is None else f", {in_words(left)} left at most"
        tell(progress=update / total, message=f"update {update} of at most {total}{pace}")

    def on_validation(self, records: Sequence[Record]) -> None:
        """Add a point to each curve."""
        for name, title in CURVES.items():
            if isinstance(records[0].get(name), int | float):
                tell(point=[title, records[0]["update"], float(records[0][name])])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
