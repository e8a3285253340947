"""Asking hosts on this machine, over their control sockets."""

from __future__ import annotations

import hashlib
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, final

import msgspec

from garden.errors import DataError, GardenError
from garden.peers.network.requests import Request

_SOCKETS = "*.sock"


def run_folder(folder: Path) -> Path:
    """Where the hosts of a folder of peers keep their control sockets, by default."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:12]
    return Path(base) / f"garden-peers-{os.getuid()}-{name}"


@final
class HostConnection:
    """A connection to one host's control socket."""

    def __init__(self, path: Path, timeout: float | None = 10.0) -> None:
        """Connect.

        Args:
            path: The socket.
            timeout: Seconds that a reply may take; None: any time.
        """
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._buffer = b""
        try:
            self._socket.connect(os.fspath(path))
        except OSError as error:
            self._socket.close()
            raise DataError(f"{path}: no host answers ({error.strerror or error})") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; the host goes on running."""
        self._socket.close()

    def fileno(self) -> int:
        """The descriptor of the connection, to wait on several at once by ``select``."""
        return self._socket.fileno()

    def ask(self, request: Request) -> None:
        """Send a request as one line of JSON; the reply is read apart from it."""
        self._socket.sendall(msgspec.json.encode(request) + b"\n")

    def reply(self) -> dict[str, Any]:
        """The next line of reply."""
        while b"\n" not in self._buffer:
            try:
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                raise DataError(f"{self.path}: the host does not answer") from None
            except OSError as error:
                raise DataError(f"{self.path}: the host is gone ({error})") from None
            if not data:
                raise DataError(f"{self.path}: the host is gone")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        reply: dict[str, Any] = msgspec.json.decode(line)
        if reply.get("kind") == "error":
            raise DataError(str(reply.get("error")))
        return reply

    def replies(self) -> list[dict[str, Any]]:
        """All lines that have come, at least one."""
        found = [self.reply()]
        while b"\n" in self._buffer:
            found.append(self.reply())
        return found

    def answer_to(self, request: Request) -> dict[str, Any]:
        """The reply to a request that has one line of it."""
        self.ask(request)
        return self.reply()


def connections(run: Path, timeout: float | None = 10.0) -> Iterator[HostConnection]:
    """A connection to each host whose socket lies in a folder and answers.

    Args:
        run: The folder with the hosts' control sockets.
        timeout: Seconds that a reply may take; None: any time.
    """
    for path in sorted(run.glob(_SOCKETS)):
        with suppress(GardenError):
            yield HostConnection(path, timeout)
