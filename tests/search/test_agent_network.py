"""Networks of agents that keep their sketches: they end in fresh sketches, and fall silent."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import GraphError
from garden.search.agent_network import AgentNetwork, UpdateCost
from garden.strategies.gossip.maintenance import Envelope
from garden.strategies.gossip.paths import LONGEST
from garden.strategies.gossip.sketches import CLASS_OF_RANK, pruned_row

SETTINGS = [(k, rank) for k in (1, 2, 4, 16) for rank in ("degree", "hash")]
KINDS = ("add", "remove", "join", "leave")


def distances_from(links, source):
    found = {source: 0}
    queue = [source]
    for node in queue:
        for end in links[node]:
            if end not in found:
                found[end] = found[node] + 1
                queue.append(end)
    return found


def sketches_by_definition(links, k, rank):
    """Each agent's sketch, from all distances and ranks in its component."""
    order = {key: (-CLASS_OF_RANK[rank](len(ends)), key) for key, ends in links.items()}
    sketches = {}
    for node in links:
        found = sorted((order[key], far) for key, far in distances_from(links, node).items())
        far = np.array([far for _, far in found])
        as_near = far[None, :] <= far[:, None]  # [one, other]; the best-ranked stand first
        num_better = np.tril(as_near, -1).sum(axis=1)
        sketches[node] = dict(one for one, num in zip(found, num_better, strict=True) if num < k)
    return sketches


def random_links(rng, num_nodes, num_links):
    links = {rng.getrandbits(64): [] for _ in range(num_nodes)}
    for _ in range(num_links):
        link(links, *rng.sample(list(links), 2))
    return links


def link(links, one, other):
    if other not in links[one]:
        links[one].append(other)
        links[other].append(one)


def ring(num_nodes, rng):
    keys = [rng.getrandbits(64) for _ in range(num_nodes)]
    return {keys[at]: [keys[at - 1], keys[(at + 1) % num_nodes]] for at in range(num_nodes)}


def change_at_random(network, rng):
    """One change, of a kind that is possible; its name."""
    keys = list(network.agents)
    kind = rng.choice(KINDS)
    one, other = rng.sample(keys, 2)
    linked = network.agents[one].neighbours
    if kind == "add" and other not in linked:
        network.add_link(one, other)
    elif kind == "remove" and linked:
        network.remove_link(one, rng.choice(linked))
    elif kind == "join" and len(keys) < 45:
        network.join(rng.getrandbits(64), rng.sample(keys, rng.choice((0, 1, 2, 5))))
    elif kind == "leave" and len(keys) > 20:
        network.leave(one)
    else:
        return change_at_random(network, rng)
    return kind


def assert_settled(network, k, rank):
    """Rows are the fresh ones, everybody holds the right rows of others, and nobody waits."""
    links = network.links()
    rows = network.rows()
    assert rows == sketches_by_definition(links, k, rank)
    for key, agent in network.agents.items():
        assert agent._rows == {end: rows[end] for end in links[key]}
        assert not agent.is_waiting


def fresh_paths(rows, links, num_paths):
    """Each agent's paths, from settled sketches, over the neighbour of smallest key."""
    found = {key: {} for key in rows}
    wanted = sorted(
        (distance, key, beacon)
        for key, row in rows.items()
        for beacon, distance in pruned_row(row, num_paths).items()
        if distance > 1
    )
    for distance, key, beacon in wanted:
        via = min(end for end in links[key] if rows[end].get(beacon) == distance - 1)
        found[key][beacon] = (via, *found[via].get(beacon, ()))[:LONGEST]
    return found


@pytest.mark.parametrize("order", ["synchronous", "random"])
@pytest.mark.parametrize(("k", "rank"), SETTINGS)
def test_changes__each_of_130_ends_in_fresh_sketches(k, rank, order):
    """1,040 changes in each order, over all settings; components split and join on the way."""
    rng = random.Random(f"{k} {rank} {order}")
    network = AgentNetwork.at_rest(random_links(rng, 30, 33), k, rank)
    kinds = Counter()
    for _ in range(130):
        kinds[change_at_random(network, rng)] += 1
        network.settle() if order == "synchronous" else network.settle_one_by_one(rng.randrange)
        assert_settled(network, k, rank)
    assert min(kinds[kind] for kind in KINDS) > 10


@pytest.mark.parametrize("order", ["random", "newest link first", "oldest link first"])
@pytest.mark.parametrize(("k", "rank"), SETTINGS)
def test_changes__may_come_while_others_are_under_way(k, rank, order):
    rng = random.Random(f"{k} {rank} {order}")
    network = AgentNetwork(random_links(rng, 30, 40), k, rank)
    choose = {"newest link first": lambda links: links - 1, "oldest link first": lambda links: 0}
    for _ in range(8):
        for _ in range(6):
            change_at_random(network, rng)
            for _ in range(rng.choice((0, 3, 30))):
                if network.is_silent:
                    break
                network.deliver_one(rng.randrange)
        network.settle_one_by_one(choose.get(order, rng.randrange))
        assert_settled(network, k, rank)


@pytest.mark.parametrize("order", ["synchronous", "random"])
@pytest.mark.parametrize(
    ("k", "num_paths", "rank"), [(1, 1, "degree"), (4, 2, "hash"), (4, 4, "degree")]
)
def test_changes__paths_end_as_those_of_fresh_sketches(k, num_paths, rank, order):
    rng = random.Random(f"{k} {num_paths} {order}")
    network = AgentNetwork.at_rest(random_links(rng, 30, 36), k, rank, num_paths)
    seen = 0
    for _ in range(100):
        change_at_random(network, rng)
        network.settle() if order == "synchronous" else network.settle_one_by_one(rng.randrange)
        assert_settled(network, k, rank)
        expected = fresh_paths(network.rows(), network.links(), num_paths)
        assert network.paths() == expected
        seen += sum(len(path) > 1 for paths in expected.values() for path in paths.values())
    assert seen > 500


def test_start__agents_that_know_their_neighbours_alone_end_in_fresh_paths():
    rng = random.Random(3)
    network = AgentNetwork(random_links(rng, 40, 50), 3, "degree", 2)
    network.settle_one_by_one(rng.randrange)
    assert network.paths() == fresh_paths(network.rows(), network.links(), 2)


@settings(max_examples=60, deadline=None)
@given(
    edges=st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20),
    k=st.sampled_from((1, 2, 4, 16)),
    rank=st.sampled_from(("degree", "hash")),
    keys=st.permutations(range(9)),
    rng=st.randoms(use_true_random=False),
)
def test_start__any_order_of_messages_ends_in_the_same_sketches(edges, k, rank, keys, rng):
    links = {key: [] for key in keys}
    for one, other in edges:
        if one != other:
            link(links, keys[one], keys[other])
    network = AgentNetwork(links, k, rank)
    network.settle_one_by_one(rng.randrange)
    assert_settled(network, k, rank)


@pytest.mark.parametrize(("k", "rank"), SETTINGS)
def test_start__synchronous_rounds_tell_each_entry_once_and_withdraw_none(k, rank):
    links = random_links(random.Random(k), 40, 70)
    network = AgentNetwork(links, k, rank)
    cost = network.settle()
    assert_settled(network, k, rank)
    rows = network.rows()
    assert cost.entries == sum(len(rows[key]) * len(ends) for key, ends in links.items())
    assert (cost.withdrawals, cost.acknowledgements) == (0, 0)
    assert cost.bytes == 11 * cost.entries
    assert cost.rounds == 1 + max(max(row.values()) for row in rows.values())


@pytest.mark.parametrize(("k", "rank"), SETTINGS)
def test_rest__a_network_is_silent_and_hearing_a_row_again_changes_nothing(k, rank):
    links = random_links(random.Random(k), 40, 50)
    network = AgentNetwork.at_rest(links, k, rank)
    assert_settled(network, k, rank)
    assert network.settle() == UpdateCost(0, 0, 0, 0, 0, 0)
    rows = network.rows()
    for key, agent in network.agents.items():
        known = [Envelope(end, key, tuple(rows[end].items()), (), ()) for end in links[key]]
        assert agent.receive(known) == []


@pytest.mark.parametrize("k", [1, 4, 16])
@pytest.mark.parametrize("rank", ["degree", "hash"])
def test_ring__settles_within_four_diameters_of_the_path_its_best_ranked_node_leaves(k, rank):
    links = ring(200, random.Random(k))
    network = AgentNetwork.at_rest(links, k, rank)
    network.leave(min(links))  # all degrees are equal: the smallest key ranks best
    cost = network.settle()
    assert_settled(network, k, rank)
    assert 0 < cost.rounds <= 4 * 198


def test_ring__settles_in_any_order_after_its_best_ranked_node_left():
    rng = random.Random(5)
    links = ring(60, rng)
    for choose in (rng.randrange, lambda links: 0, lambda links: links - 1):
        network = AgentNetwork.at_rest(links, 4, "hash")
        network.leave(min(links))
        network.settle_one_by_one(choose)
        assert_settled(network, 4, "hash")


def test_partition__both_parts_forget_the_beacons_of_the_other():
    left, right = [1, 2, 3, 4], [11, 12, 13, 14]
    links = {key: [end for end in part if end != key] for part in (left, right) for key in part}
    link(links, 4, 11)
    network = AgentNetwork.at_rest(links, 16, "degree")
    assert len(network.rows()[1]) == 8
    network.remove_link(4, 11)
    network.settle()
    assert {beacon[1] for key in left for beacon in network.rows()[key]} == set(left)
    assert {beacon[1] for key in right for beacon in network.rows()[key]} == set(right)


def test_settle__every_withdrawal_is_acknowledged_once_while_links_stand():
    rng = random.Random(3)
    network = AgentNetwork.at_rest(random_links(rng, 40, 80), 4, "degree")
    for _ in range(20):
        change_at_random(network, rng)
        cost = network.settle()
        assert cost.withdrawals == cost.acknowledgements
        assert cost.bytes == 11 * cost.entries + 18 * cost.withdrawals


def test_cost__of_a_leaf_that_leaves_a_path_by_hand():
    network = AgentNetwork.at_rest({1: [2], 2: [1, 3], 3: [2]}, 16, "hash")
    network.leave(3)
    # 2 withdraws 3; 1 withdraws it too; 2 acknowledges that; 1 acknowledges the first.
    assert network.settle() == UpdateCost(
        agents=2, entries=0, withdrawals=2, acknowledgements=2, bytes=36, rounds=4
    )
    assert network.rows() == {1: {(0, 1): 0, (0, 2): 1}, 2: {(0, 2): 0, (0, 1): 1}}


def test_join__a_key_that_is_there_is_refused():
    network = AgentNetwork.at_rest({1: [2], 2: [1]}, 4, "degree")
    with pytest.raises(GraphError, match="the key 2"):
        network.join(2, [1])
