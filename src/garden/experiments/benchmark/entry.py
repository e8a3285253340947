"""Entries: one strategy with one memory on the tasks, as a file that anybody can check.

An entry fits if it follows ``entry-1.schema.json``, names tasks of this version by their hashes,
and accounts for every task: played, or missing with a reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from garden.errors import DataError, one_line, short_text
from garden.experiments.benchmark.schema import first_misfit
from garden.experiments.benchmark.tasks import VERSION, Track, tasks_to_play

FORMAT = f"garden-benchmark-entry-{VERSION}"
TRACKS: tuple[str, ...] = get_args(Track)
SCHEMA_FILE = Path(__file__).parent / f"entry-{VERSION}.schema.json"

Entry = Mapping[str, Any]


@lru_cache(maxsize=1)
def entry_schema() -> Mapping[str, Any]:
    """The published schema of an entry."""
    schema: Mapping[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return schema


def read_entry(path: Path) -> Entry:
    """The entry in a file.

    Raises:
        DataError: If it cannot be read, or fits neither the schema nor the tasks.
    """
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not a readable entry ({one_line(error)})") from None
    wrong = misfit_of(entry)
    if wrong:
        raise DataError(f"{path}: {short_text(wrong) if len(wrong) > 200 else wrong}")
    checked: Entry = entry
    return checked


def misfit_of(entry: Any) -> str | None:
    """What does not fit, as text; None where all does."""
    wrong = first_misfit(entry, entry_schema())
    if wrong:
        return wrong
    known = {one.spec: one.task_hash for one in tasks_to_play(entry["quick"], entry["track"])}
    for task in entry["tasks"]:
        if task["spec"] not in known:
            return f"{task['spec']} is no task of version {VERSION}"
        if task["task_hash"] != known[task["spec"]]:
            return f"{task['spec']}: the hash is not that of version {VERSION}"
    return _uncounted(entry, list(known))


def _uncounted(entry: Entry, known: list[str]) -> str | None:
    """Which task is left out without a word, or stands twice."""
    named = [one["spec"] for part in ("tasks", "missing") for one in entry[part]]
    for spec in known:
        if named.count(spec) != 1:
            return f"{spec} stands {named.count(spec)} times among tasks and missing, not once"
    strange = sorted(set(named) - set(known))
    return f"{strange[0]} is no task of version {VERSION}" if strange else None
