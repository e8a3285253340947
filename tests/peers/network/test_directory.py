"""Finding agents by their profile alone, with a directory dead as well."""

import itertools

import msgspec
import numpy as np
import pytest

from garden.errors import StrategyError
from garden.graphs.graph import Graph
from garden.peers.network import directory
from garden.peers.network.directory import DirectoryService
from garden.peers.network.payloads import LeftCard


@pytest.fixture
def served(network_of, monkeypatch):
    """Five hosts of one agent each, all of them linked; their cards are with their directories."""
    edges = np.array(list(itertools.combinations(range(5), 2)))
    graph = Graph.from_edges(edges, 5, np.eye(5, dtype=np.float32), name="all linked")
    for name, value in (("INTERVAL", 20), ("PATIENCE", 1_500)):
        monkeypatch.setattr(directory, name, value)
    network = network_of(graph, hosts=5)
    network.settle()
    services = [DirectoryService(host) for host in network.hosts]
    network.run_until(lambda: sum(one.num_kept for one in services) >= 10)
    network.run_until(lambda: not any(host.under_way for host in network.hosts))
    return network, services


def found_by(network, service, source, profile):
    found = []
    service.find(network.keys[source], profile, lambda cards: found.append(cards))
    network.run_until(lambda: found)
    return [card.card.key for card in found[0]]


def test_directory__gives_the_card_of_a_profile(served):
    network, services = served
    for source, target in ((0, 3), (3, 0), (1, 2), (4, 4)):
        profile = services[target].profile_of(network.keys[target])
        assert found_by(network, services[source], source, profile) == [network.keys[target]]
    assert found_by(network, services[0], 0, 12345) == []


def test_directory__answers_with_the_responsible_beacon_dead(served):
    network, services = served
    profile = services[1].profile_of(network.keys[1])
    both = [
        network.keys.index(one.key) for one in services[1]._directories(network.keys[1], profile)
    ]
    source = next(node for node in range(2, 5) if node not in both)
    network.hosts[both[0]].close()
    network.hosts = [host for host in network.hosts if network.keys[both[0]] not in host.agents]
    assert found_by(network, services[source], source, profile) == [network.keys[1]]


def test_directory__keeps_no_card_that_its_agent_has_not_signed(served):
    network, services = served
    member = network.hosts[1].members[network.keys[1]]
    card = network.hosts[0].card_of(network.keys[0])
    before = services[1].num_kept
    services[1]._take(member, LeftCard(7, msgspec.structs.replace(card, row=b"attractive")))
    assert services[1].num_kept == before
    services[1]._take(member, LeftCard(7, card))
    assert services[1].num_kept == before + 1


def test_directory__keeps_so_many_cards_and_no_more(served, monkeypatch):
    monkeypatch.setattr(directory, "MAX_PROFILES", 20)
    network, services = served
    member, card = (
        network.hosts[1].members[network.keys[1]],
        network.hosts[0].card_of(network.keys[0]),
    )
    for profile in range(50):
        services[1]._take(member, LeftCard(profile, card))
    assert services[1].num_kept == 20


def test_directory__needs_beacons(network_of, path_graph):
    network = network_of(path_graph, name="random", hosts=1)
    with pytest.raises(StrategyError, match="needs beacons"):
        DirectoryService(network.hosts[0])
