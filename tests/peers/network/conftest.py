"""Hosts in one process, each with sockets of its own, stepped in turn."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack

import pytest

from garden.experiments.peers.network_cut import cut_network, roster_for_tests
from garden.peers.config import AgentConfig
from garden.peers.network.events import Finished, Passed, Received
from garden.peers.network.host_folder import host_of, read_test_secrets

PATIENCE = 60  # seconds, for machines that are busy with other work
CALM = AgentConfig(ack_wait=20_000, receipt_wait=0)  # a slow machine is no lost envelope


def _free_addresses(count):
    """Addresses that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]


class Network:
    """Hosts of a folder of peers, cut for them."""

    def __init__(self, graph, folder, name="beacons+backtrack", hosts=3, config=CALM):
        self.graph, self.folder, self.config = graph, folder, config
        addresses = _free_addresses(hosts)
        roster = roster_for_tests(graph.node_names, addresses, 0)
        cut_network(graph, name, folder, roster, test_keys=(0, addresses))
        self.keys = [roster[name].key for name in graph.node_names]
        self.secrets = read_test_secrets(folder)
        self.events = []
        self.hosts = [self.up(one) for one in self.secrets]

    def up(self, secrets):
        host = host_of(self.folder, secrets, self.config)
        host.watch(self.events.append)
        host.start()
        return host

    def host_of(self, key):
        return next(host for host in self.hosts if key in host.agents)

    def run_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "the hosts did not get there"
            for host in self.hosts:
                host.step(1)

    def run_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for host in self.hosts:
                host.step(1)

    def settle(self):
        self.run_until(self.is_settled)

    def is_settled(self):
        return all(host.is_settled for host in self.hosts) and all(
            len(host.open_links(key)) == len(member.view.neighbours)
            for host in self.hosts
            for key, member in host.members.items()
        )

    def send(self, source, target, text=b"hello", **options):
        one, other = self.keys[source], self.keys[target]
        card = self.host_of(other).card_of(other)
        return self.host_of(one).send_text(one, card, text, **options)

    def endings(self):
        return {e.ended.id: e.ended.ending for e in self.events if isinstance(e, Finished)}

    def received(self):
        return [event for event in self.events if isinstance(event, Received)]

    def path(self, source, message_id):
        holders = {
            event.hop: event.neighbour
            for event in self.events
            if isinstance(event, Passed) and event.id == message_id
        }
        return (source, *(self.keys.index(holders[hop]) for hop in sorted(holders)))

    def close(self):
        for host in self.hosts:
            host.close()


@pytest.fixture
def free_addresses():
    return _free_addresses


@pytest.fixture
def network_of(tmp_path):
    made = []

    def make(*arguments, **options):
        made.append(Network(*arguments, folder=tmp_path / f"peers{len(made)}", **options))
        return made[-1]

    yield make
    for network in made:
        network.close()
