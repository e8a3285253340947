"""Folders of `universal` and of policies adapted from it (:mod:`garden.storage`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from garden.errors import DataError
from garden.graphs.link_sketches import read_sketches, write_sketches
from garden.storage import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    arrays_hash,
    holds,
    read_arrays,
    read_config,
    write_arrays,
    write_config,
)
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.edge_bias import EdgeBias
from garden.strategies.universal.features import NUM_FEATURES, PAIR_FEATURES
from garden.strategies.universal.policy import NEVER, OF_TARGET, Universal, UniversalWeights

FORMAT = "garden-universal-2"
MET_FILE = "met.npz"
EDGE_BIAS_FILE = "edge_bias.safetensors"
_OF_FEATURES = ("mean", "scale", "first")  # arrays with a row for each feature


def save_universal(
    policy: Universal, folder: Path, adapted: Mapping[str, Any] | None = None
) -> None:
    """Write a policy into a folder: weights, sketches of its training graphs, a description.

    Args:
        policy: The policy.
        folder: Where to; files of the same names are replaced.
        adapted: Which graph it was fine-tuned on, where there is one.

    """
    weights = {
        part.name: np.asarray(getattr(policy.weights, part.name), dtype=np.float32)
        for part in fields(UniversalWeights)
    }
    write_arrays(folder / WEIGHTS_FILE, weights)
    if policy.met:
        write_sketches(policy.met, folder / MET_FILE)
    else:
        (folder / MET_FILE).unlink(missing_ok=True)
    content = {
        "features": PAIR_FEATURES,
        "bound": policy.bound,
        "temperature": policy.temperature,
        "weights_hash": arrays_hash(weights),
        "training": dict(policy.training),
        **({} if adapted is None else {"adapted": dict(adapted)}),
    }
    write_config(folder, FORMAT, content)


def save_adapted(policy: Adapted, folder: Path) -> None:
    """Write an adapted policy into a folder: as `universal`, and what it was adapted to.

    Args:
        policy: The policy.
        folder: Where to; files of the same names are replaced.
    """
    adapted = {
        "graph_hash": policy.trained_graph,
        "graph_marks": dict(policy.marks),
        "task_hash": policy.trained_task,
        "seed": policy.trained_seed,
        "record": dict(policy.record),
    }
    path = folder / EDGE_BIAS_FILE
    if policy.edge_bias is None:
        path.unlink(missing_ok=True)
    else:
        arrays = _bias_arrays(policy.edge_bias)
        write_arrays(path, arrays)
        adapted["edge_bias_hash"] = arrays_hash(arrays)
    save_universal(policy.policy, folder, adapted)


def holds_universal(folder: Path) -> bool:
    """Whether a folder holds `universal`, or a policy adapted from it, of this version."""
    return holds(folder, FORMAT)


def load_universal(folder: Path) -> Universal:
    """The policy in a folder, or an error that says what is wrong with it."""
    config = read_config(folder, FORMAT)
    weights = _read_described(folder / WEIGHTS_FILE, config.get("weights_hash"))
    weights = _in_this_layout(weights, tuple(config.get("features", ())), folder)
    try:
        policy = Universal(
            UniversalWeights(**weights),
            float(config["bound"]),
            float(config["temperature"]),
            config["training"],
            read_sketches(folder / MET_FILE) if (folder / MET_FILE).exists() else (),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder}: not readable as a universal policy ({error})") from None
    if policy.weights.first.shape[:1] != (NUM_FEATURES,):
        raise DataError(f"{folder / WEIGHTS_FILE}: the first layer has another number of inputs")
    return policy


def _in_this_layout(
    weights: dict[str, np.ndarray], features: tuple[str, ...], folder: Path
) -> dict[str, np.ndarray]:
    """The weights with a place for each feature of this version: 0 for those they do not know.

    Policies of earlier versions go on as they were, since a scale of 0 hides a feature and
    :data:`NEVER` the last term of the score.
    """
    if features == PAIR_FEATURES:
        return weights
    if not features or features != tuple(name for name in PAIR_FEATURES if name in features):
        raise DataError(f"{folder}: made for other inputs than this version's")
    if any(len(weights.get(name, ())) != len(features) for name in _OF_FEATURES):
        raise DataError(f"{folder / WEIGHTS_FILE}: the first layer has another number of inputs")
    columns = [PAIR_FEATURES.index(name) for name in features]
    padded = dict(weights)
    for name in _OF_FEATURES:
        padded[name] = np.zeros((NUM_FEATURES, *weights[name].shape[1:]), dtype=np.float32)
        padded[name][columns] = weights[name]
    padded.setdefault("direct", np.zeros(len(OF_TARGET), dtype=np.float32))
    padded.setdefault("direct_bias", np.full(1, NEVER, dtype=np.float32))
    return padded


def load_universal_or_adapted(folder: Path) -> Universal | Adapted:
    """What a folder holds: a policy for every graph, or one adapted to a graph."""
    policy = load_universal(folder)
    adapted = read_config(folder, FORMAT).get("adapted")
    if adapted is None:
        return policy
    try:
        digest = adapted.get("edge_bias_hash")
        return Adapted(
            policy,
            str(adapted["graph_hash"]),
            str(adapted["task_hash"]),
            int(adapted["seed"]),
            dict(adapted["record"]),
            None
            if digest is None
            else EdgeBias(**_read_described(folder / EDGE_BIAS_FILE, digest)),
            dict(adapted["graph_marks"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder}: does not say what it was adapted to ({error})") from None


def _bias_arrays(edge_bias: EdgeBias) -> dict[str, np.ndarray]:
    return {
        "holders": edge_bias.holders.astype(np.int32),
        "neighbours": edge_bias.neighbours.astype(np.int32),
        "values": edge_bias.values.astype(np.float64),
    }


def _read_described(path: Path, digest: object) -> dict[str, np.ndarray]:
    """The arrays of a file, if they are those that ``config.json`` gives this digest of."""
    arrays, _ = read_arrays(path)
    if arrays_hash(arrays) != digest:
        raise DataError(f"{path}: not the numbers that {CONFIG_FILE} describes")
    return arrays
