import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.random_graphs import power_law
from garden.experiments.ours.gossip.graphs import pairs_to_targets
from garden.experiments.ours.gossip.landmarks import landmark_rows
from garden.experiments.ours.gossip.sketch_walks import (
    TIES_ONLY,
    PricedBeacons,
    Searchers,
    Walks,
    plain_sketch_walks,
    sketch_walks,
)
from garden.graphs.distances import distances, pair_distances
from garden.search.episode_rng import episode_streams
from garden.search.rounds import node_keys, settle
from garden.strategies.gossip.beacons import HOP, Beacons

pytest.importorskip("numba", reason="the compiled walks need numba")


def searchers(graph, strategy, price=0.0, rows=None):
    rows = rows if rows is not None else settle(graph, strategy).rows
    return Searchers(
        graph, PricedBeacons(strategy, price), rows, node_keys(graph, strategy.key_seed)
    )


@pytest.mark.parametrize("memory", ["none", "backtrack"])
@pytest.mark.parametrize("price", [0.0, TIES_ONLY, HOP / 8])
@pytest.mark.parametrize("rank", ["degree", "hash"])
def test_sketch_walks__compiled_walks_are_the_plain_ones_hop_for_hop(memory, price, rank):
    graph = power_law(60, 4, 1).largest_component()
    agents = searchers(graph, Beacons(k=2, rank=rank, neighbours=3), price)
    pairs = pairs_to_targets(graph)[::17]
    walks = Walks(memory, max_hops=30, per_pair=2, seed=3, keep_paths=True)
    fast = sketch_walks(agents, pairs, walks)
    streams = episode_streams(3, 0, 2 * len(pairs)).reshape(-1, 2)
    plain = plain_sketch_walks(agents, pairs, walks, streams)
    np.testing.assert_array_equal(fast.hops, plain.hops)
    np.testing.assert_array_equal(fast.paths, plain.paths)


def test_sketch_walks__pairs_may_come_in_any_order():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1).largest_component()
    agents = searchers(graph, Beacons(k=16))
    pairs = pairs_to_targets(graph)
    shuffled = np.random.default_rng(0).permutation(len(pairs))
    hops = sketch_walks(agents, pairs[shuffled], Walks()).hops[:, 0]
    assert (hops >= pair_distances(graph, pairs[shuffled])).all()


def test_landmarks__rows_hold_true_distances_and_every_neighbour_once():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1).largest_component()
    keys = node_keys(graph, 0)
    rows = landmark_rows(graph, keys, 6, seed=0)
    node_of = {int(key): node for node, key in enumerate(keys)}
    table = distances(graph)
    landmarks, lengths = set(), []
    for node in range(graph.num_nodes):
        row = rows.take(np.array([node])).ragged
        entries = [node_of[int(key)] for key in row["keys"].values]
        assert entries[0] == node
        assert row["distances"].values.tolist() == table[node, entries].tolist()
        lengths.append(len(entries))
        landmarks |= set(entries[1:])
        others = {node_of[int(key)] for key in row["neighbours"].values}
        adjacent = {one for one in entries if table[node, one] == 1}
        assert others | adjacent == set(graph.neighbours(node).tolist())
        assert not others & adjacent
    assert len(landmarks) == 5
    assert [length == 5 for length in lengths] == [n in landmarks for n in range(graph.num_nodes)]


def test_landmarks__walks_by_all_nodes_as_landmarks_are_shortest():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1).largest_component()
    rows = landmark_rows(graph, node_keys(graph, 0), graph.num_nodes + 1, seed=0)
    agents = searchers(graph, Beacons(), rows=rows)
    pairs = pairs_to_targets(graph)
    hops = sketch_walks(agents, pairs, Walks()).hops[:, 0]
    np.testing.assert_array_equal(hops, pair_distances(graph, pairs))


def test_pairs_to_targets__every_node_is_a_target_with_each_source_once():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1).largest_component()
    pairs = pairs_to_targets(graph)
    count = graph.num_nodes
    assert len(pairs) == len(np.unique(pairs, axis=0)) == count * (count - 1)
    assert (pairs[:, 0] != pairs[:, 1]).all()
