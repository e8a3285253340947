"""How results were made, in a sentence for the foot of a table: versions, devices, shared GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from garden.experiments.report.sections import Section

_NAMED = ("garden", "numpy")


def with_making(section: Section, records: Iterable[Mapping[str, Any]]) -> Section:
    """The section, its tables with how their results were made below them.

    Args:
        section: What was found.
        records: Lines of the store, one per unit of work.
    """
    words = words_of_making(list(records))
    if not words:
        return section
    tables = (
        replace(table, footing=f"{table.footing} {words}".strip())
        for table in section.findings.tables
    )
    return replace(section, findings=replace(section.findings, tables=tuple(tables)))


def words_of_making(records: Iterable[Mapping[str, Any]]) -> str:
    """Versions that played, and where policies were trained; empty where nothing is recorded.

    Args:
        records: Lines of the store, one per unit of work.
    """
    records = list(records)
    played = {_versions(one["made"].get("versions") or {}, _NAMED) for one in records} - {""}
    trained = {
        _training(how)
        for one in records
        for how in (one["result"].get("trained") or {}).values()
        if isinstance(how, Mapping) and how.get("device")
    }
    words = [f"Played on a CPU with {_listed(played)}."] if played else []
    words += [f"Trained on {_listed(trained)}."] if trained else []
    return " ".join(words)


def _training(how: Mapping[str, Any]) -> str:
    """The device of one training, with its torch and how many seeds shared a GPU."""
    facts = [_versions(how.get("versions") or {}, ("torch",))]
    num_seeds = (how.get("stack") or [1])[0]
    if how["device"] == "cuda":
        facts.append(f"{num_seeds} seed{'s' * (num_seeds != 1)} in a stack")
    inside = ", ".join(fact for fact in facts if fact)
    return f"{how['device']} ({inside})" if inside else str(how["device"])


def _versions(versions: Mapping[str, str], names: Iterable[str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in names if name in versions)


def _listed(words: Iterable[str]) -> str:
    return "; ".join(sorted(words))
