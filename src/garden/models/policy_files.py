"""Policies are read from their folders, in the format of :mod:`garden.storage`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from garden.errors import DataError
from garden.models.policy import FORMAT, Policy, PolicyInfo
from garden.models.registry import ModelConfig, build_model
from garden.storage import CONFIG_FILE, WEIGHTS_FILE, read_arrays, read_config


def load_policy(folder: Path, device: str = "cpu") -> Policy:
    """Read a policy from its folder.

    Args:
        folder: A run folder, or one that :meth:`Policy.save` wrote.
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
    try:
        model.load_state_dict(tensors)
    except RuntimeError:
        raise DataError(
            f"{folder / WEIGHTS_FILE}: these weights are not those of the {info.model} model that "
            f"{CONFIG_FILE} describes; they may come from an earlier version"
        ) from None
    return Policy(model.to(device), info)


def read_info(folder: Path) -> PolicyInfo:
    """The description of the policy in a folder."""
    path, content = folder / CONFIG_FILE, read_config(folder, FORMAT)
    content.setdefault("graph_marks", {})  # earlier versions stored none
    names = {one.name for one in fields(PolicyInfo)}
    if set(content) != names:
        odd = ", ".join(sorted(set(content) ^ names))
        raise DataError(f"{path}: missing or unknown entries: {odd}")
    content["attribute_names"] = tuple(content["attribute_names"])
    return PolicyInfo(**content)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a file and the record beside them, or an error where anything is amiss."""
    arrays, record = read_arrays(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, record
