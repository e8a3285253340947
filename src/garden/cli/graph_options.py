"""The flags of a verb that reads a graph."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from garden.cli.console import busy
from garden.errors import GardenError

if TYPE_CHECKING:
    from garden.graphs.graph import Graph

_COLUMN_FLAGS = {
    "source_column": "--source-column",
    "target_column": "--target-column",
    "node_column": "--node-column",
}


@dataclass(frozen=True)
class GraphOptions:
    """How tables are read; nothing here concerns graphs that are known by name."""

    source_column: str | None = None
    """The column of a table of edges that holds one end; found where only one reading makes
    sense."""

    target_column: str | None = None
    """The column that holds the other end."""

    node_column: str | None = None
    """The column of a table of nodes that names them."""

    no_scaling: bool = False
    """Leave numeric columns of tables as they are: otherwise those that hold anything but 0 and 1
    are scaled to mean 0 and variance 1."""

    def load_aloud(self, spec: str) -> Graph:
        """The graph, and on standard error that it is being loaded."""
        with busy(f"loading {spec}"):
            return self.load(spec)

    def load(self, spec: str) -> Graph:
        """The graph; errors name flags in place of Python's arguments."""
        from garden.api import load

        given = {argument: getattr(self, argument) for argument in _COLUMN_FLAGS}
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if self.no_scaling:
            options["scale"] = False
        try:
            return load(spec, **options)
        except GardenError as error:
            message = str(error)
            for argument, flag in _COLUMN_FLAGS.items():
                message = message.replace(argument, flag)
            error.args = (message,)
            raise

    def command_words(self, spec: str) -> str:
        """The spec and these flags as they are written in a shell, for lines of advice."""
        words = [spec]
        for argument, flag in _COLUMN_FLAGS.items():
            if getattr(self, argument) is not None:
                words += [flag, getattr(self, argument)]
        return shlex.join([*words, *(["--no-scaling"] if self.no_scaling else [])])


GraphFlags = Annotated[GraphOptions, tyro.conf.arg(name="")]
"""The flags of a verb that reads a graph."""
TABLES_AS_USUAL = GraphOptions()
