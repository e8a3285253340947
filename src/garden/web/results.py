"""The reproduction's tables and figures, read from ``results/`` where the source tree has it.

An installed package has none: the page then shows an empty list.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

from garden.web.schemas import ResultEntry, ResultFigure, ResultTable

RESULTS = Path(__file__).parents[3] / "results"
_MAX_ROWS = 200


def result_entries(folder: Path = RESULTS) -> list[ResultEntry]:
    """One entry for each section that has been reproduced."""
    return [_entry(section) for section in sorted(folder.glob("*/section.json"))]


def figure_file(section: str, name: str, folder: Path = RESULTS) -> Path | None:
    """The file of a figure that :func:`result_entries` named; None for any other.

    Args:
        section: The section's id.
        name: The file's, with its suffix.
        folder: Where the results are.
    """
    known = {(path.parent.name, path.name): path for path in folder.glob("*/*.png")}
    return known.get((section, name))


def _entry(section: Path) -> ResultEntry:
    content = json.loads(section.read_text(encoding="utf-8"))
    home = section.parent
    return ResultEntry(
        id=home.name,
        title=str(content["title"]),
        command=str(content["command"]),
        tables=[_table(path) for path in sorted(home.glob("*.csv"))],
        figures=[
            ResultFigure(title=path.stem, url=f"/api/results/{home.name}/{path.name}")
            for path in sorted(home.glob("*.png"))
        ],
    )


def _table(path: Path) -> ResultTable:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    return ResultTable(
        title=path.stem, columns=rows[0] if rows else [], rows=rows[1 : _MAX_ROWS + 1]
    )
