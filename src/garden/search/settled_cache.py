"""Settled rows of large graphs, kept in the user's cache folder.

A file is named by the content of the graph, the strategy, its parameters and the version of garden,
so that it is found again exactly where the same rows would come out. A file that cannot be read is
made anew; where the folder cannot be written, nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from garden import __version__
from garden.datasets.snap import cache_folder
from garden.errors import DataError, one_line
from garden.graphs.graph import Graph
from garden.storage import write_file
from garden.strategies.base import Strategy
from garden.strategies.representations import Ragged, Representations

MIN_NODES = 20_000  # below, rows settle sooner than a file is found
_FOLDER = "settled"
_FORMAT = 1
_LOG = logging.getLogger("garden")


def cache_file(graph: Graph, strategy: Strategy) -> Path | None:
    """Where the settled rows of a strategy on a graph are kept.

    None where they are not: on small graphs, for strategies from elsewhere, whose code may change
    under the same parameters, and where there is no cache folder.

    Args:
        graph: the graph, which the name tells by its content.
        strategy: the strategy, by its parameters.
    """
    folder = cache_folder()
    ours = type(strategy).__module__.partition(".")[0] == "garden"
    if folder is None or not ours or graph.num_nodes < MIN_NODES:
        return None
    content = {
        "format": _FORMAT,
        "garden": __version__,
        "graph": graph.content_hash,
        "strategy": strategy.name,
        "parameters": dict(strategy.parameters),
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return folder / _FOLDER / f"{strategy.name}-{digest[:32]}.npz"


def read_rows(path: Path, num_nodes: int) -> tuple[Representations, dict[str, Any]] | None:
    """The rows of a file and what they cost to settle; None where there are none to be read.

    Args:
        path: the file.
        num_nodes: of the graph; a file with other rows is refused.

    Returns:
        One row per node, and the cost by name.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        cost = json.loads(arrays.pop("cost").tobytes())
        rows = _rows_of(arrays)
        if len(rows) != num_nodes:
            raise ValueError(f"it has {len(rows)} rows")
    except FileNotFoundError:
        return None
    except Exception as error:  # zipfile, NumPy and json raise many kinds on damaged files
        _LOG.warning("%s: cannot be read (%s): it is made anew", path, one_line(error))
        return None
    return rows, cost


def write_rows(path: Path, rows: Representations, cost: dict[str, Any]) -> None:
    """Keep rows, whole or not at all; a folder that cannot be written is told of, no more.

    Args:
        path: the file.
        rows: one per node.
        cost: plain values, by name.
    """
    arrays = {"cost": np.frombuffer(json.dumps(cost).encode(), dtype=np.uint8)}
    for name, array in rows.arrays.items():
        if not isinstance(array, np.ndarray):
            return
        arrays[f"array {name}"] = array
    for name, ragged in rows.ragged.items():
        for part in fields(Ragged):
            arrays[f"{part.name} {name}"] = getattr(ragged, part.name)

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    try:
        write_file(path, fill)
    except DataError as error:
        _LOG.info("settled rows are not kept: %s", error)


def _rows_of(arrays: dict[str, np.ndarray]) -> Representations:
    plain = {
        name.removeprefix("array "): array
        for name, array in arrays.items()
        if name.startswith("array ")
    }
    named = [name.removeprefix("offsets ") for name in arrays if name.startswith("offsets ")]
    ragged = {name: Ragged(arrays[f"values {name}"], arrays[f"offsets {name}"]) for name in named}
    return Representations(plain, ragged)
