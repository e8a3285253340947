"""How hops spread over nodes, beside shortest paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.datasets.random_graphs import power_law, small_world
from garden.errors import GraphError
from garden.graphs.distances import pair_distances
from garden.graphs.graph import Graph
from garden.search import traffic
from garden.search.traffic import path_traffic, shortest_path_traffic

STAR = Graph.from_edges(np.array([[0, leaf] for leaf in range(1, 6)]), 6)
# 0 reaches 5 by 1 or 2; from 1 by 3, from 2 by 3 or 4: three shortest paths.
FORK = Graph.from_edges(np.array([[0, 1], [0, 2], [1, 3], [2, 3], [2, 4], [3, 5], [4, 5]]), 6)


def all_pairs(num_nodes):
    first, second = np.divmod(np.arange(num_nodes * num_nodes), num_nodes)
    return np.stack([first, second], axis=1)[first != second]


def test_path_traffic__a_hop_belongs_to_the_holder_that_makes_it():
    paths = np.array([[[0, 1, 2, -1], [2, 1, 2, 1]], [[1, 2, -1, -1], [3, -1, -1, -1]]])
    found = path_traffic(paths, 5)
    assert found.load.tolist() == [1, 3, 2, 0, 0]
    assert (found.num_hops, found.busiest, found.busiest_share) == (6, 1, 3 / 6)


def test_path_traffic__without_a_hop_nobody_is_busy():
    assert path_traffic(np.array([[2, -1]]), 3).busiest_share == 0


def test_shortest_path_traffic__the_centre_of_a_star_makes_every_second_hop():
    leaves = np.array([pair for pair in all_pairs(6) if 0 not in pair])
    found = shortest_path_traffic(STAR, leaves)
    assert found.load.tolist() == [20, 4, 4, 4, 4, 4]
    assert found.busiest_share == 0.5


def test_shortest_path_traffic__nearer_neighbours_are_chosen_alike():
    found = shortest_path_traffic(FORK, np.tile([[0, 5]], (40_000, 1)), seed=3)
    # By uniform next hop 1 and 2 get half each, and 4 half of what 2 gets.
    expected = np.array([1, 1 / 2, 1 / 2, 3 / 4, 1 / 4, 0])
    assert found.load / 40_000 == pytest.approx(expected, abs=4 * 0.5 / 200)
    assert found.num_hops == 3 * 40_000


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 40), st.integers(0, 1000))
def test_shortest_path_traffic__makes_as_many_hops_as_the_distances_say(num_nodes, seed):
    graph = power_law(num_nodes, 4, seed)
    pairs = all_pairs(num_nodes)
    found = shortest_path_traffic(graph, pairs, seed)
    assert found.num_hops == pair_distances(graph, pairs).sum()
    sources = np.bincount(pairs[:, 0], minlength=num_nodes)
    assert (found.load >= sources).all()


def test_shortest_path_traffic__blocks_and_the_order_of_targets_change_nothing(monkeypatch):
    graph = small_world(300, 4, 0.1, seed=2)
    pairs = np.random.default_rng(0).permutation(all_pairs(300))[:3000]
    whole = shortest_path_traffic(graph, pairs, seed=1).load
    monkeypatch.setattr(traffic, "MAX_DISTANCES", 1)
    monkeypatch.setattr(traffic, "MAX_CANDIDATES", 7)
    assert shortest_path_traffic(graph, pairs, seed=1).load.tolist() == whole.tolist()
    assert shortest_path_traffic(graph, pairs, seed=2).load.tolist() != whole.tolist()


def test_shortest_path_traffic__pairs_without_a_path_are_refused():
    apart = Graph.from_edges(np.array([[0, 1], [2, 3]]), 4, name="two parts")
    with pytest.raises(GraphError, match="two parts: some pair has no path"):
        shortest_path_traffic(apart, np.array([[0, 1], [0, 2]]))


def test_shortest_path_traffic__no_pairs_make_no_hops():
    assert shortest_path_traffic(STAR, np.empty((0, 2), dtype=np.int64)).num_hops == 0


def test_path_traffic__a_node_that_walks_back_and_forth_shows_beside_shortest_paths():
    ring = small_world(8, 2, 0)
    pairs = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    paths = np.full((4, 6), -1)
    paths[:, :2] = pairs
    paths[1] = [2, 1, 2, 1, 2, 3]
    found, shortest = path_traffic(paths, 8), shortest_path_traffic(ring, pairs)
    assert found.load.tolist() == [1, 2, 3, 0, 1, 0, 1, 0]
    assert shortest.load.tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    assert (found.busiest_share, shortest.busiest_share) == (3 / 8, 1 / 4)
