"""What verbs of ``garden peers`` share: the graph or the folder they work on, and their output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import tyro

from garden.cli.console import (
    GraphOptions,
    Verb,
    busy,
    check_outputs,
    print_table,
    write_json,
)

if TYPE_CHECKING:
    from garden.graphs.graph import Graph


class _Report(Protocol):
    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class OnGraph(Verb):
    """What verbs that see a whole graph share."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    graph_options: Annotated[GraphOptions, tyro.conf.arg(name="")] = field(
        default_factory=GraphOptions
    )

    json: str | None = None
    """Write what is printed as JSON to this file; - is standard output."""

    def load(self) -> Graph:
        """The graph; but first, whether the JSON can be written."""
        check_outputs(json=self.json)
        with busy(f"loading {self.spec}"):
            return self.graph_options.load(self.spec)

    def print_fields(self, title: str, report: dict[str, Any]) -> None:
        """Print one report, a line for each of its fields."""
        rows = [(name.replace("_", " "), _shown(value)) for name, value in report.items()]
        print_table(title, ("", "value"), rows, self.json)
        if self.json:
            write_json(report, self.json)

    def print_rows(
        self,
        title: str,
        columns: Sequence[str],
        rows: Sequence[tuple[str, ...]],
        **reports: Sequence[_Report],
    ) -> None:
        """Print a table of several reports, which the JSON holds whole, under their names."""
        print_table(title, columns, rows, self.json)
        if self.json:
            named = reports.items()
            content = {name: [one.to_json() for one in found] for name, found in named}
            write_json(content, self.json)


@dataclass(frozen=True, kw_only=True)
class OnFolder(Verb):
    """What verbs on a folder of peers share."""

    cut: Path = Path("peers")
    """The folder that `garden peers cut` wrote."""

    run_folder: Path | None = None
    """The private folder with the hosts' control sockets; by default one under XDG_RUNTIME_DIR,
    or else under the system's folder for temporary files, named after it."""

    @property
    def run_path(self) -> Path:
        """The folder with the control sockets."""
        from garden.peers.network.control_client import run_folder

        return self.run_folder or run_folder(self.cut)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return " – ".join(_shown(one) for one in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
