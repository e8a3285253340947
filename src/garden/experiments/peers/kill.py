"""What becomes of messages when hosts are killed for real: `garden peers kill`.

Every host is a process of its own on this machine. While messages are under way, some hosts are
killed with SIGKILL. Messages count whose sender and target live and are joined by living peers.
"""

from __future__ import annotations

import base64
import os
import selectors
import signal
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from garden.errors import DataError, SpecError, expect_count
from garden.experiments.peers.network_cut import cut_network, roster_for_tests
from garden.experiments.peers.report import PeerReport, endings_in_numbers
from garden.graphs.graph import Graph
from garden.peers.envelopes import MAX_HOPS
from garden.peers.network.control_client import HostConnection
from garden.peers.network.launch import launch, secrets_files
from garden.peers.network.overview import wait_until_settled
from garden.peers.network.requests import GetCard, SendText, Watch
from garden.process_settings import usable_threads
from garden.random_streams import KILLED_HOSTS
from garden.search.progress import Progress, silent

SETTLING = 600.0  # seconds that hosts may take until all links are open and sketches settled
ENDING = 420.0  # seconds in which every message must have ended


@dataclass(frozen=True)
class KillReport(PeerReport):
    """What became of the messages between living, joined peers."""

    graph: str
    strategy: str
    memory: str
    seed: int
    num_peers: int
    hosts: int
    killed: int
    pace_ms: int
    """Between two messages; 0: all were sent at once."""

    patience: int
    """How many times longer than by default agents waited for each other."""

    cores: int
    """Of the machine that ran all hosts."""

    messages: int
    under_way: int
    """Messages that had not ended when the hosts were killed."""

    delivered: int
    failed: int
    unknown: int
    never_ended: int
    ended_twice: int
    handed_over_twice: int
    delivery_rate: float
    delivery_rate_ci: tuple[float, float]
    """Wilson's 95 % interval."""

    reasons: dict[str, int]
    """Why messages failed or are unknown."""

    mean_hops: float
    mean_tries: float
    mean_attempts: float
    seconds_to_settle: float
    """From the start of the first process until all links were open and nobody had news."""

    seconds_to_end: float
    """From the first message to the last ending."""

    host_memory_mb: tuple[float, float]
    """Resident memory of a settled host: mean and most."""


@dataclass
class _Seen:
    """What the hosts have told so far."""

    ids: frozenset[str]  # of the messages that count; peers also leave cards with each other
    endings: dict[str, list[SimpleNamespace]] = field(default_factory=dict)
    received: Counter[str] = field(default_factory=Counter)

    def note(self, event: dict[str, Any]) -> None:
        if event.get("id") not in self.ids:
            return
        if event["kind"] == "ended":
            self.endings.setdefault(event["id"], []).append(SimpleNamespace(**event))
        elif event["kind"] == "received":
            self.received[event["id"]] += 1


def measure_kill(
    graph: Graph,
    strategy: str = "beacons+backtrack",
    *,
    hosts: int | None = None,
    killed: int = 15,
    messages: int = 1_000,
    patience: int = 4,
    pace: int = 0,
    seed: int = 0,
    progress: Progress = silent,
) -> KillReport:
    """Run hosts as processes, kill some while messages are under way, and count.

    Args:
        graph: The graph that peers are cut from.
        strategy: What they run.
        hosts: How many processes; by default one per peer.
        killed: How many of them are killed.
        messages: How many messages are sent.
        patience: How many times longer than by default agents wait for each other.
        pace: Milliseconds between two messages; hosts are killed when half of them were sent, or
            all of them where that is 0.
        seed: Fixes keys, who is killed and who sends to whom; times are real.
        progress: Called as messages end.
    """
    expect_count("messages", messages)
    count = graph.num_nodes if hosts is None else hosts
    if not 1 <= count <= graph.num_nodes or not 0 <= killed < count:
        raise SpecError(
            f"`killed={killed}` of {count} hosts: choose fewer, of at most one per peer"
        )
    rng = np.random.default_rng([seed, KILLED_HOSTS])
    gone = rng.choice(count, killed, replace=False)
    living = np.flatnonzero(~np.isin(np.arange(graph.num_nodes) % count, gone))
    pairs = _pairs(graph, living, messages, rng)
    with tempfile.TemporaryDirectory(prefix="peers-") as place, ExitStack() as stack:
        folder, run = Path(place) / "cut", Path(place) / "run"
        addresses = _free_addresses(count)
        roster = roster_for_tests(graph.node_names, addresses, seed)
        cut_network(graph, strategy, folder, roster, test_keys=(seed, addresses))
        began = time.monotonic()
        files = secrets_files(folder, run, [])
        pids: list[int] = []
        stack.callback(_kill_all, pids)
        pids += launch(folder, run, files, patience)
        settled = wait_until_settled(run, count, SETTLING)
        to_settle = time.monotonic() - began
        network = [
            stack.enter_context(HostConnection(run / f"{path.stem}.sock", timeout=60.0))
            for path in files
        ]
        doomed = [pids[number] for number in gone]
        outcome = _send_and_kill(graph, network, pairs, doomed, pace, progress)
    memory = [one["memory_mb"] for one in settled["hosts"]]
    return KillReport(
        graph=graph.name,
        strategy=settled["strategy"],
        memory=settled["memory"],
        seed=seed,
        num_peers=graph.num_nodes,
        hosts=count,
        killed=killed,
        pace_ms=pace,
        patience=patience,
        cores=usable_threads(),
        messages=messages,
        seconds_to_settle=round(to_settle, 2),
        host_memory_mb=(round(float(np.mean(memory)), 1), max(memory)),
        **outcome,
    )


def _send_and_kill(
    graph: Graph,
    network: Sequence[HostConnection],
    pairs: Sequence[tuple[int, int]],
    gone: Sequence[int],
    pace: int,
    progress: Progress,
) -> dict[str, Any]:
    """Send all messages, kill, and wait until they have ended; what a report says of that."""
    count, names = len(network), graph.node_names
    cards = {
        target: base64.b64decode(network[target % count].answer_to(GetCard(names[target]))["card"])
        for target in {target for _, target in pairs}
    }
    ids = [os.urandom(16).hex() for _ in pairs]
    seen, limit = _Seen(frozenset(ids)), min(4 * graph.num_nodes, MAX_HOPS)
    with selectors.DefaultSelector() as selector:
        for host in network:
            host.answer_to(Watch())
            selector.register(host, selectors.EVENT_READ)
        began = time.monotonic()
        under_way, kill_after = 0, len(ids) // 2 if pace else len(ids)
        for number, (source, target) in enumerate(pairs, start=1):
            text = SendText(names[source], cards[target], "", ids[number - 1], limit)
            network[source % count].ask(text)
            if pace:
                time.sleep(pace / 1_000)
                _read(selector, seen, 0.0)
            if number == kill_after:
                _read(selector, seen, 0.0)
                under_way = number - len(seen.endings)
                _kill_all(gone)
        while len(seen.endings) < len(ids) and time.monotonic() - began < ENDING:
            _read(selector, seen, 1.0)
            progress("messages", len(seen.endings), len(ids))
        seconds = time.monotonic() - began
        _read(selector, seen, 2.0)  # what is handed over twice may come late
    ended = [one[0] for one in seen.endings.values()]
    return {
        "under_way": under_way,
        "never_ended": len(ids) - len(ended),
        # a sender is told the end of its message once as its sender and once as a watcher
        "ended_twice": sum(len(one) > 2 for one in seen.endings.values()),
        "handed_over_twice": sum(times > 1 for times in seen.received.values()),
        "seconds_to_end": round(seconds, 2),
        **endings_in_numbers(ended, len(ids)),
    }


def _read(selector: selectors.BaseSelector, seen: _Seen, timeout: float) -> None:
    for key, _ in selector.select(timeout):
        host = key.fileobj
        assert isinstance(host, HostConnection)
        try:
            replies = host.replies()
        except DataError:  # killed
            selector.unregister(host)
            continue
        for reply in replies:
            seen.note(reply)


def _pairs(
    graph: Graph, living: np.ndarray, count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Living sources and targets that living nodes join."""
    labels = graph.subgraph(living).components()
    sources = np.flatnonzero(np.bincount(labels)[labels] > 1)
    if len(sources) == 0:
        raise SpecError(f"{graph.name}: no two living peers are joined: kill fewer")
    pairs: list[tuple[int, int]] = []
    while len(pairs) < count:
        source, target = rng.choice(sources, 2)
        if source != target and labels[source] == labels[target]:
            pairs.append((int(living[source]), int(living[target])))
    return pairs


def _free_addresses(count: int) -> list[str]:
    """Addresses on this machine that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]


def _kill_all(pids: Sequence[int]) -> None:
    """End all hosts that are left."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
