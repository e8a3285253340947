import os
import subprocess
import sys
from itertools import pairwise, permutations

import numpy as np
import pytest

pytest.importorskip("numba", reason="orders are found by compiled code")

from garden.experiments.ours.gossip import profile_orders
from garden.experiments.ours.gossip.profile_orders import (
    nearest_first,
    order_ratios,
    ratios_of_orders,
)
from garden.experiments.ours.gossip.tour_kernels import (
    bound_by_walks,
    cost_of_tour,
    improved_tour,
    least_by_subsets,
)
from garden.graphs.distances import distances
from garden.graphs.graph import Graph


def cost_by_hand(order, away, between, weights):
    hops = np.cumsum([away[order[0]], *(between[one] for one in pairwise(order))])
    return (hops * weights[list(order)]).sum()


def least_of_all_orders(away, between, weights):
    orders = permutations(range(len(away)))
    return min(cost_by_hand(order, away, between, weights) for order in orders)


def some_alike(seed, count, num_nodes=14):
    """Distances from a node of a random graph to some others, and among them; weights."""
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, num_nodes, (int(1.6 * num_nodes), 2))
    graph = Graph.from_edges(edges, num_nodes).largest_component()
    hops = distances(graph).astype(np.int64)
    alike = rng.permutation(np.arange(1, graph.num_nodes))[:count]
    away = hops[0, alike]
    weights = 1 / away if seed % 2 else rng.uniform(0.1, 1, len(away))
    return away, hops[np.ix_(alike, alike)], weights


@pytest.mark.parametrize("seed", range(12))
def test_least_by_subsets__is_the_least_cost_of_all_orders(seed):
    away, between, weights = some_alike(seed, 1 + seed % 6)
    expected = least_of_all_orders(away, between, weights)
    assert least_by_subsets(away, between, weights) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(30))
def test_bound_by_walks__is_below_every_order_whatever_the_prizes(seed):
    away, between, weights = some_alike(seed, 6 + seed % 5, num_nodes=20)
    least = least_by_subsets(away, between, weights)
    for near in (0.5 * least, least, 2 * least):  # from it come prizes and lengths of steps
        for steps in (1, 5, 200):
            bound = bound_by_walks(away, between, weights, near, steps)
            assert bound <= least + 1e-9
    assert bound_by_walks(away, between, weights, least, 200) > 0.85 * least


def test_bound_by_walks__is_exact_along_a_row_of_nodes():
    away = np.array([2, 3, 4, 7])
    between = np.abs(away[:, None] - away)
    assert bound_by_walks(away, between, 1 / away, 4.5, 200) == pytest.approx(4.0, abs=0.02)


@pytest.mark.parametrize("seed", range(12))
def test_improved_tour__visits_each_node_once_and_costs_no_more(seed):
    away, between, weights = some_alike(seed, 8, num_nodes=24)
    order = nearest_first(away, between)
    better = improved_tour(order, away, between, weights)
    assert sorted(better) == list(range(len(away)))
    cost = cost_of_tour(better, away, between, weights)
    assert cost == pytest.approx(cost_by_hand(better, away, between, weights))
    assert cost <= cost_of_tour(order, away, between, weights) + 1e-12
    assert cost >= least_by_subsets(away, between, weights) - 1e-9


def test_ratios_of_orders__two_leaves_of_a_star_cost_twice_their_distance():
    # From the hub: one leaf after 1 hop, the other after 3.
    away, between = np.array([1, 1]), np.array([[0, 2], [2, 0]])
    assert ratios_of_orders(away, between) == (2.0, 2.0, 2.0)


def test_ratios_of_orders__turning_back_early_can_beat_the_nearest_first():
    # On a line: the nearest first leaves the one on the other side for last, after 23 hops.
    places = np.array([-3, 2, 6, 10])
    away, between = np.abs(places), np.abs(places[:, None] - places)
    least, _, nearest = ratios_of_orders(away, between)
    assert nearest == pytest.approx((2 / 2 + 6 / 6 + 10 / 10 + 23 / 3) / 4)
    assert least == pytest.approx((2 / 2 + 7 / 3 + 16 / 6 + 20 / 10) / 4)


def test_ratios_of_orders__large_groups_have_a_bound_below_and_an_order_above(monkeypatch):
    away, between, _ = some_alike(3, 12, num_nodes=40)
    exact = ratios_of_orders(away, between)
    monkeypatch.setattr(profile_orders, "MAX_EXACT", 5)
    least, best, nearest = ratios_of_orders(away, between)
    assert least <= exact[0] + 1e-9
    assert exact[1] - 1e-9 <= best <= nearest == exact[2]


def test_order_ratios__a_profile_that_one_node_has_costs_nothing():
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    found = order_ratios(Graph.from_edges(edges, 4, attributes=np.eye(4)))
    assert (found.least, found.best_known, found.nearest_first) == (1.0, 1.0, 1.0)
    assert found.exact


def test_order_ratios__every_source_counts_every_target_once():
    # A row of three with equal profiles: from an end nothing is lost, from the middle one of two
    # takes three hops for one.
    edges = np.array([[0, 1], [1, 2]])
    found = order_ratios(Graph.from_edges(edges, 3, attributes=np.zeros((3, 1))))
    assert found.least == found.nearest_first == pytest.approx((2 + (1 + 3) + 2) / 6)


def test_order_ratios__says_where_groups_were_too_large_to_be_exact(monkeypatch):
    monkeypatch.setattr(profile_orders, "MAX_EXACT", 2)
    edges = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    found = order_ratios(Graph.from_edges(edges, 5, attributes=np.zeros((5, 1))))
    assert not found.exact
    assert found.least <= found.best_known


def test_experiments__are_there_without_compiled_kernels():
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import garden.experiments.run.reproduce as r; r.experiment_named('gossip')",
        ],
        env={**os.environ, "GARDEN_KERNELS": "0"},
        check=True,
    )
