"""What every experiment is: units of work, and a section made of what came of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garden.experiments.report.sections import Section
from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import Work

ResultOf = Callable[[Work], dict[str, Any]]


@dataclass(frozen=True)
class Experiment:
    """One table or figure."""

    name: str
    title: str
    works: Callable[[Scope], Sequence[Work]]
    """All units that the scope asks for."""
    report: Callable[[Scope, ResultOf, Path], Section]
    """The section, once all units are done; figures go into the folder."""


_QUICK = "A quick run, of trainings cut short: it says nothing of learned agents or of the paper."


def caveat(scope: Scope) -> tuple[str, ...]:
    """What a reader of a quick run must know first: a note of the section."""
    return (_QUICK,) if scope.quick else ()
