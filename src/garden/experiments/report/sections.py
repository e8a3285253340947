"""What an experiment leaves behind: claims, tables as CSV and Markdown, figures as PNG and SVG."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from garden.experiments.report.claims import CLAIM_COLUMNS, Claim, claim_rows
from garden.plots.figures import save_figure
from garden.storage import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTION_FILE = "section.json"


@dataclass(frozen=True)
class Table:
    """A table for people: cells are text."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    footing: str = ""

    @classmethod
    def of_cells(
        cls, name: str, caption: str, rows: Sequence[Sequence[tuple[str, str]]], footing: str = ""
    ) -> Table:
        """A table of rows whose cells stand beside the names of their columns.

        Args:
            name: The table's name, and that of its files.
            caption: What stands above it.
            rows: At least one; of each cell its column's name and its text.
            footing: What stands below it.
        """
        columns = tuple(column for column, _ in rows[0])
        return cls(name, caption, columns, tuple(tuple(t for _, t in row) for row in rows), footing)

    def markdown(self) -> str:
        """The table in Markdown, with its caption and footing."""
        lines = [f"**{self.caption}**", ""]
        lines.append("| " + " | ".join(self.columns) + " |")
        lines.append("|" + "---|" * len(self.columns))
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join([*lines, "", self.footing]).rstrip() + "\n"

    def csv(self) -> str:
        """The columns and rows as CSV, lines ended by a line feed."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Findings:
    """What a report makes of results."""

    claims: tuple[Claim, ...] = ()
    """Statements, each with the cases that it holds and fails on."""

    tables: tuple[Table, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    """The name of each figure's file, without suffix, and its caption."""


@dataclass(frozen=True)
class Section:
    """One experiment on the page: what the paper says, what was found, tables and figures."""

    name: str
    """The experiment's name, and that of its folder."""

    title: str
    command: str
    """What makes it again."""

    paper: str
    """What the paper says, in our words; empty where it says nothing."""

    notes: tuple[str, ...] = ()
    """What a reader must know before the findings."""

    findings: Findings = field(default_factory=Findings)

    @property
    def claims_table(self) -> Table:
        """The claims as a table."""
        return Table(
            f"{self.name}-claims",
            f"Claims: {self.title}",
            CLAIM_COLUMNS,
            tuple(claim_rows(self.findings.claims)),
            CLAIMS_FOOTING,
        )


CLAIMS_FOOTING = (
    "A claim about a difference holds or fails on a case where the whole 95 % interval of the "
    "paired difference is on one side of zero; where the interval includes zero, it is undecided."
)


def write_section(folder: Path, section: Section) -> None:
    """Write the section's tables, its claims among them, and the section itself for the page.

    Args:
        folder: The experiment's folder of results; it is made where it is missing.
        section: What was found.
    """
    for table in (section.claims_table, *section.findings.tables):
        write_text(folder / f"{table.name}.md", table.markdown())
        write_text(folder / f"{table.name}.csv", table.csv())
    content = json.dumps(asdict(section), indent=1, ensure_ascii=False)
    write_text(folder / SECTION_FILE, content + "\n")


def write_figure(folder: Path, name: str, figure: Figure) -> None:
    """Write a figure for screens and for print.

    Args:
        folder: The experiment's folder of results.
        name: The figure's name, without a suffix.
        figure: What was drawn.
    """
    save_figure(figure, folder / f"{name}.png")
    save_figure(figure, folder / f"{name}.svg")


def read_section(folder: Path) -> Section | None:
    """The section that a folder holds, if it does."""
    try:
        content = json.loads((folder / SECTION_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    found = content.pop("findings")
    claims = (Claim(one["text"], *(tuple(one[of]) for of in _CASES)) for one in found["claims"])
    tables = (
        Table(
            one["name"],
            one["caption"],
            tuple(one["columns"]),
            tuple(tuple(row) for row in one["rows"]),
            one["footing"],
        )
        for one in found["tables"]
    )
    figures = ((name, caption) for name, caption in found["figures"])
    notes = tuple(content.pop("notes"))
    findings = Findings(tuple(claims), tuple(tables), tuple(figures))
    return Section(**content, notes=notes, findings=findings)


_CASES = ("holds_on", "fails_on", "undecided_on")
