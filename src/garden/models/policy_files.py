"""The files of a policy: where it comes from, and its tensors.

On disk a policy is a folder in the format of :mod:`garden.storage`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from garden.errors import DataError
from garden.storage import CONFIG_FILE, read_arrays, read_config, write_arrays, write_config

_FORMAT = "garden-policy-2"


@dataclass(frozen=True)
class PolicyInfo:
    """Where a policy comes from and what it may be used on."""

    model: str
    model_options: Mapping[str, Any]
    method: str
    trains_value: bool
    graph: str
    graph_hash: str
    task_hash: str
    seed: int
    attribute_names: tuple[str, ...]
    training: Mapping[str, Any] = field(default_factory=dict)
    """The options of training, the versions, the command, the device and the batch layout."""

    graph_marks: Mapping[str, str] = field(default_factory=dict)
    """By what the graph is known again in another form; none in folders of earlier versions."""


def write_info(folder: Path, info: PolicyInfo) -> None:
    """Write the description of a policy into its folder.

    Args:
        folder: the policy's folder.
        info: where it comes from and what it may be used on.
    """
    write_config(folder, _FORMAT, asdict(info))


def read_info(folder: Path) -> PolicyInfo:
    """The description of the policy in a folder."""
    path, content = folder / CONFIG_FILE, read_config(folder, _FORMAT)
    content.setdefault("graph_marks", {})  # earlier versions stored none
    names = {one.name for one in fields(PolicyInfo)}
    if set(content) != names:
        odd = ", ".join(sorted(set(content) ^ names))
        raise DataError(f"{path}: missing or unknown entries: {odd}")
    content["attribute_names"] = tuple(content["attribute_names"])
    return PolicyInfo(**content)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write tensors by name with a digest of their content, and a record of plain values.

    Args:
        path: the file.
        tensors: by name, on any device.
        record: plain values, stored beside them as JSON.
    """
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
    write_arrays(path, arrays, record)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a file and the record beside them, or an error where anything is amiss."""
    arrays, record = read_arrays(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, record
