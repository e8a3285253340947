"""The compiled build of sketches: the definition, and rounds, entry for entry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import GraphError
from garden.graphs.distances import UNREACHABLE, distances
from garden.graphs.graph import Graph
from garden.search.rounds import node_keys, settle, settle_by_rounds
from garden.search.sketch_kernels import built_sketches
from garden.strategies.gossip.beacons import Beacons

NAMES = ("keys", "distances", "classes", "neighbours")


@st.composite
def graphs(draw, max_nodes=24):
    """Graphs of several components, isolated nodes among them."""
    num_nodes = draw(st.integers(1, max_nodes))
    num_edges = draw(st.integers(0, 2 * num_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes)


beacons = st.builds(
    Beacons,
    k=st.integers(1, 8),
    rank=st.sampled_from(["degree", "hash"]),
    seed=st.integers(0, 2**64 - 1),
)


def ranks_of(graph, strategy):
    """Whose rank is the least is the best."""
    keys, degrees = node_keys(graph, strategy.seed).tolist(), graph.degrees.tolist()
    by_degree = strategy.rank == "degree"
    classes = [(degree**2).bit_length() - 1 if by_degree else 0 for degree in degrees]
    return [(-one, key) for one, key in zip(classes, keys, strict=True)]


def defined_sketch(table, ranks, k, node):
    """Who has fewer than k better-ranked nodes within its distance: (distance, rank), sorted."""
    reached = [other for other in range(len(ranks)) if table[node][other] != UNREACHABLE]
    return sorted(
        (int(table[node][one]), ranks[one])
        for one in reached
        if sum(
            ranks[other] < ranks[one] and table[node][other] <= table[node][one]
            for other in reached
        )
        < k
    )


@settings(max_examples=60, deadline=None)
@given(graphs(), beacons)
def test_sketches__are_those_of_the_definition_by_distances(graph, strategy):
    rows, ranks = settle(graph, strategy).rows, ranks_of(graph, strategy)
    table = distances(graph)
    for node in range(graph.num_nodes):
        keys, hops, classes, others = (rows.take(np.array([node])).ragged[name] for name in NAMES)
        found = [
            (distance, (-one, key))
            for distance, one, key in zip(
                hops.values.tolist(), classes.values.tolist(), keys.values.tolist(), strict=True
            )
        ]
        assert found == defined_sketch(table, ranks, strategy.k, node)
        neighbours = {ranks[other] for other in graph.neighbours(node)}
        left = sorted(neighbours - {rank for _, rank in found})
        assert others.values.tolist() == [key for _, key in left]


@settings(max_examples=60, deadline=None)
@given(graphs(), beacons)
def test_sketches__the_build_equals_rounds_entry_for_entry_and_in_what_they_cost(graph, strategy):
    built = settle(graph, strategy)
    told = settle_by_rounds(graph, strategy, node_keys(graph, strategy.seed))
    for name in NAMES:
        ours, theirs = built.rows.ragged[name], told.rows.ragged[name]
        assert ours.values.dtype == theirs.values.dtype
        assert ours.values.tolist() == theirs.values.tolist()
        assert ours.offsets.tolist() == theirs.offsets.tolist()
    assert built.cost == told.cost


@settings(max_examples=40, deadline=None)
@given(graphs(), beacons)
def test_sketches__hold_at_most_k_entries_at_each_distance(graph, strategy):
    hops = settle(graph, strategy).rows.ragged["distances"]
    pairs, counts = np.unique(
        np.stack([hops.owner, hops.values.astype(np.int64)]), axis=1, return_counts=True
    )
    assert counts.max() <= strategy.k
    furthest = np.zeros(graph.num_nodes, dtype=np.int64)
    np.maximum.at(furthest, pairs[0], pairs[1])
    assert (np.diff(hops.offsets) <= strategy.k * (1 + furthest)).all()


def test_sketches__grow_beyond_the_room_that_was_first_made_for_them():
    graph = Graph.from_edges(np.stack([np.arange(59), np.arange(1, 60)], axis=1), 60)
    rows = settle(graph, Beacons(k=60)).rows
    assert np.diff(rows.ragged["keys"].offsets).tolist() == [60] * 60


def test_sketches__a_k_beyond_the_number_of_nodes_keeps_everybody_and_takes_no_more_room():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [3, 4]]), 5)
    keys, classes = node_keys(graph, 0), np.zeros(5, dtype=np.int8)
    rows = built_sketches(graph, keys, classes, 10**15)
    assert np.diff(rows.ragged["keys"].offsets).tolist() == [3, 3, 3, 2, 2]


def path_from_the_best(num_nodes):
    """A path whose best-ranked node stands second; an end has a lower class."""
    keys = node_keys(Graph.from_edges(np.empty((0, 2)), num_nodes), 0)
    best = np.argsort(keys)[0]
    nodes = np.insert(np.setdiff1d(np.arange(num_nodes), [best]), 1, best)
    return Graph.from_edges(np.stack([nodes[:-1], nodes[1:]], axis=1), num_nodes, name="a path")


def test_sketches__distances_end_at_65535_and_what_is_further_is_refused():
    longest = settle(path_from_the_best(65_537), Beacons(k=1))
    assert longest.cost.rounds == 65_535
    assert longest.rows.ragged["distances"].values.max() == 65_535
    with pytest.raises(GraphError, match="a path: a beacon is more than 65535 hops away"):
        settle(path_from_the_best(65_538), Beacons(k=1))


def test_sketches__beyond_255_hops_are_those_of_rounds():
    graph = path_from_the_best(600)
    strategy = Beacons(k=2)
    built = settle(graph, strategy).rows
    told = settle_by_rounds(graph, strategy, node_keys(graph, 0)).rows
    assert built.ragged["distances"].values.max() > 255
    for name in NAMES:
        assert built.ragged[name].values.tolist() == told.ragged[name].values.tolist()
