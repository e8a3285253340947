"""ZeroMQ, virtual time and the simulator: the same message takes the same path."""

import os
from pathlib import Path

import numpy as np
import pytest

import garden
from garden.models.export import export_policy
from garden.models.policy import Policy
from garden.peers.agent import Agent
from garden.peers.envelopes import Message
from garden.peers.messages import Card
from garden.peers.virtual_time import VirtualNetwork
from garden.search.walk import walk_by_keys
from garden.strategies.exported import Exported
from garden.strategies.representations import concatenated

DATA = Path(os.environ.get("GARDEN_DATA", "")) / "facebook" / "414.edges"
SPEC = "facebook:414" if DATA.is_file() else "kaiser-hilgetag:n=148,beta=1,seed=0"


@pytest.fixture(scope="module")
def graph():
    return garden.load(SPEC)


def virtual_paths(network, agents, messages, limit):
    """The path of each message in virtual time, sent with the ids that ZeroMQ sent it with."""
    keys, paths = network.keys, {}
    virtual = VirtualNetwork(agents, seed=0)
    virtual.settle()

    def note(_now, envelope):
        if isinstance(envelope.body, Message):
            holders = paths.setdefault(envelope.body.id, {})
            holders[envelope.body.hop] = keys.index(envelope.receiver)

    virtual.watch(note)
    for message_id, (source, target) in messages.items():
        card = Card(keys[target], agents[target].card.row)
        actions = agents[source].send(card, b"", message_id, bytes(16), virtual.now, limit)
        virtual._act(keys[source], actions)
    virtual.finish(messages)
    return {
        one: (messages[one][0], *(holders[hop] for hop in sorted(holders)))
        for one, holders in paths.items()
    }


def check_same_paths(network, graph, num_messages):
    """Send messages over ZeroMQ, and hold their paths to those of virtual time and simulator."""
    network.settle()
    rng = np.random.default_rng(1)
    limit = 4 * graph.num_nodes
    pairs = [rng.choice(graph.num_nodes, 2, replace=False).tolist() for _ in range(num_messages)]
    messages = {network.send(*pair, hop_limit=limit): pair for pair in pairs}
    network.run_until(lambda: len(network.endings()) == len(messages))
    programme = network.hosts[0].programme
    members = {key: one for host in network.hosts for key, one in host.members.items()}
    agents = [
        Agent(members[key].view, programme.strategy, programme.memory) for key in network.keys
    ]
    virtual = virtual_paths(network, agents, messages, limit)
    rows = concatenated([agent.row for agent in agents])
    keys = np.array(network.keys, dtype=np.uint64)
    for one, (source, target) in messages.items():
        walk = walk_by_keys(
            graph, programme.strategy, rows, source, target, programme.memory, limit, keys,
            int.from_bytes(one, "little"),
        )  # fmt: skip
        assert network.path(source, one) == virtual[one] == walk.nodes
    return [one for one in messages if network.endings()[one] == "delivered"]


@pytest.mark.parametrize(
    "name", ["beacons+backtrack", "beacons:k=2,paths=2+backtrack", "bidirectional+visited"]
)
def test_zeromq__virtual_time_and_simulator_take_the_same_paths(network_of, graph, name):
    network = network_of(graph, name=name, hosts=4)
    assert len(check_same_paths(network, graph, 50)) > 25


@pytest.mark.parametrize("model", ["trellis", "garden"])
def test_zeromq__with_an_export_takes_the_same_paths(network_of, tmp_path, model):
    graph = garden.load("kaiser-hilgetag:n=60,beta=1,seed=0")
    names, profiles = graph.attribute_names, graph.attributes
    export_policy(Policy.untrained(names, model, profiles=profiles), tmp_path / "export")
    network = network_of(graph, name=f"{tmp_path / 'export'}+backtrack", hosts=4)
    assert isinstance(network.hosts[0].programme.strategy, Exported)
    assert len(check_same_paths(network, graph, 20)) > 10
