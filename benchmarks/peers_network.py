"""Peers over ZeroMQ: from an envelope to its acknowledgement, beside a bare ping-pong.

Two processes on this machine each run half of the agents. A message goes out, and the time until
the next holder's acknowledgement is there is measured where that one is in the other process. The
ping-pong is a frame of the same size over a CURVE connection of the same library and back. Both are
measured in turn, a hundred at a time, so that other work on the machine meets both.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np
import zmq

import garden
from _timing import report
from garden.experiments.peers.network_cut import cut_network, roster_for_tests
from garden.peers.config import AgentConfig
from garden.peers.envelopes import Ack, Envelope
from garden.peers.keys import HostKeys
from garden.peers.network.events import Event as HostEvent
from garden.peers.network.events import Finished, Passed
from garden.peers.network.host import Host
from garden.peers.network.host_folder import host_of, read_test_secrets
from garden.peers.network.roster import HostSecrets

SPEC = "facebook:414" if os.environ.get("GARDEN_DATA") else "kaiser-hilgetag:n=148,beta=1,seed=0"
STRATEGIES = ("random", "beacons+backtrack")
ROUNDS, PER_ROUND = 20, 100
FRAME = 1_000  # bytes, about a message with a card of beacons
HOP_LIMIT = 16  # the first hop is measured; walks that go on are not waited for
ONE_ATTEMPT = AgentConfig(attempts=1)


def free_address() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


def echo(address: str, keys: HostKeys, stop: Event) -> None:
    """Send every frame back, in a process of its own."""
    server = zmq.Context().socket(zmq.ROUTER)
    server.curve_server, server.curve_secretkey = True, keys.secret
    server.curve_publickey = keys.public
    server.bind(f"tcp://{address}")
    while not stop.is_set():
        if server.poll(200):
            server.send_multipart(server.recv_multipart())
    server.close(0)


class PingPong:
    """The bare round trip."""

    def __init__(self, stop: Event) -> None:
        server, client = HostKeys.new(), HostKeys.new()
        address = free_address()
        self.process = multiprocessing.Process(target=echo, args=(address, server, stop))
        self.process.start()
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.curve_serverkey = server.public
        self.socket.curve_secretkey, self.socket.curve_publickey = client.secret, client.public
        self.socket.connect(f"tcp://{address}")
        self.times()

    def times(self) -> list[float]:
        """Microseconds of a hundred round trips."""
        found, frame = [], bytes(FRAME)
        for _ in range(PER_ROUND):
            start = time.perf_counter()
            self.socket.send(frame)
            self.socket.recv()
            found.append((time.perf_counter() - start) * 1e6)
        return found


def run_host(folder: Path, secrets: HostSecrets, stop: Event) -> None:
    """The other half of the agents, in a process of its own."""
    host = host_of(folder, secrets)
    host.start()
    freeze()
    while not stop.is_set():
        host.step(200)
    host.close()


class Acknowledged:
    """The times from envelopes to their acknowledgements, at one host."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.found: list[float] = []
        self.sent: dict[tuple[bytes, int, int], float] = {}
        self.ended = 0
        host.watch(self.note)
        self.hand: Callable[[Collection[Envelope]], None] = host._hand
        host._hand = self.arrived  # type: ignore[method-assign]

    def note(self, event: HostEvent) -> None:
        """Keep when an envelope goes out, and count endings."""
        if isinstance(event, Passed) and event.neighbour not in self.host.agents:
            self.sent.setdefault((event.id, event.attempt, event.hop), time.perf_counter())
        self.ended += isinstance(event, Finished)

    def arrived(self, envelopes: Collection[Envelope]) -> None:
        """Keep how long an acknowledgement took."""
        for _, _, body in envelopes:
            if isinstance(body, Ack):
                start = self.sent.pop((body.id, body.attempt, body.hop), None)
                if start is not None and body.hop == 1:
                    self.found.append((time.perf_counter() - start) * 1e6)
        self.hand(envelopes)


def acknowledgements(name: str, ping: PingPong, stop: Event) -> tuple[list[float], list[float]]:
    """Microseconds until acknowledgements, and of ping-pongs, measured in turn."""
    graph = garden.load(SPEC)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "peers"
        addresses = [free_address(), free_address()]
        roster = roster_for_tests(graph.node_names, addresses, 0)
        cut_network(graph, name, folder, roster, test_keys=(0, addresses))
        ours, theirs = read_test_secrets(folder)
        cards = {}
        process = multiprocessing.Process(target=run_host, args=(folder, theirs, stop))
        process.start()
        host = host_of(folder, ours, ONE_ATTEMPT)
        host.start()
        settle(host)
        freeze()
        cards = [host.card_of(key) for key in host.agents]
        times, rng, pings = Acknowledged(host), np.random.default_rng(0), []
        for _ in range(ROUNDS):
            pings += ping.times()
            for _ in range(PER_ROUND):
                source, target = rng.choice(len(cards), 2, replace=False)
                before = times.ended
                card = cards[target]
                host.send_text(cards[source].card.key, card, b"", hop_limit=HOP_LIMIT)
                while times.ended == before:
                    host.step(100)
        stop.set()
        process.join()
        host.close()
    return times.found, pings


def freeze() -> None:
    """What hosts do once their agents are built: these need not be looked through again."""
    gc.collect()
    gc.freeze()


def settle(host: Host) -> None:
    """Until all links are open and nothing has come for a second."""
    quiet = time.monotonic()
    while time.monotonic() - quiet < 1:
        before = host.counts.received
        host.step(20)
        links = all(
            len(host.open_links(key)) == len(one.view.neighbours)
            for key, one in host.members.items()
        )
        if host.counts.received != before or not links or not host.is_settled:
            quiet = time.monotonic()


def main() -> None:
    multiprocessing.set_start_method("spawn")
    rows, content = [], {}
    for name in STRATEGIES:
        stop = multiprocessing.Event()
        ping = PingPong(stop)
        acks, pings = acknowledgements(name, ping, stop)
        ping.process.join()
        p50, p99 = np.percentile(acks, [50, 99])
        bare50, bare99 = np.percentile(pings, [50, 99])
        rows.append(
            (name, f"{p50:.0f}", f"{p99:.0f}", f"{bare50:.0f}", f"{bare99:.0f}",
             f"{p50 / bare50:.2f}", f"{p99 / bare99:.2f}")
        )  # fmt: skip
        content[name] = {
            "acknowledged_us": {"p50": p50, "p99": p99, "count": len(acks)},
            "ping_pong_us": {"p50": bare50, "p99": bare99, "count": len(pings)},
            "ratio": {"p50": p50 / bare50, "p99": p99 / bare99},
        }
    columns = ("strategy", "p50 µs", "p99 µs", "ping p50", "ping p99", "p50 ratio", "p99 ratio")
    note = "without numba" if os.environ.get("GARDEN_KERNELS") == "0" else "with numba"
    title = f"Envelope to acknowledgement, peers of {SPEC}, {note}"
    report(title, columns, rows, {"graph": SPEC, "kernels": note, "strategies": content})


if __name__ == "__main__":
    sys.exit(main())
