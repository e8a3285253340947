"""Clusters of Ray actors, on one local Ray for all tests of this module."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from garden.cluster.config import ClusterConfig
from garden.cluster.cutting import cut_shards
from garden.datasets.random_graphs import power_law
from garden.errors import DataError, GardenError, GraphError, SpecError, StrategyError
from garden.experiments.peers.cut import keys_for, views_of
from garden.peers.agent import Agent
from garden.peers.envelopes import Message
from garden.peers.virtual_time import VirtualNetwork
from garden.resolve import contender_named
from garden.search.rounds import node_keys, representations_of
from garden.search.walk import walk_by_keys

from .sharded import assert_same_rows

ray = pytest.importorskip("ray")
from garden.cluster.network import Cluster  # noqa: E402

NAME = "beacons:k=4,paths=0+backtrack"
NO_CORES = ClusterConfig(cpus_per_actor=0)  # beside the actors that all tests share


@pytest.fixture(scope="module", autouse=True)
def _local_ray(home_for_ray):
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def graph():
    return power_law(1000, 4)


@pytest.fixture(scope="module")
def folder(graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("cluster") / "shards"
    cut_shards(graph, 4, path)
    return path


@pytest.fixture(scope="module")
def cluster(folder):
    with Cluster(folder, NAME) as settled:
        settled.settle()
        yield settled


def pairs_of(graph, count, seed=0):
    rng = np.random.default_rng(seed)
    return [tuple(rng.choice(graph.num_nodes, 2, replace=False).tolist()) for _ in range(count)]


def ids_of(count):
    return [number.to_bytes(16, "little") for number in range(1 << 70, (1 << 70) + count)]


def sent_by(cluster, graph, pairs, **options):
    named = [(graph.node_names[one], graph.node_names[other]) for one, other in pairs]
    return cluster.send(named, ids=ids_of(len(pairs)), **options)


def walks_of(graph, name, pairs, rows=None, attempts=None, max_hops=100):
    """The paths of one process, as keys of holders."""
    contender, keys = contender_named(name), node_keys(graph, 0)
    rows = representations_of(graph, contender.strategy) if rows is None else rows
    attempts = [0] * len(pairs) if attempts is None else attempts
    walks = [
        walk_by_keys(
            graph, contender.strategy, rows, *pair, contender.memory, max_hops, keys,
            int.from_bytes(message_id, "little"), attempt,
        )
        for pair, message_id, attempt in zip(pairs, ids_of(len(pairs)), attempts, strict=True)
    ]  # fmt: skip
    return [tuple(keys[list(walk.nodes)].tolist()) for walk in walks]


def virtual_paths(graph, name, pairs):
    """The ids and paths of messages among peers in virtual time, as keys of holders."""
    contender = contender_named(name)
    keys = keys_for(graph, contender.strategy).tolist()
    views = views_of(graph, keys_for(graph, contender.strategy))
    agents = [Agent(view, contender.strategy, contender.memory) for view in views]
    network = VirtualNetwork(agents, 0)
    network.settle()
    paths = {}

    def note(_now, envelope):
        if isinstance(envelope.body, Message):
            paths.setdefault(envelope.body.id, {})[envelope.body.hop] = envelope.receiver

    network.watch(note)
    cards = [network.agents[keys[target]].card for _, target in pairs]
    ids = [
        network.send(keys[source], card, hop_limit=100)
        for (source, _), card in zip(pairs, cards, strict=True)
    ]
    network.finish(ids)
    return ids, [
        (keys[source], *(paths[one][hop] for hop in sorted(paths[one])))
        for (source, _), one in zip(pairs, ids, strict=True)
    ]


def test_cluster__settles_to_the_sketches_of_one_process(cluster, graph):
    expected = representations_of(graph, contender_named(NAME).strategy)
    assert_same_rows(cluster.rows_of(graph.node_names), expected)


def test_cluster__messages_take_the_paths_of_one_process_wherever_they_enter(cluster, graph):
    pairs = pairs_of(graph, 60)
    expected = walks_of(graph, NAME, pairs)
    for entry in (None, 3):
        sent = sent_by(cluster, graph, pairs, entry=entry)
        assert [one.path for one in sent] == expected
        assert {one.ending for one in sent} == {"delivered"}
        assert [one.hops for one in sent] == [len(path) - 1 for path in expected]
    assert cluster.names_of(expected[0])[0] == graph.node_names[pairs[0][0]]


def test_cluster__messages_end_where_hops_do_and_where_nobody_is(cluster, graph):
    pairs = pairs_of(graph, 20)
    sent = sent_by(cluster, graph, pairs, max_hops=1)
    assert [one.path for one in sent] == walks_of(graph, NAME, pairs, max_hops=1)
    assert {one.ending for one in sent} == {"truncated"}
    (lost, nobody, itself) = cluster.send([("0", "nobody"), ("nobody", "0"), ("5", "5")])
    assert (lost.ending, nobody.ending, itself.ending, itself.hops) == (
        "failed", "failed", "delivered", 0,
    )  # fmt: skip
    assert "no node has the key" in lost.reason
    with pytest.raises(SpecError, match="entry is 4: the shards are 0 to 3"):
        sent_by(cluster, graph, pairs, entry=4)


def test_cluster__what_was_in_an_actor_that_dies_is_unknown_and_tried_again(cluster, graph):
    pairs = pairs_of(graph, 40, seed=1)
    before = cluster.deaths
    os.kill(cluster.processes[2], signal.SIGKILL)
    sent = sent_by(cluster, graph, pairs)
    assert cluster.deaths == before + 1
    assert {one.attempts for one in sent} == {("delivered",), ("unknown", "delivered")}
    again = [len(one.attempts) - 1 for one in sent]
    assert [one.path for one in sent] == walks_of(graph, NAME, pairs, attempts=again)
    expected = representations_of(graph, contender_named(NAME).strategy)
    assert_same_rows(cluster.rows_of(graph.node_names), expected)


def test_cluster__an_actor_that_dies_while_all_settle_catches_up(cluster, graph):
    before = cluster.deaths
    os.kill(cluster.processes[1], signal.SIGKILL)
    report = cluster.settle()
    assert cluster.deaths == before + 1
    expected = representations_of(graph, contender_named(NAME).strategy)
    assert_same_rows(cluster.rows_of(graph.node_names), expected)
    assert report.entries_per_node == pytest.approx(
        len(expected.ragged["keys"].values) / graph.num_nodes
    )


def test_cluster__refuses_what_the_shards_are_not_cut_for(folder, tmp_path):
    with pytest.raises(DataError, match="holds no shards"):
        Cluster(tmp_path)
    with pytest.raises(StrategyError, match="cut for seed 0, and beacons has seed 3"):
        Cluster(folder, "beacons:seed=3")
    with pytest.raises(StrategyError, match="directory leaves cards"):
        Cluster(folder, "directory")
    with pytest.raises(GraphError, match="greedy compares attributes"):
        Cluster(folder, "greedy")
    with pytest.raises(GardenError, match="4 actors need 400 cores and"):
        Cluster(folder, config=ClusterConfig(cpus_per_actor=100))


def test_cluster__a_shard_that_is_not_there_is_named(graph, tmp_path):
    cut_shards(graph, 2, tmp_path / "shards")
    (tmp_path / "shards" / "shard-00001" / "nodes.parquet").unlink()
    with pytest.raises(DataError, match=r"shard-00001/nodes\.parquet: missing: copy it here"):
        Cluster(tmp_path / "shards", NAME, config=NO_CORES)


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_cluster__paths_are_those_of_peers_in_virtual_time(cluster, graph, count):
    pairs = pairs_of(graph, count)
    ids, expected = virtual_paths(graph, NAME, pairs)
    sent = cluster.send([(str(one), str(other)) for one, other in pairs], ids=ids)
    assert [one.path for one in sent] == expected


def test_cluster__with_paths_in_rows_takes_the_paths_of_one_process(folder, graph):
    name, pairs = "beacons:k=2,paths=2+backtrack", pairs_of(graph, 40)
    with Cluster(folder, name, config=NO_CORES) as cluster:
        cluster.settle()
        sent = sent_by(cluster, graph, pairs)
    assert [one.path for one in sent] == walks_of(graph, name, pairs)
    assert {one.ending for one in sent} == {"delivered"}


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["none", "visited", "frontier"])
def test_cluster__of_ten_thousand_nodes_equals_one_process(tmp_path, memory):
    graph, name = power_law(10_000, 16), f"beacons:paths=0+{memory}"
    cut_shards(graph, 4, tmp_path / "shards")
    rows = representations_of(graph, contender_named(name).strategy)
    pairs = pairs_of(graph, 1000)
    with Cluster(tmp_path / "shards", name, config=NO_CORES) as cluster:
        cluster.settle()
        assert_same_rows(cluster.rows_of(graph.node_names), rows)
        sent = sent_by(cluster, graph, pairs)
    assert [one.path for one in sent] == walks_of(graph, name, pairs, rows)


@pytest.mark.slow
def test_cluster__of_plain_rounds_begins_anew_where_an_actor_dies(folder, graph):
    pairs = pairs_of(graph, 40)
    with Cluster(folder, NAME, config=replace(NO_CORES, compiled=False)) as cluster:
        cluster.settle()
        os.kill(cluster.processes[3], signal.SIGKILL)
        sent = sent_by(cluster, graph, pairs)
        again = [len(one.attempts) - 1 for one in sent]
        assert {one.ending for one in sent} == {"delivered"}
        assert cluster.deaths == 1
        expected = representations_of(graph, contender_named(NAME).strategy)
        assert_same_rows(cluster.rows_of(graph.node_names), expected)
    assert [one.path for one in sent] == walks_of(graph, NAME, pairs, attempts=again)
