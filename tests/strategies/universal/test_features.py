"""Pairwise features of two ego graphs, free of attribute identity and of scale."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.universal import pair_features as pair_features_module
from garden.strategies.universal.features import (
    AT,
    PAIR_FEATURES,
    plain_pair_features,
)
from garden.strategies.universal.pair_features import pair_features
from garden.strategies.universal.representation import (
    MAX_MEMBERS,
    SHAPE,
    ego_representations,
    feature_rows,
)


def rows_of_graph(graph):
    return ego_representations(ego_graphs(graph))


def random_graph(seed, table, num_nodes=30, num_links=60):
    rng = np.random.default_rng(seed)
    ring = np.stack([np.arange(num_nodes), (np.arange(num_nodes) + 1) % num_nodes], axis=1)
    edges = np.concatenate([ring, rng.integers(0, num_nodes, (num_links, 2))])
    return Graph.from_edges(edges, num_nodes, table(rng, num_nodes))


def bits(rng, num_nodes):
    return (rng.random((num_nodes, 6)) < 0.4).astype(float)


def numbers(rng, num_nodes):
    return rng.normal(size=(num_nodes, 2))


def sometimes_twos(rng, num_nodes):
    """Columns that only some ego graphs show to be more than bits."""
    table = bits(rng, num_nodes)
    table[rng.integers(0, num_nodes, 3), rng.integers(0, 6, 3)] = 2
    return table


def mixed(rng, num_nodes):
    return np.concatenate([sometimes_twos(rng, num_nodes), numbers(rng, num_nodes)], axis=1)


def blank(rng, num_nodes):
    return bits(rng, num_nodes) * (rng.random((num_nodes, 1)) < 0.3)


def sparse(rng, num_nodes):
    return sp.csr_array(mixed(rng, num_nodes))


def many_counts(rng, num_nodes):
    """Counts of many words, most of them 0: more real columns than are compared one by one."""
    return sp.csr_array(
        (rng.random((num_nodes, 120)) < 0.15) * rng.integers(1, 5, (num_nodes, 120))
    )


def many_numbers(rng, num_nodes):
    return rng.normal(size=(num_nodes, 40))


def plain_features(rows, pairs):
    plain = feature_rows(rows)
    return [plain_pair_features(plain, plain, v, t) for v, t in pairs.tolist()]


def all_pairs(num_nodes, targets):
    nodes = np.arange(num_nodes)
    return np.stack([np.tile(nodes, len(targets)), np.repeat(targets, num_nodes)], axis=1)


TABLES = [bits, numbers, sometimes_twos, mixed, blank, sparse, many_counts, many_numbers]


@pytest.mark.parametrize("many_real", [pair_features_module.MANY_REAL, -1])
@pytest.mark.parametrize("table", TABLES)
def test_features__the_compiled_kernels_equal_their_definition(table, many_real, monkeypatch):
    monkeypatch.setattr(pair_features_module, "MANY_REAL", many_real)
    graph = random_graph(0, table)
    rows = rows_of_graph(graph)
    pairs = all_pairs(graph.num_nodes, [3, 17, 3, 0])
    compiled = pair_features(rows, rows, pairs)
    plain = plain_features(rows, pairs)
    assert np.allclose(compiled, plain, atol=1e-5)


def test_features__of_a_star_with_more_neighbours_than_are_sent_equals_its_definition():
    edges = np.stack([np.zeros(50, dtype=int), np.arange(1, 51)], axis=1)
    table = (np.random.default_rng(1).random((51, 5)) < 0.5).astype(float)
    rows = rows_of_graph(Graph.from_edges(edges, 51, table))
    assert np.diff(rows.ragged["members"].offsets).max() == MAX_MEMBERS + 1
    pairs = np.array([[0, 1], [1, 0], [0, 0]])
    plain = plain_features(rows, pairs)
    assert np.allclose(pair_features(rows, rows, pairs), plain, atol=1e-5)


def test_features__of_a_pair_do_not_depend_on_the_pairs_beside_it():
    few, many = random_graph(0, numbers), random_graph(1, many_counts)
    rows = rows_of_graph(few), rows_of_graph(many)
    for one in rows:
        pairs = all_pairs(30, [3, 17])
        together = pair_features(one, one, pairs)
        alone = [pair_features(one, one, pairs[[number]])[0] for number in range(0, 60, 7)]
        assert np.array_equal(together[::7], alone)


def test_features__some_pairs_with_many_real_columns_among_others_equal_their_definition():
    def half(rng, num_nodes):
        table = many_counts(rng, num_nodes).toarray()
        table[: num_nodes // 2] = table[: num_nodes // 2] > 0
        return table

    rows = rows_of_graph(random_graph(3, half, num_links=5))
    pairs = all_pairs(30, [7, 25])
    counts = np.diff(rows.ragged["real_columns"].offsets)
    many = counts[pairs].sum(axis=1) > pair_features_module.MANY_REAL
    assert many.any()
    assert not many.all()
    assert np.allclose(pair_features(rows, rows, pairs), plain_features(rows, pairs), atol=1e-5)


def path_of_four():
    """0 – 1 – 2 – 3 with profiles a, ab, b, c."""
    table = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    return Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4, table)


def named(graph, candidate, target):
    rows = rows_of_graph(graph)
    values = pair_features(rows, rows, np.array([[candidate, target]]))[0]
    return dict(zip(PAIR_FEATURES, values.tolist(), strict=True))


def test_features__of_a_path_matches_what_a_hand_computes():
    two_away = named(path_of_four(), 1, 3)
    assert two_away["own"] == two_away["seen"] == two_away["beside"] == 0
    assert two_away["common_log"] == pytest.approx(math.log(2))  # node 1 shows node 2's profile
    assert two_away["v_u_mean"] == pytest.approx(0.5)  # {a, b} against {b}
    assert two_away["w_u_max"] == 1
    assert two_away["u_to_v"] == 1
    assert two_away["degree"] == pytest.approx(math.log(3))
    linked = named(path_of_four(), 2, 3)
    assert linked["linked"] == linked["same_link"] == 1
    itself = named(path_of_four(), 3, 3)
    assert itself["same"] == 1
    assert itself["far_v_t"] == 0


def test_features__a_decoy_is_unmasked_by_the_neighbours_it_shares():
    # 0 and 3 look alike, and so do 1 and 4; but 0 – 1 have a common neighbour, 3 – 4 have none.
    table = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=float)
    edges = np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4]])
    graph = Graph.from_edges(edges, 5, table)
    assert named(graph, 1, 0)["same_link"] == 1
    decoy = named(graph, 4, 0)
    assert decoy["linked"] == 1
    assert decoy["same_link"] == 0


@pytest.mark.parametrize("table", [bits, numbers, mixed])
def test_features__does_not_care_which_attribute_is_which(table):
    graph = random_graph(2, table)
    order = np.random.default_rng(3).permutation(graph.num_attributes)
    turned = replace(graph, attributes=np.ascontiguousarray(graph.attributes[:, order]))
    # Beyond MAX_MEMBERS the sample follows the keys; here every ego graph is sent whole.
    pairs = all_pairs(graph.num_nodes, [4, 9])
    before = pair_features(rows_of_graph(graph), rows_of_graph(graph), pairs)
    after = pair_features(rows_of_graph(turned), rows_of_graph(turned), pairs)
    assert np.allclose(before, after, atol=1e-5)


def test_features__does_not_care_for_the_units_of_real_attributes():
    graph = random_graph(4, numbers)
    units = np.array([1000.0, 0.25], dtype=np.float32)
    scaled = replace(graph, attributes=graph.attributes * units + np.float32(8))
    pairs = all_pairs(graph.num_nodes, [4, 9])
    before = pair_features(rows_of_graph(graph), rows_of_graph(graph), pairs)
    after = pair_features(rows_of_graph(scaled), rows_of_graph(scaled), pairs)
    before, after = (np.delete(one, [AT.direct, AT.direct_log], axis=1) for one in (before, after))
    assert np.allclose(before, after, atol=1e-3)


def test_features__direct_goes_by_raw_distances_in_units_of_what_the_target_shows():
    edges, table = np.array([[0, 1], [1, 2]]), np.array([[0.0, 0], [3, 4], [3, 10]])
    rows = rows_of_graph(Graph.from_edges(edges, 3, table))
    direct = pair_features(rows, rows, np.array([[2, 0], [2, 1], [0, 0]]))[:, AT.direct]
    spreads = 5**2, (5**2 + 6**2) / 2  # of nodes 0 and 1
    apart = 3**2 + 10**2, 6**2
    want = [*(math.sqrt(a / s) for a, s in zip(apart, spreads, strict=True)), 0]
    assert direct == pytest.approx(want, rel=1e-5)


def test_features__profiles_that_tell_nothing_apart_say_so():
    star = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    table = np.array([[1.0, 0], [1, 0], [1, 0], [0, 0], [0, 1]])
    rows = rows_of_graph(Graph.from_edges(star, 5, table))
    of_centre, of_leaf = pair_features(rows, rows, np.array([[0, 1], [1, 0]]))
    for features, side in ((of_centre, ""), (of_leaf, "_t")):
        shares = [features[getattr(AT, f"{name}{side}")] for name in ("distinct", "alike", "blank")]
        assert shares == pytest.approx([3 / 4, 2 / 4, 1 / 4])
    assert of_leaf[AT.alike] == of_centre[AT.alike_t] == 1


def test_represent__a_lone_node_has_a_row():
    alone = Graph.from_edges(np.empty((0, 2), dtype=int), 1, np.ones((1, 2)))
    rows = rows_of_graph(alone)
    assert np.isfinite(pair_features(rows, rows, np.array([[0, 0]]))).all()


def test_features__shapes_of_candidates_stand_in_the_order_that_the_kernel_copies():
    assert PAIR_FEATURES[AT.degree : AT.blank + 1] == SHAPE._fields[:-1]
