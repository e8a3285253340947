import math

import numpy as np
import pytest
import scipy.sparse as sp

from garden.datasets.perturb import rewired, with_noisy_profiles, without_profiles
from garden.errors import SpecError
from garden.graphs.graph import Graph


def a_graph(num_nodes=60, sparse=False):
    draws = np.random.default_rng(0)
    ring = np.stack([np.arange(num_nodes), (np.arange(num_nodes) + 1) % num_nodes], axis=1)
    more = draws.integers(num_nodes, size=(120, 2))
    table = (draws.random((num_nodes, 40)) < 0.5).astype(np.float32)
    attributes = sp.csr_array(table) if sparse else table
    return Graph.from_edges(np.concatenate([ring, more]), num_nodes, attributes)


def profiles(graph):
    table = graph.attributes
    return table.toarray() if isinstance(table, sp.csr_array) else np.asarray(table)


@pytest.mark.parametrize("sparse", [False, True])
def test_missing__so_many_profiles_are_zeros_and_the_others_as_they_were(sparse):
    graph = a_graph(sparse=sparse)
    perturbed = without_profiles(graph, 0.3, seed=1)
    gone = ~profiles(perturbed).any(axis=1)
    assert gone.sum() == 18
    assert (profiles(perturbed)[~gone] == profiles(graph)[~gone]).all()
    assert isinstance(perturbed.attributes, type(graph.attributes))
    assert (perturbed.indices == graph.indices).all()
    assert (profiles(without_profiles(graph, 0.3, seed=2)) != profiles(perturbed)).any()


def test_noise__lies_as_often_as_epsilon_says_and_not_at_all_at_infinity():
    graph = a_graph()
    flipped = (profiles(with_noisy_profiles(graph, 1.0, seed=0)) != profiles(graph)).mean()
    expected = 1 / (1 + math.e)
    assert abs(flipped - expected) < 4 * math.sqrt(expected * (1 - expected) / profiles(graph).size)
    assert (profiles(with_noisy_profiles(graph, math.inf, seed=0)) == profiles(graph)).all()


def test_noise__refuses_what_it_cannot_flip():
    graph = a_graph()
    with pytest.raises(SpecError, match="epsilon is 0: it must be above 0"):
        with_noisy_profiles(graph, 0, seed=0)
    real = Graph.from_edges(graph.edges(), graph.num_nodes, profiles(graph) * 0.5)
    with pytest.raises(SpecError, match="beyond yes and no"):
        with_noisy_profiles(real, 1.0, seed=0)


def test_rewired__as_many_links_change_and_all_stay_connected():
    graph = a_graph()
    perturbed = rewired(graph, 0.2, seed=3)
    before = {tuple(edge) for edge in graph.edges().tolist()}
    after = {tuple(edge) for edge in perturbed.edges().tolist()}
    assert len(after) == len(before)
    assert len(before - after) == round(0.2 * len(before))
    assert perturbed.components().max() == 0
    assert perturbed.node_names == graph.node_names


def test_rewired__a_tree_has_no_link_to_spare():
    path = Graph.from_edges(np.stack([np.arange(9), np.arange(1, 10)], axis=1), 10)
    with pytest.raises(SpecError, match="cannot be cut, since 9 of its 9 keep it connected"):
        rewired(path, 0.5, seed=0)
    with pytest.raises(SpecError, match="must lie between 0 and 1"):
        rewired(path, 1.5, seed=0)
