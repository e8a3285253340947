"""Files of a trained policy: ``config.json`` and safetensors, without torch and without pickle.

Models and `universal` share this format. A file that is cut short, altered, foreign or of another
version is refused in one line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from garden.atomic import write_file, write_text
from garden.errors import DataError

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
ARRAYS_FORMAT = "garden-arrays-2"


def config_text(kind: str, content: Mapping[str, Any]) -> str:
    """The text of a ``config.json``: the kind of policy and its version, then ``content``."""
    return json.dumps({"format": kind, **content}, indent=2, ensure_ascii=False) + "\n"


def write_config(folder: Path, kind: str, content: Mapping[str, Any]) -> None:
    """Write a folder's ``config.json``, atomically.

    Args:
        folder: The policy's folder.
        kind: What it holds and in which version, such as ``garden-policy-2``.
        content: Values that JSON can hold.

    """
    write_text(folder / CONFIG_FILE, config_text(kind, content))


def read_config(folder: Path, kind: str) -> dict[str, Any]:
    """The content of a folder's ``config.json``, refused where it is not of this kind."""
    path = folder / CONFIG_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file: {folder} holds no policy") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not readable as a policy's description ({error})") from None
    if not isinstance(content, dict) or (found := content.pop("format", None)) is None:
        raise DataError(f"{path}: not the description of a policy")
    if found != kind:
        raise DataError(f"{path}: it is of format {found}, not {kind}: train it anew")
    return content


def holds(folder: Path, kind: str) -> bool:
    """Whether a folder's ``config.json`` says that it holds a policy of this kind."""
    try:
        read_config(folder, kind)
    except DataError:
        return False
    return True


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], record: Mapping[str, Any] | None = None
) -> None:
    """Write named arrays and a digest of them as safetensors, atomically.

    Args:
        path: The file.
        arrays: The numbers, by name.
        record: Values that JSON can hold, stored beside them.

    """
    from safetensors.numpy import save

    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    metadata = {
        "format": ARRAYS_FORMAT,
        "content_hash": arrays_hash(plain),
        "record": json.dumps(record or {}, allow_nan=True),
    }
    content = save(plain, metadata=metadata)
    write_file(path, lambda temporary: temporary.write_bytes(content))


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a file and the record beside them; refused where the digest does not match."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(f"{path}: damaged or not a safetensors file ({error})") from None
    if metadata.get("format") != ARRAYS_FORMAT:
        raise DataError(f"{path}: not written by garden, or by another version: train it anew")
    if metadata.get("content_hash") != arrays_hash(arrays):
        raise DataError(f"{path}: the numbers were altered: their hash does not match")
    return arrays, json.loads(metadata.get("record", "{}"))


def arrays_hash(arrays: Mapping[str, np.ndarray]) -> str:
    """A SHA-256 digest of names, types, shapes and values."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
