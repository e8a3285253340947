"""``garden serve``: open the page on this machine."""

from __future__ import annotations

import errno
import ipaddress
import logging
import os
import socket
from contextlib import suppress
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
_BACKLOG = 2_048  # connections that wait until the page is there


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
        with listening_socket(self.host, self.port) as listening:
            for shelf in library.graphs.values():
                with busy(f"loading {shelf.spec}"):
                    shelf.loaded()
            self._announce(library.game_graph == library.example)
            app = make_app(library, self.host, self._kept_plays(), self._ask_hosts())
            config = uvicorn.Config(app, log_level="warning", server_header=False)
            with suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listening])

    def _announce(self, is_game_generated: bool) -> None:
        if is_game_generated:
            _LOG.info("Wikispeedia is not among the graphs: the game starts on a generated one")
        if not _is_local(self.host):
            _LOG.warning(
                "listening on %s: EVERYONE who reaches this machine can use the page", self.host
            )
        shown = f"[{self.host}]" if ":" in self.host else self.host
        say(f"the page is at http://{shown}:{self.port} (Ctrl-C ends it)")

    def _ask_hosts(self) -> AskHosts | None:
        """What asks the hosts of the folder through their control sockets; None without msgspec."""
        try:
            from garden.peers.network.control_client import run_folder
            from garden.peers.network.overview import overview
        except ImportError:
            return None
        return lambda: overview(run_folder(self.cut), agents=True)

    def _kept_plays(self) -> Path | None:
        try:
            check_writable(self.plays)
        except DataError as error:
            _LOG.warning("plays are not kept: %s", error)
            return None
        return self.plays


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        SpecError: If there is no such host here, or something else listens at the port.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise SpecError(f"`host={host}`: {error.strerror}") from None
    made = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would share a port that is taken
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise SpecError(f"`port={port}` is taken: choose another") from None
        raise SpecError(f"`host={host}`, `port={port}`: {error.strerror}") from None
    return made


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
