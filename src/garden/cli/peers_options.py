"""What verbs of ``garden peers`` share: the graph or the folder they work on, and their output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import tyro

from garden.cli.console import TABLES_AS_USUAL, GraphFlags, Verb, check_outputs, print_table

if TYPE_CHECKING:
    from garden.graphs.graph import Graph


Columns = Mapping[str, Callable[[Any], str]]
"""What stands under each head of a table, as text, from a report."""


class _Report(Protocol):
    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class OnGraph(Verb):
    """What verbs that see a whole graph share."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    json: str | None = None
    """Write what is printed as JSON to this file; - is standard output."""

    def load(self) -> Graph:
        """The graph; but first, whether the JSON can be written."""
        check_outputs(json=self.json)
        return self.graph_options.load_aloud(self.spec)

    def print_rows(
        self,
        title: str,
        columns: Columns,
        reports: Sequence[_Report],
        name: str = "reports",
    ) -> None:
        """Print a table of several reports, a row for each; the JSON holds them whole.

        Args:
            title: The line above the table.
            columns: Heads with what makes a cell of a report.
            reports: The reports.
            name: What the JSON calls them.
        """
        rows = [[cell(one) for cell in columns.values()] for one in reports]
        content = {name: [one.to_json() for one in reports]}
        print_table(title, tuple(columns), rows, self.json, content)


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
