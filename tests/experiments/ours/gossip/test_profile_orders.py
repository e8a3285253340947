from itertools import pairwise, permutations

import numpy as np
import pytest

from garden.experiments.ours.gossip.profile_orders import least_ratio, nearest_first, order_ratios
from garden.graphs.distances import distances
from garden.graphs.graph import Graph


def best_order(away, between):
    """The least mean ratio over all orders of trying the nodes, by shortest paths."""
    ratios = []
    for order in permutations(range(len(away))):
        hops = np.cumsum([away[order[0]], *(between[one] for one in pairwise(order))])
        ratios.append((hops / away[list(order)]).mean())
    return min(ratios)


def test_least_ratio__two_leaves_of_a_star_cost_twice_their_distance_and_the_bound_is_below():
    # From the hub: one leaf after 1 hop, the other after 3.
    away, between = np.array([1, 1]), np.array([[0, 2], [2, 0]])
    assert nearest_first(away, between) == best_order(away, between) == 2.0
    assert least_ratio(away, between) == 1.5


def test_least_ratio__a_row_of_nodes_at_one_end_is_no_detour():
    away = np.array([2, 3, 4])
    between = np.abs(away[:, None] - away)
    assert least_ratio(away, between) == nearest_first(away, between) == 1.0


@pytest.mark.parametrize("seed", range(12))
def test_least_ratio__is_below_the_best_order_and_that_below_the_nearest_first(seed):
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, 14, (24, 2))
    graph = Graph.from_edges(edges, 14).largest_component()
    hops = distances(graph).astype(np.int64)
    alike = rng.permutation(np.arange(1, graph.num_nodes))[:5]
    away, between = hops[0, alike], hops[np.ix_(alike, alike)]
    assert least_ratio(away, between) <= best_order(away, between) + 1e-12
    assert best_order(away, between) <= nearest_first(away, between) + 1e-12


def test_order_ratios__a_profile_that_one_node_has_costs_nothing():
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    graph = Graph.from_edges(edges, 4, attributes=np.eye(4))
    pairs = np.array([[0, 3], [3, 1]])
    found = order_ratios(graph, pairs)
    assert (found.least, found.nearest_first) == (1.0, 1.0)
    equal = Graph.from_edges(edges, 4, attributes=np.zeros((4, 1)))
    assert order_ratios(equal, pairs).nearest_first == pytest.approx((1 + 1) / 2)
