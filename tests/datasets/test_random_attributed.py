"""Random attributed graphs, pieces of graphs and graphs that show less."""

import numpy as np
import pytest

from garden.datasets.random_attributed import attributed, positioned
from garden.datasets.spec import load
from garden.datasets.subgraphs import snowball_sample, thinned

SEEDS = range(30)


@pytest.mark.parametrize("make", [attributed, lambda seed: thinned(attributed(seed), seed)])
def test_attributed__graphs_are_connected_and_a_seed_says_everything(make):
    for seed in SEEDS:
        graph = make(seed)
        assert graph.components().max() == 0
        assert graph.num_nodes >= 20
        assert graph.num_attributes >= 1
        assert graph.content_hash == make(seed).content_hash


@pytest.mark.parametrize("seed", [0, 2001, 2004])
def test_attributed__a_spec_is_the_same_graph_to_the_last_bit(seed):
    graph = load(f"attributed:seed={seed}")
    assert graph == attributed(seed)
    assert graph.name == attributed(seed).name


def test_attributed__kinds_differ():
    graphs = [attributed(seed) for seed in SEEDS]
    real = [not np.isin(graph.attributes, (0, 1)).all() for graph in graphs]
    blank = [(~graph.attributes.any(axis=1)).any() for graph in graphs]
    repeats = [len(np.unique(graph.attributes, axis=0)) < graph.num_nodes for graph in graphs]
    for flags in (real, blank, repeats):
        assert 0 < sum(flags) < len(graphs)
    assert len({graph.content_hash for graph in graphs}) == len(graphs)


def test_thinned__shows_less_than_the_graph_did():
    graph = attributed(1)
    thin = thinned(graph, 5)
    assert thin.num_edges < graph.num_edges
    assert (
        np.sort(thin.degrees)[: thin.num_nodes // 4].mean()
        < np.sort(graph.degrees)[: graph.num_nodes // 4].mean()
    )


def test_snowball_sample__is_a_connected_part_of_the_graph():
    graph = attributed(3)
    for seed in range(6):
        piece = snowball_sample(graph, 40, seed)
        assert 10 <= piece.num_nodes <= 40
        assert piece.components().max() == 0
        places = [graph.position(name) for name in piece.node_names]
        assert graph.adjacency()[places][:, places].nnz == 2 * piece.num_edges


def test_positioned__links_join_the_nearest_nodes_and_attributes_are_their_positions():
    graph = positioned(200, 9, 2, scale=3.0, seed=4)
    table = np.asarray(graph.attributes)
    assert table.shape == (graph.num_nodes, 2)
    assert 0 <= table.min() < 0.3
    assert 2.7 < table.max() <= 3
    ends = table[graph.edges()]
    apart = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    radius = 3 * np.sqrt(9 / (np.pi * 200))
    assert radius / 2 < apart.max() <= radius * 1.0001
    assert 6 < graph.degrees.mean() < 9  # the border takes some


def test_positioned__a_seed_gives_the_same_graph():
    assert positioned(80, seed=1).content_hash == positioned(80, seed=1).content_hash
    assert positioned(80, seed=1).content_hash != positioned(80, seed=2).content_hash
