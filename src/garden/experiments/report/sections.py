"""What an experiment leaves behind: claims, tables as CSV and Markdown, figures as PNG and SVG.

Below the tables stands how results were made: versions, devices, shared GPUs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        text = (folder / SECTION_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    content = json.loads(text, object_hook=_with_tuples)
    found = content.pop("findings")
    claims = tuple(Claim(**one) for one in found.pop("claims"))
    tables = tuple(Table(**one) for one in found.pop("tables"))
    return Section(**content, findings=Findings(claims, tables, **found))


def _with_tuples(content: Mapping[str, Any]) -> dict[str, Any]:
    """An object of JSON with tuples for lists."""

    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return {name: frozen(value) for name, value in content.items()}


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


def words_of_making(records: Sequence[Mapping[str, Any]]) -> str:
    """Versions that played, and where policies were trained; empty where nothing is recorded.

    Args:
        records: Lines of the store, one per unit of work.
    """
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
