"""What an experiment leaves behind: tables as CSV and Markdown, figures as PNG and SVG, text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from garden.atomic import write_text
from garden.plots.style import save_figure

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

    def markdown(self) -> str:
        """The table in Markdown, with its caption and footing."""
        lines = [f"**{self.caption}**", ""]
        lines.append("| " + " | ".join(self.columns) + " |")
        lines.append("|" + "---|" * len(self.columns))
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join([*lines, "", self.footing]).rstrip() + "\n"

    def csv(self) -> str:
        """The table as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Section:
    """One experiment on the page: what the paper claims, what we found, tables, pictures."""

    name: str
    title: str
    command: str
    claim: str
    findings: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    figures: tuple[tuple[str, str], ...] = field(default=())  # file name without suffix, caption


def write_section(folder: Path, section: Section) -> None:
    """Write the section's tables, and the section itself for the page."""
    for table in section.tables:
        write_text(folder / f"{table.name}.md", table.markdown())
        write_text(folder / f"{table.name}.csv", table.csv())
    content = json.dumps(asdict(section), indent=1, ensure_ascii=False)
    write_text(folder / SECTION_FILE, content + "\n")


def write_figure(folder: Path, name: str, figure: Figure) -> None:
    """Write a figure for screens and for print."""
    save_figure(figure, folder / f"{name}.png")
    save_figure(figure, folder / f"{name}.svg")


def read_section(folder: Path) -> Section | None:
    """The section that a folder holds, if it does."""
    try:
        content = json.loads((folder / SECTION_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    tables = tuple(
        Table(
            one["name"],
            one["caption"],
            tuple(one["columns"]),
            tuple(tuple(row) for row in one["rows"]),
            one["footing"],
        )
        for one in content.pop("tables")
    )
    figures = tuple((name, caption) for name, caption in content.pop("figures"))
    findings: Sequence[str] = content.pop("findings")
    return Section(**content, tables=tables, figures=figures, findings=tuple(findings))
