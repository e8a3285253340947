"""Random geometric graphs with positions as attributes."""

import numpy as np

from garden.datasets.positioned import positioned


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
