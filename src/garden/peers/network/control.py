"""The control socket of a host: a Unix socket that its owner alone can open.

Requests (:mod:`.requests`) and replies are lines of JSON. Queues are bounded: a client that does
not read is dropped. What is asked is answered in :mod:`.answering`.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import msgspec
import zmq

from garden.errors import DataError
from garden.peers.network.private_files import OWNER_ALONE, private_folder

MAX_CLIENTS: Final = 64
MAX_LINE: Final = 1 << 17  # bytes of a request
MAX_WAITING: Final = 1 << 24  # bytes of replies that a client has not read
MAX_PATH: Final = 100  # bytes; systems allow a little more
_CREDENTIALS: Final = struct.Struct("3i")

Reply: TypeAlias = Callable[[Mapping[str, Any]], bool]  # whether the client is still there
Answerer: TypeAlias = Callable[[bytes, Reply], None]  # a line, and how to reply to it


@final
class Client:
    """One connection to the control socket, with the bytes that are under way on it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.incoming = bytearray()
        self.outgoing = bytearray()
        self.is_closed = False


@final
class ControlServer:
    """Listens at a path, within the loop of a host."""

    def __init__(self, path: Path, poller: zmq.Poller, answer: Answerer) -> None:
        """Listen.

        Args:
            path: Where; its folder is made private.
            poller: The host's, which says when there is something to read.
            answer: Is handed each line, and how to reply.
        """
        private_folder(path.parent)
        if len(os.fsencode(path)) > MAX_PATH:
            raise DataError(f"{path}: is too long for a socket: name a shorter `run` folder")
        self._path = path
        self._poller = poller
        self._answer = answer
        self._clients: dict[int, Client] = {}
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listen()
        poller.register(self._server.fileno(), zmq.POLLIN)

    def handle(self, ready: list[Any]) -> None:
        """Read from, and write to, those that are ready.

        Args:
            ready: Sockets and descriptors, as the poller gives them.
        """
        if self._server.fileno() in ready:
            self._accept()
        for handle in ready:
            client = self._clients.get(handle) if isinstance(handle, int) else None
            if client is not None:
                self._flush(client)
                self._read(client)

    def close(self) -> None:
        """Close all connections, and remove the socket."""
        for client in list(self._clients.values()):
            self._flush(client)
            self._drop(client)
        self._poller.unregister(self._server.fileno())
        self._server.close()
        self._path.unlink(missing_ok=True)

    def _listen(self) -> None:
        try:
            self._path.unlink(missing_ok=True)
            before = os.umask(0o177)  # the socket has mode 0600 from the start
            try:
                self._server.bind(os.fspath(self._path))
            finally:
                os.umask(before)
            self._path.chmod(OWNER_ALONE)
            self._server.listen(MAX_CLIENTS)
            self._server.setblocking(False)
        except OSError as error:
            self._server.close()
            raise DataError(
                f"{self._path}: no control socket there ({error.strerror or error})"
            ) from None

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            connection, _ = self._server.accept()
            if len(self._clients) >= MAX_CLIENTS or not _is_own(connection):
                connection.close()
                return
            connection.setblocking(False)
            self._clients[connection.fileno()] = Client(connection)
            self._poller.register(connection.fileno(), zmq.POLLIN)

    def _read(self, client: Client) -> None:
        try:
            data = client.connection.recv(MAX_LINE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(client)
            return
        client.incoming += data
        *lines, rest = bytes(client.incoming).split(b"\n")
        client.incoming = bytearray(rest)
        for line in lines:
            self._answer(line, lambda content: self._reply(client, content))
        if len(rest) > MAX_LINE:
            self._drop(client)

    def _reply(self, client: Client, content: Mapping[str, Any]) -> bool:
        if not client.is_closed:
            client.outgoing += msgspec.json.encode(content) + b"\n"
            self._flush(client)
        if len(client.outgoing) > MAX_WAITING:
            self._drop(client)
        return not client.is_closed

    def _flush(self, client: Client) -> None:
        if client.is_closed:
            return
        try:
            while client.outgoing:
                del client.outgoing[: client.connection.send(client.outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)
            return
        events = zmq.POLLIN | (zmq.POLLOUT if client.outgoing else 0)
        self._poller.register(client.connection.fileno(), events)

    def _drop(self, client: Client) -> None:
        if client.is_closed:
            return
        client.is_closed = True
        handle = client.connection.fileno()
        self._poller.unregister(handle)
        del self._clients[handle]
        client.connection.close()


def _is_own(connection: socket.socket) -> bool:
    """Whether the other end is a process of the same user."""
    if not hasattr(socket, "SO_PEERCRED"):  # systems where the socket's mode must do
        return True
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(found)[1] == os.getuid())
