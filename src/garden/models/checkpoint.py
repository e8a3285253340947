"""Policies on disk: safetensors for numbers, JSON for everything else, hashes over both.

A file that is cut short, altered or foreign is refused. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from garden.atomic import write_file, write_text
from garden.errors import DataError
from garden.models.config import ModelConfig
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import build_model

FORMAT = "garden-policy-1"
CONFIG_FILE = "config.json"
MODEL_FILE = "model.safetensors"


def save_policy(policy: Policy, folder: Path) -> None:
    """Write a policy into a folder of its own."""
    write_text(folder / CONFIG_FILE, config_text(policy.info))
    write_tensors(folder / MODEL_FILE, policy.model.state_dict(), {})


def load_policy(folder: Path, device: str = "cpu") -> Policy:
    """Read a policy back."""
    info = read_info(folder)
    tensors, _ = read_tensors(folder / MODEL_FILE)
    try:
        options = ModelConfig(**info.model_options)
    except TypeError as error:
        raise DataError(f"{folder / CONFIG_FILE}: unknown model options ({error})") from None
    model = build_model(info.model, len(info.attribute_names), options)
    _fill(model, tensors, folder / MODEL_FILE, f"the {info.model} model")
    return Policy(model.to(device), info)


def _fill(network: nn.Module, tensors: Mapping[str, Tensor], path: Path, whose: str) -> None:
    try:
        network.load_state_dict(tensors)
    except RuntimeError:
        raise DataError(
            f"{path}: these weights are not those of {whose} that {CONFIG_FILE} describes; "
            "they may come from an earlier version"
        ) from None


def config_text(info: PolicyInfo) -> str:
    """The policy's facts as JSON."""
    content = {"format": FORMAT, **asdict(info)}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def read_info(folder: Path) -> PolicyInfo:
    """The facts of the policy in a folder."""
    path = folder / CONFIG_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file: {folder} holds no policy") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not readable as a policy's facts ({error})") from None
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise DataError(f"{path}: not a policy of this version ({FORMAT})")
    content.setdefault("graph_marks", {})  # earlier versions stored none
    names = {field.name for field in fields(PolicyInfo)}
    if set(content) != names:
        odd = ", ".join(sorted(set(content) ^ names))
        raise DataError(f"{path}: missing or unknown entries: {odd}")
    content["attribute_names"] = tuple(content["attribute_names"])
    return PolicyInfo(**content)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write tensors with a digest of their content and some facts beside them.

    Args:
        path: of the file.
        tensors: by name.
        facts: plain values that go into the file beside them.
    """
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {
        "format": FORMAT,
        "content_hash": tensors_hash(plain),
        "facts": json.dumps(facts, allow_nan=True),
    }
    content = save(plain, metadata=metadata)
    write_file(path, lambda temporary: temporary.write_bytes(content))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a file and the facts beside them, or an error where anything is amiss."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(f"{path}: damaged or not a safetensors file ({error})") from None
    if metadata.get("format") != FORMAT:
        raise DataError(f"{path}: not written by garden, or by another version of it")
    if metadata.get("content_hash") != tensors_hash(tensors):
        raise DataError(f"{path}: the weights were altered: their hash does not match")
    return tensors, json.loads(metadata.get("facts", "{}"))


def tensors_hash(tensors: Mapping[str, Tensor]) -> str:
    """A digest of names, shapes and values."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
