import numpy as np

from garden.experiments.ours.newcomers.old_map import (
    UNKNOWN,
    hops_by_heart,
    outcomes_by_heart,
    shown_nodes,
)
from garden.experiments.ours.newcomers.worlds import joined
from garden.graphs.graph import Graph

# 0-1-2-3 is old; 4 joins beside 3, 5 beside 4, 6 beside 0
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 6]])
OLD = np.arange(4)


def world(profiles):
    graph = Graph.from_edges(EDGES, 7, np.asarray(profiles, dtype=float))
    old = graph.subgraph(OLD)
    return old, joined(graph, old, np.array([4]), np.arange(7))


def test_by_heart__a_newcomer_beside_a_node_of_its_own_profile_is_found_on_shortest_paths():
    old, found = world(np.eye(7))
    outcomes = outcomes_by_heart(old, found)
    assert outcomes["targets"] == [4]
    assert outcomes["unsure"] == 0
    assert outcomes["ratio"] == outcomes["old"] == outcomes["other"] == [1.0]


def test_by_heart__whose_old_neighbours_share_their_profiles_is_counted_as_unsure():
    profiles = np.eye(7)
    profiles[0] = profiles[3]
    old, found = world(profiles)
    nodes, sure = shown_nodes(old, found.graph, 4)
    assert (nodes.tolist(), sure) == ([0, 3], False)
    outcomes = outcomes_by_heart(old, found)
    assert outcomes["unsure"] == 1
    assert outcomes["old"][0] > 1.5


def test_hops__are_those_of_the_old_graph_and_unknown_beyond_its_neighbours():
    old, found = world(np.eye(7))
    around, _ = shown_nodes(old, found.graph, 4)
    assert around.tolist() == [3]
    hops = hops_by_heart(old, found.graph, 4, around)
    assert hops.tolist() == [4, 3, 2, 1, 0, 1, 5]
    far = hops_by_heart(old, found.graph, 4, np.array([], dtype=int))
    assert far[[0, 1, 2]].tolist() == [UNKNOWN] * 3
