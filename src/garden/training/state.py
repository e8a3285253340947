"""Everything that changes while a stack of models trains, and how it is stored per seed.

A seed's state file holds its last weights, its best weights, its optimiser moments and the random
state, so that one file is enough to continue exactly. Its metrics file has a line per validation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from garden.atomic import write_text
from garden.checkpoint_files import WEIGHTS_FILE
from garden.errors import DataError
from garden.models.base import Model
from garden.models.policy import read_tensors, write_tensors

STATE_FILE = "state.safetensors"
_MOMENTS = ("exp_avg", "exp_avg_sq")
Record = dict[str, Any]


@dataclass
class SeedProgress:
    """How far one seed has come."""

    best_ratio: float = float("inf")
    best_update: int = -1
    stale: int = 0  # validations since the best
    notable_ratio: float = float("inf")  # the last best that was better by more than a trifle
    idle: int = 0  # validations since that
    temperature: float = 1.0  # chosen at the end, for models that have one
    tempered_ratio: float | None = None  # the best model's ratio at that temperature


@dataclass
class TrainingState:
    """A stack of models in training."""

    model: Model
    optimiser: torch.optim.Optimizer
    generator: torch.Generator
    best: dict[str, Tensor]  # the best weights of each seed, stacked
    seeds: list[SeedProgress]
    update: int = 0
    validated: int = -1  # the last update that was validated
    cooling_since: int = -1  # the update at which the step size began to fall to 0
    seconds: float = 0.0
    stats: list[dict[str, float]] = field(default_factory=list)  # of the last update, per seed

    def keep_best(self, seed: int) -> None:
        """Remember this seed's present weights as its best."""
        for name, tensor in self.model.state_dict().items():
            if is_stacked(name):
                self.best[name][seed] = tensor[seed]
            else:
                self.best[name].copy_(tensor)

    def save(self, folders: Sequence[Path]) -> None:
        """Write each seed's state into its folder, and then its best weights by themselves."""
        for seed, folder in enumerate(folders):
            facts = {
                "update": self.update,
                "validated": self.validated,
                "cooling_since": self.cooling_since,
                "seconds": self.seconds,
                "stats": self.stats[seed] if self.stats else {},
                "progress": vars(self.seeds[seed]),
                "device": self.generator.device.type,
                "stack": [len(self.seeds), seed],
            }
            write_tensors(folder / STATE_FILE, self._tensors_of(seed), facts)
        self.save_policies(folders, self.best)

    def save_policies(self, folders: Sequence[Path], weights: Mapping[str, Tensor]) -> None:
        """Write each seed's part of stacked weights, as its policy, into its folder."""
        for seed, folder in enumerate(folders):
            write_tensors(folder / WEIGHTS_FILE, weights_of(weights, seed), {})

    def load(self, folders: Sequence[Path]) -> None:
        """Continue from what :meth:`save` wrote; the seeds must stand in the same batch."""
        for seed, folder in enumerate(folders):
            path = folder / STATE_FILE
            tensors, facts = read_tensors(path)
            if facts.get("stack") != [len(self.seeds), seed]:
                raise DataError(f"{path}: its seeds were trained in another batch: resume those")
            self._take(tensors, facts, seed, path)

    def _tensors_of(self, seed: int) -> dict[str, Tensor]:
        tensors = {"random": self.generator.get_state()}
        for name, tensor in self.model.state_dict().items():
            tensors[f"last.{name}"] = slice_of(name, tensor, seed)
            tensors[f"best.{name}"] = slice_of(name, self.best[name], seed)
        for name, parameter in self.model.named_parameters():
            moments = self.optimiser.state.get(parameter, {})
            for moment in _MOMENTS:
                if moment in moments:
                    tensors[f"{moment}.{name}"] = moments[moment][seed : seed + 1]
        return tensors

    def _take(
        self, tensors: Mapping[str, Tensor], facts: Mapping[str, Any], seed: int, path: Path
    ) -> None:
        try:
            with torch.no_grad():
                for name, tensor in self.model.state_dict().items():
                    slice_of(name, tensor, seed).copy_(tensors[f"last.{name}"])
                    slice_of(name, self.best[name], seed).copy_(tensors[f"best.{name}"])
                self._take_moments(tensors, seed, facts["update"])
            self.generator.set_state(tensors["random"])
            self.update, self.validated = facts["update"], facts["validated"]
            self.cooling_since = facts.get("cooling_since", -1)
            self.seconds = facts["seconds"]
            self.stats = [*self.stats[:seed], facts["stats"]]
            self.seeds[seed] = SeedProgress(**facts["progress"])
        except (KeyError, RuntimeError, TypeError) as error:
            raise DataError(f"{path}: the state does not fit this model ({error})") from None

    def _take_moments(self, tensors: Mapping[str, Tensor], seed: int, update: int) -> None:
        for name, parameter in self.model.named_parameters():
            if f"exp_avg.{name}" not in tensors:
                continue
            state = self.optimiser.state[parameter]
            if not state:
                state["step"] = torch.tensor(float(update))
                for moment in _MOMENTS:
                    state[moment] = torch.zeros_like(parameter)
            for moment in _MOMENTS:
                state[moment][seed : seed + 1].copy_(tensors[f"{moment}.{name}"])


def is_stacked(name: str) -> bool:
    """Whether an entry of a model's state has a seed axis; the input scaling has none."""
    return name not in ("shift", "scale")


def weights_of(stacked: Mapping[str, Tensor], seed: int) -> dict[str, Tensor]:
    """One seed's part of stacked weights."""
    return {name: slice_of(name, tensor, seed) for name, tensor in stacked.items()}


def slice_of(name: str, tensor: Tensor, seed: int) -> Tensor:
    """One seed's part of an entry of a model's state, as a stack of one.

    Args:
        name: of the entry.
        tensor: of all seeds.
        seed: the place of the seed in the stack.
    """
    return tensor[seed : seed + 1] if is_stacked(name) else tensor


class MetricsFile:
    """``metrics.jsonl``: one line per validation."""

    NAME = "metrics.jsonl"

    def __init__(self, folder: Path) -> None:
        self.path = folder / self.NAME

    def append(self, record: Record) -> None:
        """Add a line, the record of one validation."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None

    def cut(self, update: int) -> None:
        """Drop lines later than this update, which a resumed run will write again."""
        kept = [record for record in read_metrics(self.path) if record["update"] <= update]
        write_text(self.path, "".join(json.dumps(record) + "\n" for record in kept))


def read_metrics(path: Path) -> list[Record]:
    """The records of a metrics file; a line cut short by a crash is left out."""
    records = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records
