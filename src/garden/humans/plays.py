"""Plays of people as lines of JSON: one finished or given-up game each, without name or address.

A line holds what was seen and chosen at each step, so that it can be studied without the graph.
``player`` is a random number that joins the plays of one person, where they agreed to that.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from garden.errors import DataError, one_line

FORMAT = 1
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Step:
    """One choice: what was on offer, in the page's order of the graph, and which was taken."""

    degrees: tuple[int, ...]  # links of each neighbour on offer
    shared: tuple[int, ...]  # attributes that each has in common with the target
    chosen: int  # place among them
    target_offered: bool
    seconds: float  # since the game began

    def __post_init__(self) -> None:
        if len(self.degrees) != len(self.shared) or not 0 <= self.chosen < len(self.degrees):
            raise ValueError("the choice is none of what was on offer")


@dataclass(frozen=True)
class Play:
    """One game of one person."""

    graph: str  # its name, and what it holds
    graph_hash: str
    player: str
    day: str  # UTC
    directed: bool
    daily: bool
    source: str
    target: str
    path: tuple[str, ...]
    distance: int  # of the shortest path under the same rules
    delivered: bool
    steps: tuple[Step, ...]

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return len(self.path) - 1

    @property
    def ratio(self) -> float | None:
        """Hops over those of the shortest path; None of a game that was given up."""
        return self.hops / self.distance if self.delivered else None


def append_play(path: Path, play: Play) -> None:
    """Add a play to a file.

    Args:
        path: The file; made where there is none.
        play: The play.
    """
    line = json.dumps({"format": FORMAT, **asdict(play)}, ensure_ascii=False)
    with _LOCK, path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def read_plays(path: Path) -> list[Play]:
    """The plays of a file, in their order.

    Raises:
        DataError: If it cannot be read, or a line is no play.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise DataError(f"{path}: cannot be read ({reason})") from None
    plays = [_play(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not plays:
        raise DataError(f"{path}: holds no plays: play a game with `garden serve` first")
    return plays


def write_plays(path: Path, plays: Iterable[Play]) -> None:
    """Write plays to a new file.

    Args:
        path: The file; what it held is gone.
        plays: In the order of the lines.
    """
    path.write_text("", encoding="utf-8")
    for play in plays:
        append_play(path, play)


def _play(path: Path, number: int, line: str) -> Play:
    try:
        found: dict[str, Any] = json.loads(line)
        version = found.pop("format")
        if version != FORMAT:
            raise ValueError(f"format {version}")
        steps = tuple(
            Step(**{**step, "degrees": tuple(step["degrees"]), "shared": tuple(step["shared"])})
            for step in found.pop("steps")
        )
        return Play(**{**found, "path": tuple(found["path"]), "steps": steps})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{path}, line {number}: no play ({one_line(error)})") from None
