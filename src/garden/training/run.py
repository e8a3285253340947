"""A training from start to end: folders, metrics, resumption, and the policies that come out."""

from __future__ import annotations

import json
import logging
import math
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import torch

from garden import __version__
from garden.datasets.task import SearchTask
from garden.errors import DataError, SpecError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.graphs.identity import GraphIdentity
from garden.models.policy import Policy, PolicyInfo, write_info
from garden.models.policy_files import read_info
from garden.models.registry import ModelConfig, build_model
from garden.process_settings import cut_short
from garden.storage import CONFIG_FILE, WEIGHTS_FILE, write_text
from garden.training.callbacks import Listener, Record, SeedListener, in_words, listeners_for
from garden.training.config import RunOptions, TrainingOptions
from garden.training.estimate import ADVISED_NODES, seconds_of_training
from garden.training.methods.config import A2CConfig, TrainingConfig
from garden.training.state import STATE_FILE, SeedProgress, weights_of
from garden.training.trainer import TRAINS_VALUE, Outcome, Trainer
from garden.training.training_graph import sized_for, with_limit

SUMMARY_FILE = "summary.json"
_LOG = logging.getLogger("garden")
_BYTES_PER_LISTENING = 4 * 64 * 40  # activations that one ego edge costs in a pass, generously
_SHARE_OF_MEMORY = 0.5


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """One seed's policy and how it came about."""

    policy: Policy
    summary: dict[str, Any]
    folder: Path | None

    @property
    def is_trained(self) -> bool:
        """Whether what is handed over is more than the initialisation."""
        return bool(self.summary["best_update"] > 0)


def train_seeds(
    tasks: Sequence[SearchTask],
    options: TrainingOptions,
    model_config: ModelConfig,
    run_options: RunOptions,
    folders: Sequence[Path] = (),
    resume: bool = False,
    force: bool = False,
    listeners: Sequence[Listener] = (),
) -> list[TrainedRun]:
    """Train one stack of seeds; with folders, store everything needed to use and to resume it.

    When a run is resumed, options that are left open are those that it was begun with.

    Args:
        tasks: splits of one graph, one per seed.
        options: what is trained, and how.
        model_config: the size of the model.
        run_options: where and how long.
        folders: one run folder per seed, or none.
        resume: whether to continue the runs in the folders.
        force: whether to overwrite runs in the folders.
        listeners: who is told of updates and validations.
    """
    since = time.monotonic()
    everybody = list(listeners)
    try:
        stored = _stored_options(folders[0]) if resume and folders else None
        config = with_limit(options.resolved(stored), tasks)
        model_config = sized_for(tasks[0].graph, config, model_config)
        device = device_named(run_options.device)
        infos = [
            _info(task, config, model_config, device, len(tasks), i) for i, task in enumerate(tasks)
        ]
        for folder, info in zip(folders, infos, strict=bool(folders)):
            _claim(folder, info, resume, force)
        everybody += _own_listeners(folders, run_options)
        trainer = Trainer(tasks, config, model_config, device, folders, everybody)
        _advise(trainer)
        if resume:
            trainer.resume()
            for folder in folders:
                MetricsFile(folder).cut(trainer.state.update)
        outcome = trainer.run(run_options.max_minutes, since)
        runs = [
            _finished(outcome, info, trainer, model_config, seed) for seed, info in enumerate(infos)
        ]
    finally:
        for listener in everybody:
            listener.close()
    for run in runs:
        _warn_if_untrained(run)
    return runs


def _advise(trainer: Trainer) -> None:
    """On a large graph and a CPU, say what all updates may take, and what needs no training."""
    graph = trainer.training_graph.graph
    if trainer.training_graph.device.type != "cpu" or graph.num_nodes <= ADVISED_NODES:
        return
    seconds = seconds_of_training(graph, trainer.state.model, trainer.config)
    _LOG.info(
        "%s: %d updates on %d nodes may take %s of this processor; universal and beacons need no "
        "training: `garden evaluate %s --strategy universal+explore --strategy beacons`",
        graph.name,
        trainer.config.updates,
        graph.num_nodes,
        in_words(seconds),
        graph.name,
    )


def _finished(
    outcome: Outcome, info: PolicyInfo, trainer: Trainer, model_config: ModelConfig, seed: int
) -> TrainedRun:
    """One seed's run, its summary stored."""
    home = trainer.folders[seed] if trainer.folders else None
    policy = _policy(outcome, info, model_config, seed)
    summary = _summary(outcome, trainer.config, seed)
    if home is not None:  # last, so that one that says finished stands for a whole run
        write_text(home / SUMMARY_FILE, json.dumps(summary, indent=2) + "\n")
    return TrainedRun(policy, summary, home)


def _own_listeners(folders: Sequence[Path], options: RunOptions) -> list[Listener]:
    """The metrics file of every seed, and the loggers that the options ask for."""
    files = [SeedListener(seed, MetricsFile(folder).append) for seed, folder in enumerate(folders)]
    extras = [listeners_for(folder, options, seed) for seed, folder in enumerate(folders)]
    return [*files, *(one for some in extras for one in some)]


def _stored_options(folder: Path) -> Mapping[str, Any]:
    options: Mapping[str, Any] = read_info(folder).training.get("options", {})
    return options


def _warn_if_untrained(run: TrainedRun) -> None:
    """Say aloud that a policy is worth nothing yet."""
    if run.is_trained:
        return
    where = "" if run.folder is None else f"{run.folder}: "
    ratio = run.summary["validation_ratio"]
    _LOG.warning(
        "%sTHIS POLICY IS UNTRAINED: after %d updates the best is still update 0 (validation "
        "ratio %s); train for longer",
        where,
        run.summary["updates"],
        "unknown" if ratio is None else f"{ratio:.2f}",
    )


def seeds_per_stack(graph: Graph, device: torch.device, num_seeds: int) -> int:
    """All seeds where a GPU has room for them; one at a time on a CPU, where stacking buys nothing.

    Seeds in one stack share a random stream, so the number is part of a run's record.

    Args:
        graph: the graph to train on.
        device: where to train.
        num_seeds: how many seeds there are.
    """
    if device.type != "cuda":
        return 1
    egos = ego_graphs(graph)
    listening = egos.edges.shape[1] + len(egos.members)
    free, _ = torch.cuda.mem_get_info(device)
    return max(1, min(num_seeds, int(_SHARE_OF_MEMORY * free / (listening * _BYTES_PER_LISTENING))))


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available() and cut_short():
        return torch.device("cpu")  # a command of the documentation is tried on any machine
    if name == "cuda" and not torch.cuda.is_available():
        raise SpecError("`device='cuda'`: torch sees no GPU here: use cpu or auto")
    if name not in ("cpu", "cuda"):
        raise SpecError(f"unknown device {name!r}: choose from auto, cpu, cuda")
    return torch.device(name)


def _info(
    task: SearchTask,
    config: TrainingConfig,
    model_config: ModelConfig,
    device: torch.device,
    num_seeds: int,
    place: int,
) -> PolicyInfo:
    versions = {
        "garden": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
    }
    return PolicyInfo(
        model=config.model,
        model_options=model_config.to_json(),
        method=config.method,
        trains_value=TRAINS_VALUE[config.method],
        graph=task.graph.name,
        graph_hash=task.graph.content_hash,
        task_hash=task.content_hash,
        seed=task.seed,
        attribute_names=task.graph.attribute_names,
        training={
            "options": config.to_json(),
            "versions": versions,
            "command": " ".join(["garden", *sys.argv[1:]]),
            "device": device.type,
            "stack": [num_seeds, place],
        },
        graph_marks=GraphIdentity.of(task.graph).marks,
    )


def _claim(folder: Path, info: PolicyInfo, resume: bool, force: bool) -> None:
    """Make the folder this run's, or refuse: another run is never overwritten unasked."""
    if resume:
        _check_same_run(folder, info)
        return
    if not force:
        refuse_taken(folder)
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and a run needs a folder")
    for name in (STATE_FILE, SUMMARY_FILE, MetricsFile.NAME, WEIGHTS_FILE):
        (folder / name).unlink(missing_ok=True)
    write_info(folder, info)


def is_run_folder(folder: Path) -> bool:
    """Whether a run was begun here."""
    return (folder / CONFIG_FILE).exists()


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that holds a run."""
    if is_run_folder(folder):
        raise DataError(
            f"{folder}: holds a run already: give `resume=True`, `force=True` or another `out`"
        )


def _check_same_run(folder: Path, info: PolicyInfo) -> None:
    stored = read_info(folder)
    for name in ("model", "method", "graph_hash", "task_hash", "seed", "attribute_names"):
        if getattr(stored, name) != getattr(info, name):
            raise DataError(f"{folder}: holds a run with another {name.replace('_', ' ')}")
    ours, theirs = info.training["options"], stored.training.get("options", {})
    names = sorted({*ours, *theirs})
    differing = [name for name in names if ours.get(name) != theirs.get(name)]
    if dict(stored.model_options) != dict(info.model_options):
        differing.append("model options")
    if differing:
        raise DataError(
            f"{folder}: holds a run with other options ({', '.join(differing)}): resume with those"
        )
    if stored.training.get("device") != info.training["device"]:
        raise DataError(
            f"{folder}: was trained on {stored.training.get('device')}: resume there, since a run "
            "continues exactly only on one device"
        )


class MetricsFile:
    """``metrics.jsonl``: one line per validation."""

    NAME = "metrics.jsonl"

    def __init__(self, folder: Path) -> None:
        self.path = folder / self.NAME

    def append(self, record: Record) -> None:
        """Add a line, the record of one validation."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None

    def cut(self, update: int) -> None:
        """Drop lines later than this update, which a resumed run will write again."""
        kept = [record for record in read_metrics(self.path) if record["update"] <= update]
        write_text(self.path, "".join(json.dumps(record) + "\n" for record in kept))


def read_metrics(path: Path) -> list[Record]:
    """The records of a metrics file; a line cut short by a crash is left out."""
    records = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def _summary(outcome: Outcome, config: TrainingConfig, seed: int) -> dict[str, Any]:
    state, progress = outcome.state, outcome.handed_over.seeds[seed]
    episodes = None
    if isinstance(config, A2CConfig):
        episodes = state.update * config.targets_per_update * config.walks_per_target
    return {
        "stopped": outcome.stopped,
        "updates": state.update,
        "episodes": episodes,
        "seconds": round(state.seconds, 2),
        "best_update": progress.best_update,
        "validation_ratio": _ratio(progress),
        "temperature": progress.temperature,
        "max_hops": config.limit,
    }


def _ratio(progress: SeedProgress) -> float | None:
    """The validation ratio of a policy at its temperature; nothing if it was never validated."""
    ratio = progress.best_ratio if progress.tempered_ratio is None else progress.tempered_ratio
    return ratio if math.isfinite(ratio) else None


def _policy(outcome: Outcome, info: PolicyInfo, model_config: ModelConfig, seed: int) -> Policy:
    model = build_model(info.model, len(info.attribute_names), model_config)
    weights = weights_of(outcome.handed_over.weights, seed)
    weights = {name: tensor.cpu() for name, tensor in weights.items()}
    model.load_state_dict(weights)
    return Policy(model, info)
