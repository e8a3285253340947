import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.graphs.distances import distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.chain import chain_table, hop_distributions, solve_chain, solve_chain_plain
from garden.strategies.walkers import DistanceWalker, GreedyWalker, RandomWalker

PATH = Graph.from_edges(np.array([[0, 1], [1, 2]]), 3, np.array([[0.0], [1.0], [2.0]]))
TRIANGLE = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 0]]), 3)


def random_connected_graph(seed, num_nodes=12):
    rng = np.random.default_rng(seed)
    tree = [[node, int(rng.integers(0, node))] for node in range(1, num_nodes)]
    extra = rng.integers(0, num_nodes, (num_nodes, 2)).tolist()
    attributes = rng.normal(size=(num_nodes, 2))
    return Graph.from_edges(np.array(tree + extra), num_nodes, attributes)


def test_chain__expected_hops_match_a_hand_solved_triangle():
    # From either other corner the target is hit with chance 1/2 at every hop: E[hops] = 2.
    walker = RandomWalker()
    table = chain_table(TRIANGLE, walker, walker.represent(ego_graphs(TRIANGLE)), [0], 200)
    assert table.expected_hops[0].tolist() == pytest.approx([0, 2, 2])
    short = chain_table(TRIANGLE, walker, walker.represent(ego_graphs(TRIANGLE)), [0], 3)
    assert short.expected_hops[0, 1] == pytest.approx(1 + 1 / 2 + 1 / 4)
    assert short.truncation[0, 1] == pytest.approx(1 / 8)


def test_chain__hop_distribution_matches_a_hand_solved_path():
    # From 0 to 2 on 0-1-2: 2 hops with chance 1/2, 4 with 1/4, then truncated at 5.
    walker = RandomWalker()
    rows = walker.represent(ego_graphs(PATH))
    table = hop_distributions(PATH, walker, rows, np.array([[0, 2], [1, 2]]), 5)
    assert table[0].tolist() == pytest.approx([0, 1 / 2, 0, 1 / 4, 0, 1 / 4])
    assert table[1].tolist() == pytest.approx([1 / 2, 0, 1 / 4, 0, 1 / 8, 1 / 8])


def test_chain__greedy_walks_straight_down_a_homophilous_path():
    walker = GreedyWalker()
    table = chain_table(PATH, walker, walker.represent(ego_graphs(PATH)), [2, 0], 10)
    assert table.expected_hops.tolist() == [[2, 1, 0], [0, 1, 2]]
    assert table.truncation.max() == 0


def test_chain__argmax_ties_share_equally():
    # All profiles alike: greedy is a random walk.
    flat = Graph.from_edges(TRIANGLE.edges(), 3, np.ones((3, 1)))
    walker = GreedyWalker()
    table = chain_table(flat, walker, walker.represent(ego_graphs(flat)), [0], 300)
    assert table.expected_hops[0].tolist() == pytest.approx([0, 2, 2])


@pytest.mark.parametrize("temperature", [1e-4, 100.0])
def test_chain__extreme_temperatures_stay_finite(temperature):
    graph = random_connected_graph(5)
    walker = DistanceWalker(temperature=temperature)
    table = chain_table(graph, walker, walker.represent(ego_graphs(graph)), np.arange(12), 50)
    assert np.isfinite(table.expected_hops).all()
    assert ((table.truncation >= 0) & (table.truncation <= 1 + 1e-12)).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["softmax", "argmax"]))
def test_chain__compiled_equals_its_plain_definition(seed, selection):
    graph = random_connected_graph(seed)
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 3, graph.num_nodes).astype(float)
    sources = np.array([1, 5, 5])
    fast = solve_chain(graph, scores, selection, 7, 20, sources)
    plain = solve_chain_plain(graph, scores, selection, 7, 20, sources)
    for ours, theirs in zip(fast, plain, strict=True):
        assert np.allclose(ours, theirs, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 40.0, 800.0, 1e4]))
def test_chain__hops_too_unlikely_for_a_float_are_left_out_without_loss(seed, spread):
    graph = random_connected_graph(seed, 23)
    scores = np.random.default_rng(seed).uniform(-spread, 0, graph.num_nodes)
    fast = solve_chain(graph, scores, "softmax", 7, 50, np.arange(23))
    plain = solve_chain_plain(graph, scores, "softmax", 7, 50, np.arange(23))
    for ours, theirs in zip(fast, plain, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_chain__a_delivered_chain_ends_early_and_the_rest_is_zero():
    walker = RandomWalker()
    scores = np.zeros(3)
    sources = np.array([1, 2])
    for solve in (solve_chain, solve_chain_plain):
        expected, truncation, survival = solve(
            TRIANGLE, scores, walker.selection, 0, 1_000_000, sources
        )
        assert expected.tolist() == pytest.approx([0, 2, 2])
        assert truncation.max() == 0
        assert survival[:, :3].tolist() == [[1, 0.5, 0.25]] * 2
        assert survival[:, 60:].max() == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 10))
def test_chain__no_strategy_beats_the_oracle_and_chances_sum_to_one(seed, temperature):
    graph = random_connected_graph(seed)
    walker = DistanceWalker(temperature=temperature)
    rows = walker.represent(ego_graphs(graph))
    table = chain_table(graph, walker, rows, np.arange(12), 30)
    assert (table.expected_hops >= distances(graph) - 1e-9).all()
    pairs = np.array([[0, 11], [3, 4], [9, 2]])
    probabilities = hop_distributions(graph, walker, rows, pairs, 30)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities >= -1e-12).all()
    mean = probabilities @ np.minimum(np.arange(1, 32), 30)
    assert np.allclose(mean, table.expected_hops[pairs[:, 1], pairs[:, 0]])
