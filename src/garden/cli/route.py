"""``garden route``: send one message and print its path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from garden.cli.console import (
    TABLES_AS_USUAL,
    GraphFlags,
    Verb,
    check_outputs,
    print_table,
    progress_bar,
)
from garden.cli.result_text import write_json
from garden.errors import DataError
from garden.search.config import MaxHops

if TYPE_CHECKING:
    from garden.routing import RoutedMessage
    from garden.search.walk import Choice


@dataclass(frozen=True)
class Route(Verb):
    """Send one message from a source to a target and print its path, hop by hop."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    source: str
    """The node that sends."""

    target: str
    """The node that shall receive."""

    strategy: str = "universal+explore"
    """Who decides: a walker, shipped weights such as universal, which needs no training, a run
    folder, or a class of your own as package.module:Class; NAME+MEMORY gives it a memory."""

    memory: str = "none"
    """The memory, where the strategy names none: none, visited, backtrack,
    frontier, explore."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    max_hops: MaxHops = "auto"
    """The hop at which the message is given up. `auto`: 100; where source and target are more than
    50 hops apart, ten times their distance, at most 10,000."""

    seed: int = 0
    """Fixes the random choices, and the split that temperatures are tuned on."""

    plot: Path | None = None
    """Draw the path to this file (.png, .svg or .pdf)."""

    html: Path | None = None
    """Write the trip as one page to this file, which any browser plays from the disk (needs the
    extra `web`)."""

    no_cache: bool = False
    """Let the agents of strategies with rounds talk anew. By default what they settled on is kept
    in the user's cache folder (GARDEN_CACHE) for graphs of 20,000 nodes or more."""

    json: str | None = None
    """Write the path as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Route the message, print its path, draw it where asked for."""
        from garden.plots.figures import picture_format
        from garden.routing import HOP_COLUMNS, route

        check_outputs(self.plot, self.html, json=self.json)
        if self.plot:
            picture_format(self.plot)
        choices: list[Choice] = []
        graph = self.graph_options.load_aloud(self.spec)
        with progress_bar(f"routing on {self.spec}") as progress:
            message = route(
                graph,
                self.strategy,
                source=self.source,
                target=self.target,
                memory=self.memory,
                max_hops=self.max_hops,
                seed=self.seed,
                progress=progress,
                cache=not self.no_cache,
                watch=choices.append,
            )
        fate = "delivered" if message.delivered else "NOT delivered"
        title = (
            f"{message.graph.name}: {fate} in {message.hops} hops "
            f"(shortest {message.distance}, at most {message.max_hops}) "
            f"by {message.strategy}, memory {message.memory}"
        )
        print_table(title, HOP_COLUMNS, message.rows(), self.json)
        if self.plot:
            message.plot(self.plot)
        if self.html:
            write_page(self.html, message, choices)
        if self.json:
            write_json(message.to_json(), self.json)


def write_page(path: Path, message: RoutedMessage, choices: list[Choice]) -> None:
    """Write the trip as one page; without the extra that is refused."""
    try:
        from garden.web.walk_file import write_walk_file
    except ImportError:
        raise DataError("`html` needs the extra: pip install 'garden-search[web]'") from None
    write_walk_file(path, message, choices)
