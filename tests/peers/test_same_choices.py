"""Simulator and peers take the same path, hop for hop."""

import numpy as np
import pytest

import garden
from garden.models.export import export_policy
from garden.models.policy import Policy
from garden.search.rounds import representations_of
from garden.search.walk import walk_by_keys
from garden.strategies.registry import RULES
from garden.strategies.representations import concatenated

STRATEGIES = (
    "random", "greedy", "distance", "connection", "lookahead", "bidirectional", "evn", "beacons",
)  # fmt: skip


def different_paths(peers, num_messages):
    """The messages whose path in virtual time is not the simulator's."""
    network, graph = peers.network, peers.graph
    network.settle()
    rows = concatenated([agent.row for agent in peers.agents])
    keys = np.array(peers.keys, dtype=np.uint64)
    rng = np.random.default_rng(1)
    pairs = [rng.choice(graph.num_nodes, 2, replace=False).tolist() for _ in range(num_messages)]
    limit = 4 * graph.num_nodes
    ids = [peers.send(source, target, hop_limit=limit) for source, target in pairs]
    network.finish(ids)
    found = []
    for (source, target), message_id in zip(pairs, ids, strict=True):
        walk = walk_by_keys(
            graph, peers.strategy, rows, source, target, peers.memory, limit, keys,
            int.from_bytes(message_id, "little"),
        )  # fmt: skip
        if peers.path(source, message_id) != walk.nodes:
            found.append((source, target))
    return found


@pytest.mark.parametrize("memory", ["none", *RULES])
@pytest.mark.parametrize("name", STRATEGIES)
def test_peers__take_the_simulators_paths_on_a_generated_graph(peers_of, generated, name, memory):
    assert different_paths(peers_of(generated, f"{name}+{memory}"), 10) == []


@pytest.mark.parametrize("memory", ["none", *RULES])
@pytest.mark.parametrize("name", ["greedy", "bidirectional", "universal", "beacons"])
def test_peers__take_the_simulators_paths_on_facebook(peers_of, real_data, name, memory):
    graph = garden.load("facebook:414")
    assert different_paths(peers_of(graph, f"{name}+{memory}"), 50) == []


@pytest.mark.parametrize("name", ["lookahead", "bidirectional", "universal"])
def test_peers__take_the_simulators_paths_with_explore(peers_of, generated, name):
    assert different_paths(peers_of(generated, f"{name}+explore"), 20) == []


def test_peers__take_the_simulators_paths_with_explore_on_facebook(peers_of, real_data):
    graph = garden.load("facebook:414")
    assert different_paths(peers_of(graph, "universal+explore"), 50) == []


@pytest.mark.parametrize("memory", ["none", *RULES])
@pytest.mark.parametrize("name", ["beacons:k=1,paths=1", "beacons:k=4,paths=3,neighbours=2"])
def test_peers__with_paths_in_rows_take_the_simulators_paths(peers_of, generated, name, memory):
    assert different_paths(peers_of(generated, f"{name}+{memory}"), 30) == []


@pytest.mark.parametrize("memory", ["none", *RULES])
def test_peers__with_an_export_take_the_simulators_paths(
    peers_of, generated, tmp_path_factory, memory
):
    folder = tmp_path_factory.getbasetemp() / "trellis-for-paths"
    if not folder.exists():
        names, profiles = generated.attribute_names, generated.attributes
        export_policy(Policy.untrained(names, "trellis", profiles=profiles), folder)
    assert different_paths(peers_of(generated, f"{folder}+{memory}"), 10) == []


@pytest.mark.parametrize("paths", [0, 1, 4])
def test_peers__settle_to_the_rows_that_the_simulator_builds(peers_of, generated, paths):
    peers = peers_of(generated, f"beacons:k=4,paths={paths}")
    peers.network.settle()
    ours = concatenated([agent.row for agent in peers.agents])
    built = representations_of(generated, peers.strategy)
    for name, ragged in built.ragged.items():
        assert ours.ragged[name].values.tolist() == ragged.values.tolist()
        assert ours.ragged[name].offsets.tolist() == ragged.offsets.tolist()


def test_hops__draw_other_numbers_at_another_attempt(peers_of, generated):
    rows = representations_of(generated, peers_of(generated, "random").strategy)
    peers = peers_of(generated, "random")
    keys = np.array(peers.keys, dtype=np.uint64)
    walks = [
        walk_by_keys(generated, peers.strategy, rows, 0, 50, peers.memory, 100, keys, 7, attempt)
        for attempt in (0, 0, 1)
    ]
    assert walks[0].nodes == walks[1].nodes
    assert walks[0].nodes != walks[2].nodes
