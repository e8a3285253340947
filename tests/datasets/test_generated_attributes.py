"""Attributes of generated graphs: the forest, the formula of each kind, noise and gaps."""

import numpy as np
import pytest

from garden.datasets.generated_attributes import (
    AttributeModel,
    attribute_table,
    parents_towards,
    resolved,
)
from garden.datasets.random_graphs import block_model, power_law, small_world
from garden.graphs.graph import Graph


def parents_one_by_one(graph, founders):
    """The definition: hops to the nearest founder by a queue, then the first nearer neighbour."""
    depth = dict.fromkeys(founders, 0)
    queue = list(founders)
    for node in queue:
        for other in graph.neighbours(node).tolist():
            if other not in depth:
                depth[other] = depth[node] + 1
                queue.append(other)
    parents = []
    for node in range(graph.num_nodes):
        nearer = [
            other
            for other in graph.neighbours(node).tolist()
            if depth.get(node) and depth[other] == depth[node] - 1
        ]
        parents.append(nearer[0] if nearer else -1)
    return parents


@pytest.mark.parametrize("seed", range(4))
def test_parents__are_the_first_neighbours_one_hop_nearer_to_a_founder(seed):
    graph = small_world(120, 4, 0.3, seed)
    founders = np.sort(np.random.default_rng(seed).choice(120, 3, replace=False))
    found = parents_towards(graph.indptr, graph.indices, founders)
    assert found.tolist() == parents_one_by_one(graph, founders.tolist())


def test_parents__a_node_that_no_path_leads_to_has_none():
    graph = Graph.from_edges(np.array([(0, 1), (2, 3)]), 5)
    found = parents_towards(graph.indptr, graph.indices, np.array([0]))
    assert found.tolist() == [-1, 0, -1, -1, -1]


def test_resolved__a_chain_of_any_length_hands_its_first_value_on():
    source = np.arange(-1, 999)
    source[500] = -1
    values = resolved(np.arange(1000), source)
    assert values.tolist() == [0] * 500 + [500] * 500


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_attributes__correlations_along_the_forest_fall_as_powers_of_homophily(kind):
    graph = power_law(4000, 8, seed=1)
    model = AttributeModel(60, kind, blocks=5, homophily=0.7)
    table, _ = attribute_table(graph, model, seed=1)
    rng = np.random.Generator(np.random.PCG64([1, 28, 0]))
    founders = np.sort(rng.choice(4000, 5, replace=False))
    parents = parents_towards(graph.indptr, graph.indices, founders)
    z = (table - (0.5 if kind == "binary" else 0)) / (0.5 if kind == "binary" else 1)
    ancestor = np.arange(4000)
    for steps in (1, 2):
        ancestor = np.where(ancestor >= 0, parents[ancestor], -1)
        some = ancestor >= 0
        together = (z[some] * z[ancestor[some]]).mean()
        # Siblings share a parent's value: the figures vary more than independent ones would.
        assert together == pytest.approx(0.7**steps, abs=0.06)


def test_attributes__extreme_homophily_is_one_profile_a_block_or_none_shared():
    graph = block_model(600, 10, within=0.9, seed=2, model=AttributeModel(blocks=6))
    model = AttributeModel(40, blocks=6, homophily=1.0)
    blocks = np.random.default_rng(0).integers(6, size=600)
    table, _ = attribute_table(graph, model, 2, blocks)
    assert len(np.unique(table, axis=0)) == 6
    for block in range(6):
        assert len(np.unique(table[blocks == block], axis=0)) == 1
    table, _ = attribute_table(graph, AttributeModel(40, blocks=6, homophily=0.0), 2, blocks)
    edges = graph.edges()
    assert (table[edges[:, 0]] == table[edges[:, 1]]).mean() == pytest.approx(0.5, abs=0.01)


def test_attributes__a_category_is_one_of_its_levels_and_all_are_as_frequent():
    table, names = attribute_table(
        power_law(3000, 6, seed=2), AttributeModel(2, "categorical", levels=4, homophily=0), 5
    )
    assert names == [f"x{a}={level}" for a in range(2) for level in range(4)]
    assert (table.reshape(3000, 2, 4).sum(axis=2) == 1).all()
    assert table.mean(axis=0) == pytest.approx(np.full(8, 0.25), abs=4 * 0.43 / np.sqrt(3000))


def test_attributes__noise_draws_a_share_of_values_anew_and_nothing_else_changes():
    graph = small_world(2000, 6, 0.1, seed=1)
    plain, _ = attribute_table(graph, AttributeModel(10, "real"), 4)
    noisy, _ = attribute_table(graph, AttributeModel(10, "real", noise=0.3), 4)
    assert (plain != noisy).mean() == pytest.approx(0.3, abs=4 * 0.46 / np.sqrt(20_000))


def test_attributes__missing_profiles_are_zeros_and_the_others_stay():
    graph = small_world(2000, 6, 0.1, seed=1)
    plain, _ = attribute_table(graph, AttributeModel(30), 4)
    gaps, _ = attribute_table(graph, AttributeModel(30, missing=0.25), 4)
    empty = ~gaps.any(axis=1)
    assert empty.mean() == pytest.approx(0.25, abs=4 * 0.43 / np.sqrt(2000))
    assert (gaps[~empty] == plain[~empty]).all()


def test_attributes__more_of_them_leave_the_first_ones_as_they_are():
    graph = small_world(300, 6, 0.1, seed=1)
    few, many = (attribute_table(graph, AttributeModel(count), 4)[0] for count in (3, 9))
    assert (few == many[:, :3]).all()


def test_attributes__real_values_have_mean_zero_and_variance_one():
    table, _ = attribute_table(power_law(3000, 6), AttributeModel(20, "real", homophily=0), 1)
    assert table.mean() == pytest.approx(0, abs=4 / np.sqrt(60_000))
    assert (table**2).mean() == pytest.approx(1, abs=4 * 0.9 / np.sqrt(60_000))
    assert np.abs(table).max() <= np.float32(np.sqrt(3))
