"""What every experiment is: units of work, and findings made of what came of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garden.experiments.report.sections import Findings, Section
from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import Work

ResultOf = Callable[[Work], dict[str, Any]]
QUICK_NOTE = "A quick run, of trainings cut short: it says nothing of learned agents or the paper."


@dataclass(frozen=True)
class Experiment:
    """One table or figure: its units of work, and the findings made of their results."""

    name: str
    """What `garden reproduce` calls it."""

    title: str
    works: Callable[[Scope], Sequence[Work]]
    """All units that the scope asks for."""

    report: Callable[[Scope, ResultOf, Path], Findings]
    """The findings, once all units are done; figures go into the folder."""

    paper: str = ""
    """What the paper says, in our words; empty where it says nothing."""

    def section(self, scope: Scope, result_of: ResultOf, folder: Path) -> Section:
        """The section of the page.

        Args:
            scope: How much of the experiment was made.
            result_of: Gives what came of a unit of work.
            folder: Where figures are written.

        Returns:
            The findings with the experiment's name, title and command.
        """
        return Section(
            name=self.name,
            title=self.title,
            command=scope.command(self.name),
            paper=self.paper,
            notes=(QUICK_NOTE,) if scope.quick else (),
            findings=self.report(scope, result_of, folder),
        )
