"""``garden serve``: open the page on this machine."""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import dataclass
from typing import Annotated

import tyro

from garden.cli.console import Verb, busy, say
from garden.errors import DataError, SpecError

_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class Serve(Verb):
    """Open a page that shows messages finding their way, on this machine alone."""

    graph: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A graph that the page offers; may be repeated. A generated one is always there."""

    strategy: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A strategy that the page offers; may be repeated. A choice of them by default."""

    host: str = "127.0.0.1"
    """Where to listen. Anything but this machine lets others in."""

    port: int = 8414
    """The port to listen on."""

    def run(self) -> None:
        """Load what was named, then answer until interrupted."""
        if not 1 <= self.port <= 65535:
            raise SpecError(f"`port={self.port}`: choose one from 1 to 65535")
        try:
            import uvicorn

            from garden.web.app import make_app
            from garden.web.library import Library
        except ImportError:
            raise DataError("the page needs the extra: pip install 'garden-search[web]'") from None
        library = Library(self.graph, self.strategy)
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
            make_app(library, self.host),
            host=self.host,
            port=self.port,
            log_level="warning",
            server_header=False,
        )


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
