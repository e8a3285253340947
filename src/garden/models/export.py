"""A trained model as ONNX: what a peer runs without torch.

Two graphs are written, both of dynamic sizes. ``represent`` maps one ego graph to its row,
``score`` maps the rows of a holder's neighbours and the row of one target to scores. What is read
of profiles by key alone, the match indicators of `trellis`, stays in NumPy on both sides
(:mod:`garden.strategies.ego_matching`). :mod:`garden.strategies.exported` runs what is written.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from garden.errors import DataError, MissingExtraError
from garden.models.base import Model, TargetContext
from garden.models.policy import Policy
from garden.storage import atomic_folder, write_config
from garden.strategies.exported import (
    EXPORT_FORMAT,
    REPRESENT_FILE,
    SCORE_FILE,
    ExportInfo,
    file_hash,
)

OPSET = 18
_EXAMPLE_MEMBERS, _EXAMPLE_CANDIDATES, _EXAMPLE_NEIGHBOURS = 5, 4, 3


class _Represent(nn.Module):
    """One ego graph to its row and, where neighbours are read, a value per neighbour."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, profiles: Tensor, linked: Tensor) -> tuple[Tensor, ...]:
        """(m, num_attributes) and (m, m) bool → (1, row_width), and (m, width) member values."""
        row = self.model.embed_one(profiles, linked)[0]
        if not self.model.reads_neighbours:
            return (row,)
        return row, self.model.member_values(profiles)[0]


class _Score(nn.Module):
    """The scores of a holder's neighbours for one target."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        candidates: Tensor,
        target: Tensor,
        neighbours: Tensor | None = None,
        visible: Tensor | None = None,
        indicators: Tensor | None = None,
    ) -> Tensor:
        """Rows (n, width) and (1, width) → scores (n,).

        Args:
            candidates: Rows of the holder's neighbours.
            target: The target's row.
            neighbours: What the target shows of its M neighbours, (M, width).
            visible: 1 for each of them, (M,); 0 for one that fills up an empty list.
            indicators: Match indicators of each candidate, (n, 4).
        """
        context = None
        if neighbours is not None and visible is not None and indicators is not None:
            context = TargetContext(
                neighbours.unsqueeze(0), visible[None, None], indicators[None, None]
            )
        table = self.model.score_table(candidates[None], target[None], context=context)
        return table[0, 0]


def export_policy(policy: Policy, folder: Path, force: bool = False) -> Path:
    """Write a policy as ONNX into a folder of its own.

    Args:
        policy: The policy.
        folder: Where to write; one that is there is refused.
        force: Replace a folder that holds an export.

    Returns:
        The folder.
    """
    check_extra()
    _refuse_taken(folder, force)
    model, info = policy.model.cpu(), policy.info
    with atomic_folder(folder) as temporary:
        _write_represent(model, temporary / REPRESENT_FILE)
        _write_score(model, temporary / SCORE_FILE)
        described = ExportInfo(
            model=info.model,
            method=info.method,
            selection=policy.selection,
            reads_neighbours=model.reads_neighbours,
            graph=info.graph,
            graph_hash=info.graph_hash,
            graph_marks=dict(info.graph_marks),
            task_hash=info.task_hash,
            seed=info.seed,
            attribute_names=info.attribute_names,
            hashes={name: file_hash(temporary / name) for name in (REPRESENT_FILE, SCORE_FILE)},
        )
        write_config(temporary, EXPORT_FORMAT, asdict(described))
    return folder


def check_extra() -> None:
    """Say which extra is missing, where one is."""
    missing = [name for name in ("onnx", "onnxscript", "onnxruntime") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"an export needs {', '.join(missing)}: pip install 'garden-search[onnx]'"
        )


def _write_represent(model: Model, path: Path) -> None:
    members = torch.export.Dim("members", min=1, max=1 << 20)
    profiles = torch.zeros(_EXAMPLE_MEMBERS, model.num_attributes)
    linked = torch.eye(_EXAMPLE_MEMBERS, dtype=torch.bool)
    outputs = ["row", "values"] if model.reads_neighbours else ["row"]
    shapes = {"profiles": {0: members}, "linked": {0: members, 1: members}}
    _write(_Represent(model), (profiles, linked), path, shapes, outputs)


def _write_score(model: Model, path: Path) -> None:
    candidates = torch.export.Dim("candidates", min=1, max=1 << 20)
    neighbours = torch.export.Dim("neighbours", min=1, max=1 << 20)
    rows = torch.zeros(_EXAMPLE_CANDIDATES, model.row_width)
    target = torch.zeros(1, model.row_width)
    inputs: tuple[Tensor, ...] = (rows, target)
    shapes: dict[str, Any] = {"candidates": {0: candidates}, "target": None}
    if model.reads_neighbours:
        width = model.neighbour_values(torch.zeros(1, 1, model.row_width)).shape[-1]
        shown = torch.zeros(_EXAMPLE_NEIGHBOURS, width), torch.ones(_EXAMPLE_NEIGHBOURS)
        inputs += (*shown, torch.zeros(_EXAMPLE_CANDIDATES, 4))
        shapes |= {"neighbours": {0: neighbours}, "visible": {0: neighbours}}
        shapes |= {"indicators": {0: candidates}}
    _write(_Score(model), inputs, path, shapes, ["scores"])


def _write(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    shapes: Mapping[str, Any],
    outputs: list[str],
) -> None:
    with _quiet():
        torch.onnx.export(
            module.eval(),
            inputs,
            path,
            input_names=list(shapes),
            output_names=outputs,
            dynamic_shapes=dict(shapes),
            opset_version=OPSET,
            dynamo=True,
            external_data=False,
            optimize=False,  # the optimiser takes an addend of 1e-12 for zero
            verbose=False,
        )


@contextmanager
def _quiet() -> Any:
    """Without the exporter's progress, log lines and warnings about itself."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [one.level for one in loggers]
    try:
        for one in loggers:
            one.setLevel(logging.ERROR)
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)


def _refuse_taken(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and an export needs a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / SCORE_FILE).exists():
        raise DataError(f"{folder}: is there already and holds no export: give another folder")
    if not force:
        raise DataError(f"{folder}: holds an export already: give `force=True`, or another folder")
