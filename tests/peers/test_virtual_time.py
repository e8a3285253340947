"""Virtual time: faults from one seed, repeated to the byte, and agents that cope with them."""

import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from garden.errors import SpecError
from garden.experiments.peers.cut import keys_for, views_of
from garden.graphs.graph import Graph
from garden.peers.envelopes import Announcement
from garden.peers.faults import Faults, Partition
from garden.peers.virtual_time import VirtualTimeError
from garden.search.rounds import representations_of
from garden.strategies.representations import concatenated

HOSTILE = Faults(loss=0.05, duplication=0.05, reordering=0.1, slow=0.05, clock_skew=5_000)

REPEATED = """
import garden
from garden.experiments.peers.cut import keys_for, views_of
from garden.peers.agent import Agent
from garden.peers.envelopes import Announcement
from garden.peers.faults import Faults
from garden.peers.virtual_time import VirtualNetwork
from garden.resolve import contender_named

graph = garden.load("kaiser-hilgetag:n=30,beta=1,seed=0")
contender = contender_named("beacons:k=4+backtrack")
keys = keys_for(graph, contender.strategy)
agents = [Agent(view, contender.strategy, contender.memory) for view in views_of(graph, keys)]
faults = Faults(loss=0.05, duplication=0.05, reordering=0.1, slow=0.1, clock_skew=500)
network = VirtualNetwork(agents, 3, faults, digest=True)
network.run_until(10_000)
network.crash(int(keys[3]))
for source, target in ((0, 9), (5, 20), (7, 1)):
    network.send(int(keys[source]), network.agents[int(keys[target])].card)
network.run_until(60_000)
print(network.content_hash, network.traffic)
"""


def send_many(peers, count, seed=5, among=None):
    """Messages between random agents that are up; their ids."""
    rng = np.random.default_rng(seed)
    nodes = [peers.position[key] for key in peers.network.agents] if among is None else among
    ids = []
    for _ in range(count):
        source, target = rng.choice(nodes, 2, replace=False).tolist()
        ids.append(peers.send(source, target))
    peers.network.finish(ids)
    return ids


def endings(peers, ids):
    return [peers.ending(message_id).ending for message_id in ids]


def fresh_rows(peers, kept):
    """The rows that the simulator builds on what is left of the graph, by key."""
    left = peers.graph.subgraph(np.array(sorted(kept)))
    rows = representations_of(left, peers.strategy)
    keys = keys_for(left, peers.strategy).tolist()
    return {key: rows.take(np.array([row])) for row, key in enumerate(keys)}


def assert_rows(peers, expected):
    for key, agent in peers.network.agents.items():
        ours = agent.row
        for name, ragged in expected[key].ragged.items():
            assert ours.ragged[name].values.tolist() == ragged.values.tolist(), (key, name)


def test_network__is_repeated_to_the_byte_in_another_process():
    first, second = (
        subprocess.run([sys.executable, "-c", REPEATED], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout == second.stdout
    assert len(first.stdout) > 40


def test_network__with_another_seed_is_another_one(peers_of, path_graph):
    digests = set()
    for seed in (0, 1, 1):
        peers = peers_of(path_graph, "beacons", seed=seed, digest=True)
        peers.network.run_until(5_000)
        digests.add(peers.network.content_hash)
    assert len(digests) == 2


def test_network__says_its_seed_where_an_agent_fails(peers_of, path_graph, monkeypatch):
    peers = peers_of(path_graph, "beacons", seed=12)

    def fail(envelope, now):
        raise RuntimeError("broken")

    monkeypatch.setattr(peers.agents[1], "receive", fail)
    with pytest.raises(VirtualTimeError, match=r"seed 12: agent .* failed at .* ms: broken"):
        peers.network.settle()


def test_network__announces_once_per_neighbour_and_interval(peers_of, generated):
    peers = peers_of(generated, "beacons")
    told = {}

    def note(now, envelope):
        if isinstance(envelope.body, Announcement):
            link = (envelope.sender, envelope.receiver)
            told.setdefault(link, []).append(now)

    peers.network.watch(note)
    peers.network.settle()
    gaps = [b - a for times in told.values() for a, b in pairwise(times)]
    jitter = 50 - 10
    assert min(gaps) >= peers.config.announce_interval - jitter


@pytest.mark.parametrize("name", ["beacons+backtrack", "bidirectional+backtrack"])
def test_network__delivers_each_message_once_whatever_is_lost_doubled_or_late(
    peers_of, generated, name
):
    peers = peers_of(generated, name, faults=HOSTILE)
    peers.network.run_until(30_000)
    ids = send_many(peers, 60)
    assert endings(peers, ids) == ["delivered"] * 60
    assert set(peers.network.handed_over.values()) == {1}


@pytest.mark.parametrize("name", ["beacons:k=4", "beacons:k=4,paths=2"])
def test_network__settles_anew_after_crashes_and_delivers(peers_of, generated, name):
    peers = peers_of(generated, f"{name}+backtrack")
    peers.network.settle()
    for node in (3, 17, 40, 41, 58):
        peers.network.crash(peers.keys[node])
    peers.network.run_until(peers.network.now + 40_000)
    kept = {peers.position[key] for key in peers.network.agents}
    assert_rows(peers, fresh_rows(peers, kept))
    left = generated.subgraph(np.array(sorted(kept)))
    joined = np.array(sorted(kept))[left.largest_component_nodes()].tolist()
    ids = send_many(peers, 40, among=joined)
    assert endings(peers, ids) == ["delivered"] * 40


def test_network__delivers_while_crashes_are_found_out(peers_of, generated):
    peers = peers_of(generated, "beacons+backtrack")
    peers.network.settle()
    for node in (3, 17, 40, 41, 58):
        peers.network.crash(peers.keys[node])
    kept = sorted(peers.position[key] for key in peers.network.agents)
    left = generated.subgraph(np.array(kept))
    joined = np.array(kept)[left.largest_component_nodes()].tolist()
    ids = send_many(peers, 40, among=joined)
    assert endings(peers, ids).count("delivered") >= 39
    assert set(peers.network.handed_over.values()) == {1}


@pytest.mark.parametrize("name", ["beacons:k=4", "beacons:k=4,paths=2"])
def test_network__finds_back_a_peer_that_was_restarted(peers_of, generated, name):
    peers = peers_of(generated, name)
    peers.network.settle()
    key = peers.keys[0]
    peers.network.crash(key)
    peers.network.run_until(peers.network.now + 40_000)
    back = peers.agent(peers.views[0], incarnation=1, restarted_at=peers.network.clock_of(key))
    peers.network.restart(back)
    peers.network.run_until(peers.network.now + 60_000)
    assert_rows(peers, fresh_rows(peers, range(generated.num_nodes)))


def test_network__that_was_parted_heals(peers_of, generated):
    half = frozenset(keys_for(generated, peers_of(generated, "beacons:k=4").strategy).tolist()[:30])
    faults = Faults(partitions=(Partition(5_000, 60_000, half),))
    peers = peers_of(generated, "beacons:k=4+backtrack", faults=faults)
    peers.network.run_until(50_000)
    nodes = range(generated.num_nodes)
    inside = {node for node in nodes if peers.keys[node] in half}
    apart = {**fresh_rows(peers, inside), **fresh_rows(peers, set(nodes) - inside)}
    assert_rows(peers, apart)
    peers.network.run_until(150_000)
    assert_rows(peers, fresh_rows(peers, nodes))
    assert endings(peers, send_many(peers, 20)) == ["delivered"] * 20


@pytest.mark.parametrize(
    "name", ["beacons:k=4", "beacons:k=4,paths=2", "bidirectional", "universal"]
)
def test_network__after_a_join_knows_what_a_new_cut_would_say(peers_of, generated, name):
    without = np.array([node for node in range(generated.num_nodes) if node != 7])
    peers = peers_of(generated.subgraph(without), name)
    peers.network.settle()
    whole = peers_of(generated, name)
    whole.network.settle()
    peers.network.join(peers.agent(whole.views[7]))
    peers.network.run_until(peers.network.now + 20_000)
    for key, agent in whole.network.agents.items():
        assert peers.network.agents[key].view == agent.view
    ours, theirs = (
        concatenated([some.network.agents[key].row for key in sorted(whole.keys)])
        for some in (peers, whole)
    )
    for part in ours.arrays:
        assert np.array_equal(ours.arrays[part], theirs.arrays[part])
    for part in ours.ragged:
        assert np.array_equal(ours.ragged[part].values, theirs.ragged[part].values)


@pytest.mark.parametrize("name", ["beacons:k=4", "beacons:k=4,paths=2"])
def test_network__after_a_leave_knows_what_a_new_cut_would_say(peers_of, generated, name):
    peers = peers_of(generated, name)
    peers.network.settle()
    peers.network.leave(peers.keys[7])
    peers.network.run_until(peers.network.now + 5_000)
    kept = np.array([node for node in range(generated.num_nodes) if node != 7])
    left = generated.subgraph(kept)
    for view in views_of(left, keys_for(left, peers.strategy)):
        assert peers.network.agents[view.key].view == view
    assert_rows(peers, fresh_rows(peers, kept.tolist()))


def test_faults__refuse_shares_and_latencies_that_are_none():
    with pytest.raises(SpecError, match="loss is 2"):
        Faults(loss=2)
    with pytest.raises(SpecError, match="latency"):
        Faults(latency=(5, 1))


def test_network__of_a_star_reaches_every_leaf(peers_of):
    edges = np.array([[0, leaf] for leaf in range(1, 12)])
    star = Graph.from_edges(edges, 12, name="star")
    peers = peers_of(star, "beacons+backtrack")
    peers.network.settle()
    assert endings(peers, send_many(peers, 20)) == ["delivered"] * 20


@pytest.mark.parametrize("seed", range(4))
def test_network__whatever_goes_wrong_messages_end_once_and_all_is_well_afterwards(
    peers_of, generated, seed
):
    rng = random.Random(seed)
    name = rng.choice(["beacons:k=4,paths=1", "beacons:k=2,rank=hash,paths=2", "bidirectional"])
    half = frozenset(rng.sample(peers_of(generated, name).keys, 20))
    faults = Faults(
        loss=rng.choice([0.05, 0.2]),
        duplication=0.1,
        reordering=0.2,
        slow=rng.choice([0, 0.1]),
        clock_skew=9_999,
        partitions=(Partition(8_000, 30_000, half),),
    )
    memory = rng.choice(["backtrack", "frontier"])
    peers = peers_of(generated, f"{name}+{memory}", seed=seed, faults=faults)
    network, down = peers.network, []
    for life in range(1, 40):
        network.run_until(network.now + 1_000)
        if rng.random() < 0.3:
            down.append(rng.choice(sorted(network.agents)))
            network.crash(down[-1])
        if down and rng.random() < 0.3:
            restart(peers, down.pop(0), life)
        source, target = rng.sample(sorted(network.agents), 2)
        peers.send(peers.position[source], peers.position[target])
    for key in down:
        restart(peers, key, 40)
    network.run_until(400_000)
    assert {len(ended) for ended in network.endings.values()} == {1}
    assert set(network.handed_over.values()) == {1}
    assert sum(agent.num_held for agent in network.agents.values()) == 0
    network.change_faults(Faults())
    network.run_until(500_000)
    if name.startswith("beacons"):
        assert_rows(peers, fresh_rows(peers, range(generated.num_nodes)))
    assert endings(peers, send_many(peers, 10)) == ["delivered"] * 10


def restart(peers, key, life):
    view, clock = peers.views[peers.position[key]], peers.network.clock_of(key)
    peers.network.restart(peers.agent(view, incarnation=life, restarted_at=clock))


def test_network__that_loses_a_fifth_of_all_envelopes_takes_no_living_neighbour_for_lost(
    peers_of, generated
):
    peers = peers_of(generated, "beacons:k=4+backtrack", faults=Faults(loss=0.2))
    peers.network.run_until(60_000)
    sessions = {agent.key: dict(agent.sessions) for agent in peers.agents}
    assert all(sessions.values())
    peers.network.run_until(240_000)
    assert {agent.key: dict(agent.sessions) for agent in peers.agents} == sessions
    assert_rows(peers, fresh_rows(peers, range(generated.num_nodes)))
    sent = endings(peers, send_many(peers, 40))
    assert sent.count("delivered") >= 38  # a receipt may stay away: its message ends as unknown
    assert set(sent) <= {"delivered", "unknown"}
