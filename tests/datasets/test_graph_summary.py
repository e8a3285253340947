import tracemalloc

import numpy as np
import pytest

from garden.datasets import graph_summary as statistics
from garden.datasets.graph_summary import graph_statistics
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.graphs.distances import distances
from garden.graphs.graph import Graph

GRAPH = kaiser_hilgetag(n=300, beta=1, seed=0)


def ring(num_nodes):
    ends = np.arange(num_nodes)
    return Graph.from_edges(np.stack([ends, np.roll(ends, 1)], axis=1), num_nodes)


def test_statistics__distances_are_those_of_all_pairs():
    hops = distances(GRAPH)
    found = graph_statistics(GRAPH)
    assert found["mean_distance"] == hops.sum() / (300 * 299)
    assert found["longest_distance_seen"] == hops.max()
    assert found["distance_sources"] == 300
    assert found["mean_distance_ci"] is None


def test_statistics__a_graph_with_many_edges_is_measured_from_fewer_sources(monkeypatch):
    monkeypatch.setattr(statistics, "MAX_STEPS", 100 * len(GRAPH.indices))
    found = graph_statistics(GRAPH)
    assert found["distance_sources"] == 100
    truth = distances(GRAPH).sum() / (300 * 299)
    low, high = found["mean_distance_ci"]
    assert low < truth < high
    assert low < found["mean_distance"] < high
    assert high - low < 0.1 * truth


def test_statistics__edges_in_blocks_have_the_same_homophily(monkeypatch):
    whole = graph_statistics(GRAPH)["cosine_over_edges"]
    monkeypatch.setattr(statistics, "EDGES_PER_BLOCK", 7)
    assert graph_statistics(GRAPH)["cosine_over_edges"] == whole


def test_statistics__equal_profiles_are_counted_once():
    table = np.array([[0, 1], [1, 0], [0, 1], [0, 0]], dtype=np.float32)
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    assert graph_statistics(Graph.from_edges(edges, 4, table))["distinct_profiles"] == 3


def test_statistics__no_table_of_all_distances_is_held():
    graph = ring(6000)  # 2,000 sources: a table of them would take 48 MB
    graph_statistics(ring(10))
    tracemalloc.start()
    found = graph_statistics(graph)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found["distance_sources"] == 2000
    assert found["mean_distance"] == pytest.approx(6000 * 6000 / 4 / 5999)
    assert peak < 12e6


def test_statistics__of_a_single_node_have_no_distances():
    found = graph_statistics(Graph.from_edges(np.empty((0, 2), dtype=int), 1))
    assert found["mean_distance"] == 0
    assert found["longest_distance_seen"] == 0
