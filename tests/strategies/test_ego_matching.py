import numpy as np

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.ego_matching import key_representations, matched_pairs, matched_table

# A path 0-1-2-3-4 with a chord 1-3; node 4 has the profile of node 0.
PROFILES = np.array([[0, 0], [3, 4], [1, 0], [0, 2], [0, 0]])
GRAPH = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3], [3, 4], [1, 3]]), 5, PROFILES)
KEYS = key_representations(ego_graphs(GRAPH))


def test_matches__facts_about_one_target_by_hand():
    # Target 2 has neighbours 1 and 3.
    matches = matched_table(KEYS, KEYS.take(np.array([2])))
    assert matches.own[0].tolist() == [0, 0, 1, 0, 0]
    assert matches.seen[0].tolist() == [0, 1, 0, 1, 0]
    assert matches.beside[0].tolist() == [0, 1, 0, 1, 0]
    assert matches.common[0].tolist() == [1, 2, 2, 2, 1]


def test_matches__equal_profiles_count_alike():
    # Target 0 has neighbour 1; node 4 shares the target's profile.
    matches = matched_table(KEYS, KEYS.take(np.array([0])))
    assert matches.own[0].tolist() == [1, 0, 0, 0, 1]
    assert matches.same[0].tolist() == [1, 0, 0, 0, 0]  # node 4 hangs on node 3, not on node 1
    assert matches.seen[0].tolist() == [0, 1, 0, 1, 0]


def test_matches__the_table_equals_the_pairs():
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 20, (40, 2))
    graph = Graph.from_edges(edges, 20, rng.integers(0, 2, (20, 3)))
    keys = key_representations(ego_graphs(graph))
    table = matched_table(keys, keys)
    for target in range(20):
        pairs = matched_pairs(keys, keys.take(np.full(20, target)))
        for ours, theirs in zip(pairs, table, strict=True):
            assert np.array_equal(ours, theirs[target])
