"""The sockets of one host: it listens on one, and sends on one to each other host.

All connections are CURVE: a host proves its key, and is let in (by ZAP, RFC 27) only where its key
is among those admitted. Each frame that comes in is given with the key that its connection proved.
Queues are bounded: what does not fit, or goes to a host that is not connected, is refused at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, final

import zmq

from garden.errors import DataError
from garden.peers.keys import HostKeys
from garden.peers.network.wire import MAX_FRAME

QUEUE: Final = 1_000  # frames per connection and direction
RECONNECT: Final = (100, 5_000)  # ms between two tries to reach a host: the first wait, the longest
HANDSHAKE: Final = 120_000  # ms in which two hosts get to know each other: both may be busy
KEEP_ALIVE: Final = (15, 5, 3)  # s of silence, s between two questions, questions
UNREACHED: Final = 30_000  # ms after which a connection over which nothing arrives is closed
_ZAP_ADDRESS: Final = "inproc://zeromq.zap.01"
_ZAP_FRAMES: Final = 7


@final
class HostSockets:
    """The sockets of one host; for one thread."""

    def __init__(self, keys: HostKeys, address: str, admitted: Mapping[bytes, str]) -> None:
        """Open them.

        Args:
            keys: The host's.
            address: Where it listens, as in ``127.0.0.1:7100``.
            admitted: The addresses of hosts that may speak, by their public keys.
        """
        self._keys = keys
        self._addresses = dict(admitted)
        self._ways: dict[bytes, zmq.Socket[bytes]] = {}
        self.refused = 0  # handshakes of strangers
        self.context = zmq.Context()
        self._zap = self.context.socket(zmq.ROUTER)
        self._zap.linger = 0
        self._zap.bind(_ZAP_ADDRESS)
        self._incoming = self._listening(address)
        self.poller = zmq.Poller()
        self.poller.register(self._incoming, zmq.POLLIN)
        self.poller.register(self._zap, zmq.POLLIN)

    def admit(self, host_key: bytes, address: str) -> None:
        """Let one more host speak.

        Args:
            host_key: Its public key, 32 bytes.
            address: Where it listens, as in ``127.0.0.1:7100``.
        """
        self._addresses[host_key] = address

    def wait(self, milliseconds: int) -> list[Any]:
        """Wait until something can be read; handshakes are answered.

        Returns:
            The sockets and file descriptors of :attr:`poller` that can be read.

        """
        ready = [one for one, _ in self.poller.poll(max(0, milliseconds))]
        if self._zap in ready:
            self._answer_handshakes()
        return ready

    def received(self) -> Iterator[tuple[bytes, bytes]]:
        """What has come in, until there is no more: each frame, and the key of its host."""
        while True:
            try:
                parts = self._incoming.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            if len(parts) == 2:
                user = parts[1].get("User-Id")
                yield bytes.fromhex(str(user)), parts[1].bytes

    def send(self, host_key: bytes, data: bytes) -> bool:
        """Send a frame to a host: whether there was room for it.

        Args:
            host_key: The public key of a host that was admitted.
            data: The frame.
        """
        way = self._ways.get(host_key)
        if way is None:
            way = self._ways[host_key] = self._way_to(host_key)
        try:
            way.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def close(self) -> None:
        """Close all of them; what still waits to be sent is dropped."""
        for socket in (self._incoming, self._zap, *self._ways.values()):
            socket.close(linger=0)
        self.context.term()

    def _listening(self, address: str) -> zmq.Socket[bytes]:
        socket = self._encrypted(zmq.ROUTER)
        socket.curve_server = True
        socket.zap_domain = b"garden"
        socket.maxmsgsize = MAX_FRAME
        socket.rcvhwm = QUEUE
        try:
            socket.bind(f"tcp://{address}")
        except zmq.ZMQError as error:
            socket.close()
            self._zap.close()
            self.context.term()
            raise DataError(f"{address}: cannot listen there ({error})") from None
        return socket

    def _way_to(self, host_key: bytes) -> zmq.Socket[bytes]:
        socket = self._encrypted(zmq.DEALER)
        socket.curve_serverkey = host_key
        socket.sndhwm = QUEUE
        socket.immediate = True  # frames wait for a connection that is there, never for a host
        socket.reconnect_ivl, socket.reconnect_ivl_max = RECONNECT
        # not ZMTP's heartbeats: with a full queue at the other end they can end it (libzmq #4364)
        socket.tcp_keepalive = 1
        socket.tcp_keepalive_idle, socket.tcp_keepalive_intvl, socket.tcp_keepalive_cnt = KEEP_ALIVE
        socket.set(zmq.TCP_MAXRT, UNREACHED)
        socket.connect(f"tcp://{self._addresses[host_key]}")
        return socket

    def _encrypted(self, kind: int) -> zmq.Socket[bytes]:
        """A socket with the host's keys that is neither bound nor connected."""
        socket = self.context.socket(kind)
        socket.curve_secretkey = self._keys.secret
        socket.curve_publickey = self._keys.public
        socket.handshake_ivl = HANDSHAKE
        socket.linger = 0
        return socket

    def _answer_handshakes(self) -> None:
        """Say of each host that wants to connect whether it may: by its key alone."""
        while True:
            try:
                parts = self._zap.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            route, request = parts[:2], parts[2:]  # an empty frame ends the route
            if len(request) < _ZAP_FRAMES:
                continue
            known = request[5] == b"CURVE" and request[6] in self._addresses
            self.refused += not known
            code, text = (b"200", b"OK") if known else (b"400", b"no")
            user = request[6].hex().encode() if known else b""
            self._zap.send_multipart([*route, b"1.0", request[1], code, text, user, b""])
