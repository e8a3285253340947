"""A folder of peers: one file per agent, and one that says which strategy all of them run.

``strategy.json`` holds what is the same for all and public: a strategy's name, what was tuned or
fitted, and the memory. ``agents/KEY.agent`` is the view of the agent with that key, in hexadecimal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from garden.errors import DataError, StrategyError
from garden.peers.message_memory import check_memory
from garden.peers.views import SUFFIX, AgentView, read_view
from garden.storage import read_bytes, write_text
from garden.strategies.base import Strategy
from garden.strategies.evn import EVNWalker, LinkCurve
from garden.strategies.explore import ExploreMemory
from garden.strategies.exported import Exported, copy_export, load_exported
from garden.strategies.frontier import FrontierMemory
from garden.strategies.memory import Memory
from garden.strategies.protocols import Tempered
from garden.strategies.registry import BY_SCORE, MEMORIES, registered
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import load_universal

FOLDER_VERSION = 1
STRATEGY_FILE = "strategy.json"
AGENTS = "agents"
EXPORT = "export"  # the folder of a learned model's export, and what `strategy.json` calls it
_UNIVERSAL = Path(__file__).parents[1] / "weights" / "universal"


@dataclass(frozen=True)
class Programme:
    """What all agents of a folder run."""

    strategy: Strategy
    memory: Memory


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    strategy: str
    temperature: float | None
    curve: tuple[list[float], list[float]] | None
    memory: str


def write_programme(folder: Path, name: str, programme: Programme) -> None:
    """Write what all agents of a folder run.

    Args:
        folder: The folder.
        name: The strategy's name, parameters included, without a memory.
        programme: The strategy, fitted and tuned, and the memory.
    """
    check_memory(programme.memory)
    strategy = programme.strategy
    if isinstance(strategy, Exported):
        name = EXPORT
        copy_export(strategy, folder / EXPORT)
    elif registered(name) is None and not isinstance(strategy, Universal):
        raise StrategyError(
            f"peers cannot run {name}: choose a walker, beacons, universal, or a folder that "
            "`garden export` wrote"
        )
    curve = strategy.curve if isinstance(strategy, EVNWalker) else None
    content: Mapping[str, Any] = {
        "version": FOLDER_VERSION,
        "strategy": name,
        "temperature": strategy.temperature if isinstance(strategy, Tempered) else None,
        "curve": None
        if curve is None
        else [curve.distances.tolist(), curve.probabilities.tolist()],
        "memory": programme.memory.name,
    }
    write_text(folder / STRATEGY_FILE, json.dumps(content, indent=1) + "\n")


def read_programme(folder: Path) -> Programme:
    """What the agents of a folder run."""
    path = folder / STRATEGY_FILE
    try:
        content = msgspec.json.decode(read_bytes(path), type=_File)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: does not say what peers run ({error})") from None
    if content.version != FOLDER_VERSION:
        raise DataError(f"{path}: has version {content.version}, {FOLDER_VERSION} is read here")
    if content.memory not in MEMORIES:
        raise DataError(f"{path}: unknown memory {content.memory!r}")
    strategy = _strategy(content, path)
    if content.memory == ExploreMemory.name and not strategy.shows_links:
        raise DataError(f"{path}: {content.strategy} cannot have the memory {content.memory}")
    by_score = content.memory == FrontierMemory.name and strategy.scores_compare
    return Programme(strategy, BY_SCORE if by_score else MEMORIES[content.memory])


def view_path(folder: Path, key: int) -> Path:
    """Where the view of an agent lies.

    Args:
        folder: The folder of peers.
        key: The agent's.
    """
    return folder / AGENTS / f"{key:016x}{SUFFIX}"


def read_views(folder: Path) -> list[AgentView]:
    """The views of all agents of a folder, in the order of their keys."""
    return [read_view(path) for path in sorted((folder / AGENTS).glob(f"*{SUFFIX}"))]


def _strategy(content: _File, path: Path) -> Strategy:
    if content.strategy == Universal.name:
        strategy: Strategy | None = load_universal(_UNIVERSAL)
    elif content.strategy == EXPORT:
        strategy = load_exported(path.parent / EXPORT)
    else:
        strategy = registered(content.strategy)
    if strategy is None:
        raise DataError(f"{path}: peers cannot run {content.strategy!r}")
    if content.temperature is not None and isinstance(strategy, Tempered):
        strategy = strategy.with_temperature(content.temperature)
    if content.curve is not None and isinstance(strategy, EVNWalker):
        distances, probabilities = map(np.array, content.curve)
        strategy = EVNWalker(LinkCurve(distances, probabilities))
    return strategy
