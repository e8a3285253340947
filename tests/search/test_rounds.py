"""Rounds before the search: keys, the driver, and that any fair order ends in the same rows."""

import hashlib
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import GraphError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search import rounds
from garden.search.rounds import different_keys, node_keys, settle, settle_by_rounds
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import (
    Ragged,
    Representations,
    concatenated,
    differing_rows,
)
from garden.strategies.walkers import ConnectionWalker

PATH = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4)
RING = Graph.from_edges(np.stack([np.arange(30), (np.arange(30) + 1) % 30], axis=1), 30)


def random_graph(num_nodes, num_edges, seed):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes)


graphs = st.integers(1, 24).flatmap(
    lambda size: st.builds(
        random_graph, st.just(size), st.integers(0, 2 * size), st.integers(0, 2**32 - 1)
    )
)
beacons = st.builds(
    lambda k, rank, paths: Beacons(k=k, rank=rank, paths=min(k, paths)),
    st.integers(1, 8),
    st.sampled_from(["degree", "hash"]),
    st.integers(0, 3),
)


class Largest(GossipStrategy):
    """Every agent learns the largest key of its component."""

    selection = "argmax"
    needs_attributes = False

    def begin(self, egos, keys):
        return Representations({"key": np.maximum.reduceat(keys, egos.offsets[:-1])})

    def hear(self, own, neighbours, owner):
        largest = own.arrays["key"].copy()
        np.maximum.at(largest, owner, neighbours.arrays["key"])
        return Representations({"key": largest})

    def score(self, candidates, targets):
        return (targets.arrays["key"][:, None] == candidates.arrays["key"]).astype(float)


class Restless(Largest):
    """Its rows grow with every round."""

    def hear(self, own, neighbours, owner):
        return Representations({"key": own.arrays["key"] + np.uint64(1)})


class Short(Largest):
    def hear(self, own, neighbours, owner):
        return super().hear(own, neighbours, owner).take(np.arange(len(own) - 1))


class Renaming(Largest):
    def hear(self, own, neighbours, owner):
        return Representations({"best": own.arrays["key"]})


class Bare(Largest):
    def begin(self, egos, keys):
        return keys[egos.offsets[:-1]]


class Patient(Largest):
    """Ten more rounds than the largest key needs, whatever the graph."""

    def begin(self, egos, keys):
        rows = super().begin(egos, keys)
        return Representations({**rows.arrays, "left": np.full(len(egos), 10)})

    def hear(self, own, neighbours, owner):
        heard = super().hear(own, neighbours, owner)
        return Representations({**heard.arrays, "left": np.maximum(own.arrays["left"] - 1, 0)})


def entries_by_node(rows):
    """(key, distance) of each node's entries."""
    keys, hops = rows.ragged["keys"], rows.ragged["distances"]
    both = list(zip(keys.values.tolist(), hops.values.tolist(), strict=True))
    return [both[a:b] for a, b in pairwise(keys.offsets)]


def one_round(graph, strategy, rows, agents):
    """The rows after these agents have heard their neighbours' rows."""
    lists = [graph.neighbours(agent) for agent in agents]
    owner = np.repeat(np.arange(len(agents)), [len(one) for one in lists])
    told = rows.take(np.concatenate([*lists, []]).astype(np.int64))
    return rows.replaced(agents, strategy.hear(rows.take(agents), told, owner))


def begun(graph, strategy):
    egos = ego_graphs(graph)
    return strategy.begin(egos, node_keys(graph, strategy.key_seed)[egos.members])


def test_keys__are_a_hash_of_the_name_and_the_seed():
    named = Graph.from_edges(np.array([[0, 1]]), 2, node_names=["ada", "bo\udcff"])
    salt = (7).to_bytes(8, "little")
    for name, key in zip(named.node_names, node_keys(named, 7).tolist(), strict=True):
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt)
        assert key == int.from_bytes(digest.digest(), "little")
    assert node_keys(named, 7).dtype == np.uint64
    assert set(node_keys(named, 8)).isdisjoint(node_keys(named, 7))
    assert len(node_keys(named, 2**64 - 1)) == 2


def test_keys__equal_ones_are_refused():
    keys = np.array([3, 1, 2], dtype=np.uint64)
    assert different_keys(keys, "three nodes") is keys
    with pytest.raises(GraphError, match="three nodes: two nodes have the same key"):
        different_keys(keys[[0, 1, 0]], "three nodes")


@settings(max_examples=30, deadline=None)
@given(graphs, beacons, st.integers(0, 2**32 - 1))
def test_settle__renumbering_the_nodes_leaves_each_its_row(graph, strategy, seed):
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    ours, theirs = settle(graph, strategy), settle(graph.subgraph(order), strategy)
    assert not differing_rows(ours.rows.take(order), theirs.rows).any()
    assert ours.cost == theirs.cost


@settings(max_examples=40, deadline=None)
@given(graphs, beacons)
def test_rounds__round_r_adds_exactly_the_entries_at_distance_r(graph, strategy):
    settled = settle(graph, strategy)
    final = entries_by_node(settled.rows)
    rows, everyone = begun(graph, strategy), np.arange(graph.num_nodes)
    for number in range(settled.cost.rounds + 2):
        expected = [[entry for entry in one if entry[1] <= number] for one in final]
        assert entries_by_node(rows) == expected
        rows = one_round(graph, strategy, rows, everyone)
    assert not differing_rows(rows, settled.rows).any()


@settings(max_examples=40, deadline=None)
@given(graphs, beacons, st.integers(0, 2**32 - 1))
def test_rounds__any_fair_order_of_messages_ends_in_the_same_rows(graph, strategy, seed):
    rng = np.random.default_rng(seed)
    settled = settle(graph, strategy).rows
    rows = begun(graph, strategy)
    for _ in range(graph.num_nodes + 1):  # each time everybody hears once, in some order
        for agent in rng.permutation(graph.num_nodes):
            rows = one_round(graph, strategy, rows, np.array([agent]))
            if rng.random() < 0.3:
                rows = one_round(graph, strategy, rows, rng.integers(0, graph.num_nodes, 1))
    assert not differing_rows(rows, settled).any()


def test_rounds__cost_what_is_told_once_to_each_neighbour():
    cost = settle(PATH, Beacons(k=16, rank="hash", paths=0)).cost
    assert cost.rounds == 3
    assert cost.entries_per_node == 4
    assert cost.bytes_per_node == 44
    assert cost.bytes_per_link == 4 * 11 * 2  # every node tells four entries over each of its links
    assert settle(PATH, ConnectionWalker(1.0)).cost is None


def test_rounds__nobody_speaks_where_nobody_has_a_neighbour():
    lonely = Graph.from_edges(np.empty((0, 2)), 3)
    for settled in (
        settle(lonely, Beacons()),
        settle_by_rounds(lonely, Beacons(), node_keys(lonely, 0)),
    ):
        assert settled.cost.to_json() == {
            "rounds": 0,
            "entries_per_node": 1.0,
            "bytes_per_node": 11.0,
            "bytes_per_link": 0.0,
        }
        assert settled.rows.ragged["classes"].values.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("rows_per_block", [1, 3, 7, 1000])
def test_rounds__blocks_mean_nothing(monkeypatch, rows_per_block):
    graph = random_graph(40, 70, 3)
    whole = settle_by_rounds(graph, Beacons(k=3), node_keys(graph, 0))
    monkeypatch.setattr(rounds, "ROWS_PER_BLOCK", rows_per_block)
    parts = settle_by_rounds(graph, Beacons(k=3), node_keys(graph, 0))
    assert not differing_rows(whole.rows, parts.rows).any()
    assert whole.cost == parts.cost


def test_rounds__a_strategy_of_ones_own_settles_in_each_component():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3], [5, 6]]), 7)
    keys = node_keys(graph, 0)
    settled = settle(graph, Largest())
    largest = [keys[:4].max()] * 4 + [keys[4]] + [keys[5:].max()] * 2
    assert settled.rows.arrays["key"].tolist() == largest
    assert settled.cost.bytes_per_node == 8
    assert settled.cost.entries_per_node == 1


def test_rounds__may_be_more_than_nodes_are():
    pair = Graph.from_edges(np.array([[0, 1]]), 2)
    settled = settle(pair, Patient())
    assert settled.cost.rounds == 10
    assert settled.rows.arrays["left"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (
            Restless(),
            "Restless: its rows still change after 1001 rounds on 4 nodes: it does not se",
        ),
        (Short(), "Short: hear must give Representations of 4 rows"),
        (Renaming(), "Renaming: hear gives best where begin gave key: a row has the same arrays"),
        (Bare(), "Bare: begin must give Representations of 4 rows"),
    ],
)
def test_rounds__what_is_wrong_is_said(strategy, message):
    with pytest.raises(StrategyError) as raised:
        settle(PATH, strategy)
    assert message in str(raised.value)


def test_rounds__hearing_of_a_beacon_too_far_is_refused():
    rows = begun(PATH, Beacons(k=2))
    far = Representations(
        {},
        {
            "keys": Ragged(np.array([8, 9], dtype=np.uint64), np.array([0, 2])),
            "distances": Ragged(np.array([0, 65_535], dtype=np.uint16), np.array([0, 2])),
            "classes": Ragged(np.array([0, 9], dtype=np.int8), np.array([0, 2])),
            "neighbours": Ragged(np.array([], dtype=np.uint64), np.array([0, 0])),
        },
    )
    with pytest.raises(StrategyError, match="more than 65535 hops away"):
        Beacons(k=2).hear(rows.take(np.array([0])), far, np.array([0]))


def test_rounds__without_numba_rows_costs_and_scores_are_the_same(monkeypatch):
    graph = random_graph(40, 60, 8)
    fast = settle(graph, Beacons(k=2))
    scores = Beacons(k=2).score(fast.rows, fast.rows)
    for missing in ("garden.search.sketch_kernels", "garden.strategies.gossip.score_kernel"):
        monkeypatch.setitem(sys.modules, missing, None)
    plain = settle(graph, Beacons(k=2))
    assert not differing_rows(fast.rows, plain.rows).any()
    assert fast.cost == plain.cost
    assert np.array_equal(Beacons(k=2).score(plain.rows, plain.rows), scores)


def test_rounds__progress_is_told_by_both_ways():
    for way in (
        lambda progress: settle(RING, Beacons(), progress),
        lambda progress: settle_by_rounds(RING, Beacons(), node_keys(RING, 0), progress),
    ):
        said = []
        way(lambda what, done, total, said=said: said.append((what, done <= total)))
        assert set(said) == {("settling", True)}


@pytest.mark.parametrize("memory", ["none", "visited", "backtrack", "frontier"])
def test_beacons__play_with_every_memory_exactly_where_there_is_none(memory):
    graph = kaiser_hilgetag(n=60, beta=1, seed=2)
    report = garden.evaluate(graph, ["beacons:k=2", "random"], memory=memory)
    ours, walker = report.results
    assert ours.evaluation == ("exact" if memory == "none" else "sampled")
    assert ours.oracle_ratio < walker.oracle_ratio
    row, other = report.to_json()["strategies"]
    assert row["knows"] == "gossip"
    assert row["gossip"] == settle(graph, Beacons(k=2)).cost.to_json()
    expected = {"k": 2, "rank": "degree", "seed": 0, "neighbours": 64, "paths": 1}
    assert row["parameters"] == expected
    assert other["knows"] == "ego"
    assert "gossip" not in other
    assert [line[8] for line in report.rows()] == ["gossip", "ego"]
    frame = report.to_pandas()
    assert frame["knows"].tolist() == ["gossip", "ego"]
    assert frame["gossip_rounds"][0] == row["gossip"]["rounds"]


def test_beacons__exact_and_sampled_evaluation_agree():
    graph = kaiser_hilgetag(n=60, beta=1, seed=2)
    exact, sampled = (
        garden.evaluate(
            graph,
            "beacons:k=1",
            config=garden.EvaluationConfig(evaluation=kind, episodes_per_pair=20),
        ).results[0]
        for kind in ("exact", "sampled")
    )
    assert exact.mean_hops == pytest.approx(sampled.mean_hops, rel=0.03)


def test_beacons__with_room_for_everybody_go_by_shortest_paths():
    report = garden.evaluate(RING, "beacons:k=30")
    assert report.results[0].oracle_ratio == pytest.approx(1.0)
    message = garden.route(RING, "beacons:k=30+backtrack", source="0", target="12")
    assert message.path == [str(node) for node in range(13)]
    assert (message.strategy, message.memory) == ("beacons:k=30", "backtrack")


def test_report__what_agents_know_is_what_they_did_not_what_they_say():
    class Modest(Largest):
        knows = "ego"

    report = garden.evaluate(RING, [Modest()])
    assert report.results[0].knows == "gossip"


def test_representations__parts_make_the_whole_again():
    rows = settle(RING, Beacons(k=2)).rows
    parts = [rows.take(np.arange(10)), rows.take(np.arange(10, 30))]
    assert not differing_rows(concatenated(parts), rows).any()
    turned = rows.replaced(np.array([4, 2]), rows.take(np.array([2, 4])))
    assert np.flatnonzero(differing_rows(rows, turned)).tolist() == [2, 4]
