"""The runner of an export: a learned model as ONNX, without torch.

An export is a folder with ``config.json``, ``represent.onnx`` and ``score.onnx``
(:mod:`garden.models.export` writes it). onnxruntime is imported where a session is made.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, final

import numpy as np

from garden.errors import DataError, MissingExtraError, StrategyError, one_line
from garden.graphs.ego import EgoGraph, EgoGraphs
from garden.graphs.identity import GraphIdentity
from garden.storage import CONFIG_FILE, holds, read_bytes, read_config
from garden.strategies.base import Selection, Strategy
from garden.strategies.ego_matching import (
    key_representations,
    match_indicators,
    matched_at_holder,
)
from garden.strategies.representations import Ragged, Representations, concatenated

EXPORT_FORMAT = "garden-export-1"
REPRESENT_FILE = "represent.onnx"
SCORE_FILE = "score.onnx"
NEIGHBOURS = "neighbour_values"


@dataclass(frozen=True)
class ExportInfo:
    """Where an export comes from, what it may be used on, and the digests of its files."""

    model: str
    method: str
    selection: Selection
    reads_neighbours: bool
    graph: str
    graph_hash: str
    graph_marks: Mapping[str, str]
    task_hash: str
    seed: int
    attribute_names: tuple[str, ...]
    hashes: Mapping[str, str]


@final
class Exported(Strategy):
    """A learned model that onnxruntime runs, one ego graph and one target at a time."""

    def __init__(self, info: ExportInfo, folder: Path) -> None:
        """Open the two graphs of a folder.

        Args:
            info: What its ``config.json`` says.
            folder: Where its files lie.
        """
        self.info = info
        self.folder = folder
        self.selection = info.selection  # type: ignore[misc]
        self.trained_graph, self.trained_task = info.graph_hash, info.task_hash
        self.trained_seed = info.seed
        self._represent = _session(folder / REPRESENT_FILE)
        self._score = _session(folder / SCORE_FILE)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the model that was exported, which reports call it by."""
        return self.info.model

    @property
    def parameters(self) -> dict[str, Any]:
        """The method and the seed that made it, and who runs it."""
        return {"method": self.info.method, "seed": self.info.seed, "runs": "onnx"}

    @property
    def trained_on(self) -> GraphIdentity:
        """By what the graph that it was trained on is known again."""
        info = self.info
        return GraphIdentity.stored(info.graph, info.graph_hash, info.graph_marks)

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Refuse a graph whose attributes are not those that were trained on."""
        if names != self.info.attribute_names:
            raise StrategyError(
                f"{self.name} was trained on other attributes, or the same in another order"
            )

    def represent(self, egos: EgoGraphs) -> Representations:
        """A row per ego graph, made one by one."""
        if len(egos) == 0:
            raise StrategyError(f"{self.name}: there is no ego graph to represent")
        return concatenated([self.represent_one(egos.alone(row)) for row in range(len(egos))])

    def represent_one(self, ego: EgoGraph) -> Representations:
        """The row of one ego graph; float32, as the model gives it."""
        width = int(ego.profiles.shape[1])
        if width != len(self.info.attribute_names):
            raise StrategyError(
                f"{self.name} was trained on {len(self.info.attribute_names)} attributes, "
                f"and these ego graphs show {width}"
            )
        table = ego.profiles if isinstance(ego.profiles, np.ndarray) else ego.profiles.toarray()
        linked = np.eye(len(table), dtype=bool)
        linked[ego.edges[0], ego.edges[1]] = True
        given = {"profiles": np.ascontiguousarray(table, dtype=np.float32), "linked": linked}
        made = self._represent.run(None, _known(self._represent, given))
        arrays = {"row": made[0]}
        if not self.info.reads_neighbours:
            return Representations(arrays)
        keys = key_representations(ego.as_batch())
        members = Ragged(made[1][1:], keys.ragged["neighbours"].offsets)
        return Representations({**arrays, **keys.arrays}, {**keys.ragged, NEIGHBOURS: members})

    @staticmethod
    def rows_are_sound(rows: Representations, num_attributes: int) -> bool:
        """Whether keys and values of neighbours are as many, and keys stand in order.

        Args:
            rows: Of the names, types and shapes of a row of :meth:`represent`.
            num_attributes: How many attributes profiles have; rows hold none of them.
        """
        if NEIGHBOURS not in rows.ragged:
            return True
        keys, values = rows.ragged["neighbours"], rows.ragged[NEIGHBOURS]
        ascending = bool((keys.values[1:] >= keys.values[:-1]).all()) if len(rows) == 1 else True
        return ascending and np.array_equal(keys.offsets, values.offsets)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Scores of all pairs, (num_targets, num_candidates) float64, a target at a time.

        Args:
            candidates: num_candidates rows of :meth:`represent`.
            targets: num_targets such rows.
        """
        if len(targets) == 1:
            return self._scores(candidates, targets)[None]
        table = np.empty((len(targets), len(candidates)))
        for number in range(len(targets)):
            table[number] = self._scores(candidates, targets.take(np.array([number])))
        return table

    def _scores(self, candidates: Representations, target: Representations) -> np.ndarray:
        given = {"candidates": candidates.arrays["row"], "target": target.arrays["row"]}
        if self.info.reads_neighbours:
            matches = matched_at_holder(candidates, target)
            given |= _shown(target.ragged[NEIGHBOURS].values)
            given["indicators"] = match_indicators(matches).astype(np.float32)
        return np.asarray(self._score.run(None, given)[0], dtype=np.float64)


def holds_export(folder: Path) -> bool:
    """Whether a folder says that it holds an export."""
    return holds(folder, EXPORT_FORMAT)


def load_exported(folder: Path) -> Exported:
    """The strategy of an export.

    Args:
        folder: What ``garden export`` wrote.

    Raises:
        DataError: If the folder holds none, or its files were altered.
    """
    content = read_config(folder, EXPORT_FORMAT)
    names = {one.name for one in fields(ExportInfo)}
    if set(content) != names:
        odd = ", ".join(sorted(set(content) ^ names))
        raise DataError(f"{folder / CONFIG_FILE}: missing or unknown entries: {odd}")
    content["attribute_names"] = tuple(content["attribute_names"])
    info = ExportInfo(**content)
    for name in (REPRESENT_FILE, SCORE_FILE):
        if file_hash(folder / name) != info.hashes.get(name):
            raise DataError(f"{folder / name}: is not what was exported: export it anew")
    return Exported(info, folder)


def copy_export(exported: Exported, folder: Path) -> None:
    """Copy an export's files.

    Args:
        exported: The export.
        folder: Where they go; it must not be there yet.
    """
    folder.mkdir(parents=True)
    for name in (CONFIG_FILE, REPRESENT_FILE, SCORE_FILE):
        shutil.copyfile(exported.folder / name, folder / name)


def file_hash(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def _session(path: Path) -> Any:
    """An onnxruntime session on one thread, which asks nobody and logs nothing."""
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError(
            "an export needs onnxruntime: pip install 'garden-search[onnx]'"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own errors share no base class
        raise DataError(f"{path}: cannot be run ({one_line(error)})") from None


def _shown(values: np.ndarray) -> dict[str, np.ndarray]:
    """What a target shows of its neighbours; where it has none, one that does not count."""
    if len(values):
        return {"neighbours": values, "visible": np.ones(len(values), dtype=np.float32)}
    nobody = np.zeros((1, *values.shape[1:]), dtype=np.float32)
    return {"neighbours": nobody, "visible": np.zeros(1, dtype=np.float32)}


def _known(session: Any, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those inputs that the graph reads: some models look at profiles alone."""
    read = {one.name for one in session.get_inputs()}
    return {name: array for name, array in given.items() if name in read}
