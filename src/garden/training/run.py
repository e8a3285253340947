"""A training from start to end: folders, logs, resumption, and the policies that come out."""

from __future__ import annotations

import json
import logging
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy
import torch

from garden import __version__
from garden.atomic import write_text
from garden.datasets.task import SearchTask
from garden.errors import DataError, SpecError
from garden.graphs.identity import GraphIdentity
from garden.models.checkpoint import CONFIG_FILE, MESSAGE_FILE, config_text, read_info
from garden.models.config import ModelConfig
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import build_model
from garden.short import cut_short
from garden.training.callbacks import MetricsFile, listeners_for
from garden.training.config import RunOptions, TrainingConfig, TrainingOptions
from garden.training.problem import make_problem
from garden.training.recurrent import train_message
from garden.training.state import STATE_FILE
from garden.training.trainer import TRAINS_VALUE, Listener, Outcome, Trainer

SUMMARY_FILE = "summary.json"
_LOG = logging.getLogger("garden")


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """One seed's policy and how it came about."""

    policy: Policy
    summary: dict[str, Any]
    folder: Path | None


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
    """Train one stack of seeds; with folders, store everything needed to use and to resume it."""
    config = options.resolved()
    device = device_named(run_options.device)
    infos = [
        _info(task, config, model_config, device, len(tasks), i) for i, task in enumerate(tasks)
    ]
    for folder, info in zip(folders, infos, strict=bool(folders)):
        _claim(folder, info, resume, force)
    files = [MetricsFile(folder) for folder in folders]
    extras = [listeners_for(folder, run_options, seed) for seed, folder in enumerate(folders)]
    everybody = [*listeners, *_per_seed(files), *(one for some in extras for one in some)]
    trainer = Trainer(tasks, config, model_config, device, folders, everybody)
    if resume:
        trainer.state.load(folders)
        for file in files:
            file.cut(trainer.state.update)
    outcome = trainer.run(run_options.max_minutes)
    runs = []
    for seed, info in enumerate(infos):
        summary = _summary(outcome, config, seed)
        home = folders[seed] if folders else None
        policy = _policy(outcome, info, model_config, seed)
        if config.memory_updates and outcome.stopped in ("finished", "early"):
            policy = _with_memory(policy, tasks[seed], config, device)
            if home is not None:
                policy.save(home)
        if home is not None:  # last, so that one that says finished stands for a whole run
            write_text(home / SUMMARY_FILE, json.dumps(summary, indent=2) + "\n")
        runs.append(TrainedRun(policy, summary, home))
    return runs


def _with_memory(
    policy: Policy, task: SearchTask, config: TrainingConfig, device: torch.device
) -> Policy:
    """The policy with a recurrent memory of its own."""
    _LOG.info("training the message's recurrent state: %d updates", config.memory_updates)
    model = policy.model.to(device)
    message = train_message(model, make_problem([task], device), config, task.seed)
    return Policy(model.cpu(), policy.info, message.cpu())


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available() and cut_short():
        return torch.device("cpu")  # a command of the documentation is tried on any machine
    if name == "cuda" and not torch.cuda.is_available():
        raise SpecError("--device cuda: torch sees no GPU here: use cpu or auto")
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
        model_options=asdict(model_config),
        method=config.method,
        trains_value=TRAINS_VALUE[config.method],
        graph=task.graph.name,
        graph_hash=task.graph.content_hash,
        task_hash=task.content_hash,
        seed=task.seed,
        attribute_names=task.graph.attribute_names,
        training={
            "options": asdict(config),
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
    if (folder / CONFIG_FILE).exists() and not force:
        raise DataError(f"{folder}: holds a run already: give --resume, --force or another --out")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and a run needs a folder")
    for name in (STATE_FILE, SUMMARY_FILE, MESSAGE_FILE, MetricsFile.NAME):
        (folder / name).unlink(missing_ok=True)
    write_text(folder / CONFIG_FILE, config_text(info))


def _check_same_run(folder: Path, info: PolicyInfo) -> None:
    stored = read_info(folder)
    for name in ("model", "method", "graph_hash", "task_hash", "seed", "attribute_names"):
        if getattr(stored, name) != getattr(info, name):
            raise DataError(f"{folder}: holds a run with another {name.replace('_', ' ')}")
    ours, theirs = info.training["options"], stored.training.get("options", {})
    differing = [name for name in ours if ours[name] != theirs.get(name)]
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


def _summary(outcome: Outcome, config: TrainingConfig, seed: int) -> dict[str, Any]:
    state, progress = outcome.state, outcome.state.seeds[seed]
    episodes = config.targets_per_update * config.walks_per_target
    return {
        "stopped": outcome.stopped,
        "updates": state.update,
        "episodes": state.update * episodes if config.method == "a2c" else None,
        "seconds": round(state.seconds, 2),
        "best_update": progress.best_update,
        "validation_ratio": (
            progress.best_ratio if progress.tempered_ratio is None else progress.tempered_ratio
        ),
        "temperature": progress.temperature,
    }


def _policy(outcome: Outcome, info: PolicyInfo, model_config: ModelConfig, seed: int) -> Policy:
    model = build_model(info.model, len(info.attribute_names), model_config)
    weights = {name: tensor.cpu() for name, tensor in outcome.state.best_of(seed).items()}
    model.load_state_dict(weights)
    return Policy(model, info)


def _per_seed(files: Sequence[MetricsFile]) -> list[Listener]:
    return [file.of_seed(seed) for seed, file in enumerate(files)]
