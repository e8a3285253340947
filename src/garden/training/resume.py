"""A stopped training goes on: its state is read from the files of its run folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from garden.errors import DataError
from garden.models.policy_files import read_tensors
from garden.training.state import MOMENTS, STATE_FILE, SeedProgress, TrainingState, slice_of


def take_state(state: TrainingState, folders: Sequence[Path]) -> None:
    """Continue from what :meth:`TrainingState.save` wrote; the seeds must stand in the same batch.

    Args:
        state: of the training as it is set up; what was stored takes its place.
        folders: run folders, one per seed.
    """
    for seed, folder in enumerate(folders):
        path = folder / STATE_FILE
        tensors, record = read_tensors(path)
        if record.get("stack") != [len(state.seeds), seed]:
            raise DataError(f"{path}: its seeds were trained in another batch: resume those")
        try:
            _take(state, tensors, record, seed)
        except (KeyError, RuntimeError, TypeError) as error:
            raise DataError(f"{path}: the state does not fit this model ({error})") from None


def _take(
    state: TrainingState, tensors: Mapping[str, Tensor], record: Mapping[str, Any], seed: int
) -> None:
    with torch.no_grad():
        for name, tensor in state.model.state_dict().items():
            slice_of(name, tensor, seed).copy_(tensors[f"last.{name}"])
            slice_of(name, state.best[name], seed).copy_(tensors[f"best.{name}"])
        _take_moments(state, tensors, seed, record["update"])
    state.generator.set_state(tensors["random"])
    state.update, state.validated = record["update"], record["validated"]
    state.cooling_since = record.get("cooling_since", -1)
    state.seconds = record["seconds"]
    state.stats = [*state.stats[:seed], record["stats"]]
    state.seeds[seed] = SeedProgress(**record["progress"])


def _take_moments(
    state: TrainingState, tensors: Mapping[str, Tensor], seed: int, update: int
) -> None:
    for name, parameter in state.model.named_parameters():
        if f"exp_avg.{name}" not in tensors:
            continue
        moments = state.optimiser.state[parameter]
        if not moments:
            moments["step"] = torch.tensor(float(update))
            for moment in MOMENTS:
                moments[moment] = torch.zeros_like(parameter)
        for moment in MOMENTS:
            moments[moment][seed : seed + 1].copy_(tensors[f"{moment}.{name}"])
