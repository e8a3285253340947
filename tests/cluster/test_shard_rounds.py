import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import garden
from garden.cluster.beacon_rounds import BeaconRounds
from garden.cluster.cutting import cut_shards
from garden.cluster.shard_files import read_shard
from garden.cluster.shard_rounds import PlainRounds
from garden.datasets.random_graphs import power_law
from garden.graphs.graph import Graph
from garden.resolve import contender_named
from garden.search.rounds import node_keys, representations_of, settle_by_rounds
from garden.strategies.gossip.beacons import Beacons

from .sharded import assert_same_rows, heard_by, settled


def compiled_rounds(cut, strategy):
    return [BeaconRounds(shard, strategy, cut.graph.num_nodes) for shard in cut.shards]


def plain_rounds(cut, strategy):
    graphs = cut.local_graphs()
    return [PlainRounds(*pair, strategy) for pair in zip(cut.shards, graphs, strict=True)]


def beacons(k, **options):
    """Without paths, whose rounds are compiled."""
    return Beacons(k=k, paths=0, **options)


@pytest.mark.parametrize("make", [compiled_rounds, plain_rounds])
@pytest.mark.parametrize("strategy", [beacons(4), beacons(2, rank="hash"), beacons(500)])
def test_rounds__of_shards_give_the_rows_of_one_process(shards_of, make, strategy):
    cut = shards_of(power_law(200, 4), 3)
    expected = representations_of(cut.graph, strategy)
    for shard, rows in zip(cut.shards, settled(make(cut, strategy))[0], strict=True):
        assert_same_rows(rows, expected.take(cut.positions(shard.keys)))


@pytest.mark.parametrize("paths", [1, 4])
def test_rounds__of_shards_carry_paths(shards_of, paths):
    strategy = Beacons(k=4, paths=paths)
    cut = shards_of(power_law(200, 4), 3)
    expected = representations_of(cut.graph, strategy)
    assert len(expected.ragged["path_keys"].values) > 0
    for shard, rows in zip(cut.shards, settled(plain_rounds(cut, strategy))[0], strict=True):
        assert_same_rows(rows, expected.take(cut.positions(shard.keys)))


@pytest.mark.parametrize("name", ["bidirectional", "lookahead", "universal", "connection"])
def test_rounds__of_strategies_without_rounds_give_borders_their_rows(shards_of, name):
    cut = shards_of(garden.load("kaiser-hilgetag:n=60,beta=1,seed=0"), 4)
    strategy = contender_named(name).strategy
    expected = representations_of(cut.graph, strategy)
    rounds = plain_rounds(cut, strategy)
    for shard, rows in zip(cut.shards, settled(rounds)[0], strict=True):
        assert_same_rows(rows, expected.take(cut.positions(shard.keys)))


@settings(deadline=None, max_examples=30)
@given(
    edges=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20),
    k=st.integers(1, 4),
    num_shards=st.integers(1, 3),
)
def test_rounds__are_those_of_one_process_on_any_graph(tmp_path_factory, edges, k, num_shards):
    graph = Graph.from_edges(np.array([*edges, (0, 1)]), 9)
    assume(len(np.unique(node_keys(graph, 0) % np.uint64(num_shards))) == num_shards)
    folder = tmp_path_factory.mktemp("any") / "shards"
    manifest = cut_shards(graph, num_shards, folder)
    shards = [read_shard(folder, manifest, number) for number in range(num_shards)]
    strategy = beacons(k)
    expected = settle_by_rounds(graph, strategy, node_keys(graph, 0))
    rows, rounds = settled([BeaconRounds(shard, strategy, 9) for shard in shards])
    assert rounds == expected.cost.rounds + 1
    position = {key: node for node, key in enumerate(node_keys(graph, 0).tolist())}
    for shard, found in zip(shards, rows, strict=True):
        nodes = np.array([position[key] for key in shard.keys.tolist()], dtype=np.int64)
        assert_same_rows(found, expected.rows.take(nodes))


def test_rounds__tell_a_changed_row_once_to_each_shard(shards_of):
    star = Graph.from_edges(np.array([(0, leaf) for leaf in range(1, 40)]), 40)
    cut = shards_of(star, 2)
    home = int(node_keys(star, 0)[0] % np.uint64(2))
    hub = int(cut.shards[home].own_rows(node_keys(star, 0)[:1])[0])
    other = 1 - home
    links_across = cut.shards[other].num_own
    assert links_across > 5
    assert cut.shards[home].told_to[other].tolist() == [hub]
    told = compiled_rounds(cut, beacons(4))[home].begin()[other]
    assert (told.which.tolist(), told.counts.tolist(), len(told.keys)) == ([0], [1], 1)
    assert told.num_bytes == 4 + 1 + 8 + 1


@pytest.mark.parametrize("after", [1, 2, None])
def test_rounds__a_shard_catches_up_on_what_others_told(shards_of, after):
    cut, strategy = shards_of(power_law(150, 4), 3), beacons(3)
    expected = representations_of(cut.graph, strategy)
    rounds = compiled_rounds(cut, strategy)
    told, count = [one.begin() for one in rounds], 0
    if after is None:
        _, count = settled(rounds)
    while after is not None and count < after:
        heard = [one.hear(heard_by(told, shard)) for shard, one in enumerate(rounds)]
        told, count = [one[1] for one in heard], count + 1
    again = compiled_rounds(cut, strategy)[0]
    replayed = [None, *(one.told_so_far(0, count) for one in rounds[1:])]
    last = again.begin()
    for number in range(count):
        _, last = again.hear([one if one is None else one[number] for one in replayed])
    if after is not None:
        for one, other in zip(last[1:], told[0][1:], strict=True):
            assert (one.which.tolist(), one.keys.tolist()) == (
                other.which.tolist(),
                other.keys.tolist(),
            )
    else:
        rows = again.finish([one if one is None else one[count] for one in replayed])
        assert_same_rows(rows, expected.take(cut.positions(cut.shards[0].keys)))


def test_rounds__by_several_threads_are_the_same(shards_of, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setattr("garden.cluster.beacon_rounds._BLOCK", 7)
    cut, strategy = shards_of(power_law(150, 4), 2), beacons(3)
    expected = representations_of(cut.graph, strategy)
    for shard, rows in zip(cut.shards, settled(compiled_rounds(cut, strategy))[0], strict=True):
        assert_same_rows(rows, expected.take(cut.positions(shard.keys)))
