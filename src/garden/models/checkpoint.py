"""Policies of models on disk, in the format of :mod:`garden.checkpoint_files`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from garden.checkpoint_files import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    arrays_hash,
    read_arrays,
    read_config,
    write_arrays,
    write_config,
)
from garden.errors import DataError
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import ModelConfig, build_model

FORMAT = "garden-policy-2"


def save_policy(policy: Policy, folder: Path) -> None:
    """Write a policy into a folder of its own."""
    write_info(folder, policy.info)
    write_tensors(folder / WEIGHTS_FILE, policy.model.state_dict(), {})


def load_policy(folder: Path, device: str = "cpu") -> Policy:
    """Read a policy from its folder.

    Args:
        folder: A run folder, or one that :func:`save_policy` wrote.
        device: Where its weights are kept.

    Returns:
        The policy, ready to route.

    Raises:
        DataError: If the folder holds none, or its files were altered.
    """
    info = read_info(folder)
    tensors, _ = read_tensors(folder / WEIGHTS_FILE)
    try:
        options = ModelConfig(**info.model_options)
    except TypeError as error:
        raise DataError(f"{folder / CONFIG_FILE}: unknown model options ({error})") from None
    model = build_model(info.model, len(info.attribute_names), options)
    _fill(model, tensors, folder / WEIGHTS_FILE, f"the {info.model} model")
    return Policy(model.to(device), info)


def _fill(network: nn.Module, tensors: Mapping[str, Tensor], path: Path, whose: str) -> None:
    try:
        network.load_state_dict(tensors)
    except RuntimeError:
        raise DataError(
            f"{path}: these weights are not those of {whose} that {CONFIG_FILE} describes; "
            "they may come from an earlier version"
        ) from None


def write_info(folder: Path, info: PolicyInfo) -> None:
    """Write the description of a policy into its folder."""
    write_config(folder, FORMAT, asdict(info))


def read_info(folder: Path) -> PolicyInfo:
    """The description of the policy in a folder."""
    path, content = folder / CONFIG_FILE, read_config(folder, FORMAT)
    content.setdefault("graph_marks", {})  # earlier versions stored none
    names = {field.name for field in fields(PolicyInfo)}
    if set(content) != names:
        odd = ", ".join(sorted(set(content) ^ names))
        raise DataError(f"{path}: missing or unknown entries: {odd}")
    content["attribute_names"] = tuple(content["attribute_names"])
    return PolicyInfo(**content)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write tensors with a digest of their content, and a record beside them.

    Args:
        path: of the file.
        tensors: by name.
        record: plain values that go into the file beside them.
    """
    write_arrays(path, _arrays(tensors), record)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a file and the record beside them, or an error where anything is amiss."""
    arrays, record = read_arrays(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, record


def tensors_hash(tensors: Mapping[str, Tensor]) -> str:
    """A digest of names, shapes and values."""
    return arrays_hash(_arrays(tensors))


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
