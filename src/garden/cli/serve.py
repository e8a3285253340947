"""``garden serve``: open the page on this machine."""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from garden.cli.console import Verb, busy, say
from garden.errors import DataError, SpecError
from garden.storage import check_writable

if TYPE_CHECKING:
    from garden.web.peers_state import AskHosts

_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class Serve(Verb):
    """Open a page that shows messages finding their way, on this machine alone."""

    graph: tyro.conf.Positional[tuple[str, ...]] = ()
    """The graphs that the page offers. By default Wikispeedia, where it is on this
    machine; a generated one is always there."""

    strategy: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A strategy that the page offers; may be repeated. A choice of them by default."""

    host: str = "127.0.0.1"
    """Where to listen. Anything but this machine lets others in."""

    port: int = 8414
    """The port to listen on."""

    plays: Path = Path("garden-plays.jsonl")
    """The file that games are added to when a player agrees: nodes and times, no name, no address.
    `garden humans` reads it."""

    cut: Path = Path("peers")
    """The folder that `garden peers cut` wrote: where its hosts are up, the page shows them."""

    def run(self) -> None:
        """Load what was named, then answer until interrupted."""
        if not 1 <= self.port <= 65535:
            raise SpecError(f"`port={self.port}`: choose one from 1 to 65535")
        try:
            import uvicorn

            from garden.web.app import make_app
            from garden.web.library import Library, default_graphs
        except ImportError:
            raise DataError("the page needs the extra: pip install 'garden-search[web]'") from None
        library = Library(self.graph or default_graphs(), self.strategy)
        if library.game_graph == library.example:
            _LOG.info("Wikispeedia is not among the graphs: the game starts on a generated one")
        for shelf in library.graphs.values():
            with busy(f"loading {shelf.spec}"):
                shelf.loaded()
        if not _is_local(self.host):
            _LOG.warning(
                "listening on %s: EVERYONE who reaches this machine can use the page", self.host
            )
        shown = f"[{self.host}]" if ":" in self.host else self.host
        say(f"the page is at http://{shown}:{self.port} (Ctrl-C ends it)")
        uvicorn.run(
            make_app(library, self.host, self._kept_plays(), self._ask_hosts()),
            host=self.host,
            port=self.port,
            log_level="warning",
            server_header=False,
        )

    def _ask_hosts(self) -> AskHosts | None:
        """What asks the hosts of the folder through their control sockets; None without msgspec."""
        try:
            from garden.peers.network.control_client import run_folder
            from garden.peers.network.overview import overview
        except ImportError:
            return None
        from garden.web.peers_state import from_overview

        return lambda: from_overview(overview(run_folder(self.cut), agents=True))

    def _kept_plays(self) -> Path | None:
        try:
            check_writable(self.plays)
        except DataError as error:
            _LOG.warning("plays are not kept: %s", error)
            return None
        return self.plays


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
