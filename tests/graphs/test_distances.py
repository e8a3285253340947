import sys
import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import GraphError
from garden.graphs.distances import (
    UNREACHABLE,
    distance_sums,
    distances,
    distances_plain,
    pair_distances,
)
from garden.graphs.graph import Graph


def test_distances__of_a_path_are_differences():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4)
    assert distances(graph).tolist() == [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]


def test_distances__unreachable_nodes_are_marked():
    graph = Graph.from_edges(np.array([[0, 1], [2, 3]]), 4)
    assert distances(graph, np.array([0])).tolist() == [[0, 1, UNREACHABLE, UNREACHABLE]]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 150), st.integers(0, 2**32 - 1))
def test_distances__equal_networkx_and_the_plain_definition(num_nodes, seed):
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, num_nodes, (2 * num_nodes, 2))
    graph = Graph.from_edges(edges, num_nodes)
    found = distances(graph)
    other = nx.Graph(graph.edges().tolist())
    other.add_nodes_from(range(num_nodes))
    expected = np.full((num_nodes, num_nodes), UNREACHABLE)
    for source, lengths in nx.all_pairs_shortest_path_length(other):
        expected[source, list(lengths)] = list(lengths.values())
    assert np.array_equal(found, expected)
    assert np.array_equal(found, distances_plain(graph, np.arange(num_nodes)))


def test_distances__of_a_path_longer_than_16_bits_do_not_overflow():
    num_nodes = 40_000
    ends = np.arange(num_nodes - 1)
    graph = Graph.from_edges(np.stack([ends, ends + 1], axis=1), num_nodes)
    assert np.array_equal(distances(graph, np.array([0]))[0], np.arange(num_nodes))
    assert np.array_equal(distances_plain(graph, np.array([0]))[0], np.arange(num_nodes))
    assert pair_distances(graph, np.array([[0, num_nodes - 1]])).tolist() == [num_nodes - 1]


def test_distances__repeated_sources_have_equal_rows():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]), 3)
    assert distances(graph, np.array([0, 2, 0])).tolist() == [[0, 1, 2], [2, 1, 0], [0, 1, 2]]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 150), st.integers(0, 2**32 - 1))
def test_distance_sums__are_those_of_the_table_of_distances(num_nodes, seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, num_nodes, (num_nodes, 2)), num_nodes)
    sources = rng.integers(0, num_nodes, 100)
    table = distances(graph, sources)
    known = table[table != UNREACHABLE]
    found = distance_sums(graph, sources)
    assert np.array_equal(found.totals, np.where(table == UNREACHABLE, 0, table).sum(axis=1))
    assert found[1:] == (len(known), known.max())


def test_distance_sums__without_numba_are_the_same(monkeypatch):
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [3, 4]]), 5)
    for _ in range(2):
        totals, num_paths, longest = distance_sums(graph, np.arange(5))
        assert totals.tolist() == [1 + 2, 1 + 1, 2 + 1, 1, 1]
        assert (num_paths, longest) == (9 + 4, 2)
        monkeypatch.setitem(sys.modules, "garden.graphs.kernels", None)


def test_pair_distances__follow_the_order_of_the_pairs():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4)
    assert pair_distances(graph, np.array([[0, 3], [2, 1], [3, 0]])).tolist() == [3, 1, 3]


@settings(max_examples=20, deadline=None)
@given(st.integers(130, 200), st.integers(0, 2**32 - 1))
def test_pair_distances__of_several_words_of_targets_are_those_of_the_table(num_nodes, seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, num_nodes, (3 * num_nodes, 2)), num_nodes)
    graph = graph.largest_component()
    pairs = rng.integers(0, graph.num_nodes, (400, 2))
    assert np.array_equal(pair_distances(graph, pairs), distances(graph)[pairs[:, 1], pairs[:, 0]])


def test_pair_distances__without_numba_are_the_same(monkeypatch):
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4)
    monkeypatch.setitem(sys.modules, "garden.graphs.kernels", None)
    assert pair_distances(graph, np.array([[0, 3], [2, 1], [3, 0]])).tolist() == [3, 1, 3]


def test_pair_distances__hold_no_table_of_all_nodes():
    num_nodes = 20_000
    ends = np.arange(num_nodes)
    graph = Graph.from_edges(np.stack([ends, np.roll(ends, 1)], axis=1), num_nodes)
    pairs = np.stack([ends[:64] + 9, ends[:64]], axis=1)
    pair_distances(graph, pairs)
    tracemalloc.start()
    assert set(pair_distances(graph, pairs).tolist()) == {9}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e6  # a table of 64 targets would take 5 MB


def test_pair_distances__name_the_pair_without_a_path():
    graph = Graph.from_edges(np.array([[0, 1], [2, 3]]), 4, node_names=["a", "b", "c", "d"])
    with pytest.raises(GraphError, match="no path from a to d"):
        pair_distances(graph, np.array([[0, 3]]))
