"""Paths in rows: which beacons have one, over whom it goes, and what a card makes of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garden
from garden.errors import SpecError
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.search.rounds import node_keys, settle, settle_by_rounds
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.paths import LONGEST, steps_of, without_paths
from garden.testing import check_strategy

# Two stars of four leaves each, 0 and 5, joined by the path 0 – 10 – 11 – 5.
STARS = Graph.from_edges(
    np.array(
        [[0, 1], [0, 2], [0, 3], [0, 4], [5, 6], [5, 7], [5, 8], [5, 9], [0, 10], [10, 11], [11, 5]]
    ),
    12,
)
LINE = Graph.from_edges(np.stack([np.arange(99), np.arange(99) + 1], axis=1), 100)


def paths_of(rows, node):
    """The paths in one row: the keys by the key of the beacon."""
    steps = steps_of(rows.take(np.array([node])))
    found = {}
    for beacon, distance, key in zip(
        steps.beacons.tolist(), steps.distances.tolist(), steps.keys.tolist(), strict=True
    ):
        found.setdefault(beacon, []).append(key)
        assert len(found[beacon]) == distance
    return found


def expected_paths(graph, strategy, node):
    """The same by the definition, which sees the whole graph."""
    keys, apart = node_keys(graph, strategy.seed), distances(graph, np.arange(graph.num_nodes))
    classes = strategy.classes(graph.degrees)
    rank = [(-int(c), int(key)) for c, key in zip(classes, keys, strict=True)]
    found = {}
    for beacon in range(graph.num_nodes):
        far = apart[node, beacon]
        better = [
            other
            for other in range(graph.num_nodes)
            if rank[other] < rank[beacon] and 0 <= apart[node, other] <= far
        ]
        if far < 2 or len(better) >= strategy.paths:
            continue
        at, path = node, []
        while apart[at, beacon] > 1 and len(path) < LONGEST:
            nearer = [n for n in graph.neighbours(at) if apart[n, beacon] == apart[at, beacon] - 1]
            at = min(nearer, key=lambda n: keys[n])
            path.append(int(keys[at]))
        found[int(keys[beacon])] = path
    return found


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from(["degree", "hash"]))
def test_paths__are_those_of_the_definition(seed, paths, rank):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, 20, (26, 2)), 20)
    strategy = Beacons(k=3, paths=paths, rank=rank)
    rows = settle_by_rounds(graph, strategy, node_keys(graph, 0)).rows
    for node in range(graph.num_nodes):
        assert paths_of(rows, node) == expected_paths(graph, strategy, node)


def test_paths__of_a_leaf_lead_over_both_nodes_between_the_stars():
    keys = node_keys(STARS, 0).tolist()
    hub, far_hub = sorted((0, 5), key=lambda node: keys[node])  # of one class: the key decides
    between = (11, 10) if far_hub == 5 else (10, 11)
    leaf = next(node for node in STARS.neighbours(far_hub) if STARS.degrees[node] == 1)
    rows = settle(STARS, Beacons(k=2, paths=1)).rows
    assert paths_of(rows, leaf) == {keys[hub]: [keys[n] for n in (far_hub, *between)]}


def test_paths__end_after_the_keys_nearest_to_their_owner():
    rows = settle(LINE, Beacons(k=2, paths=2)).rows
    longest = max((paths_of(rows, node) for node in (0, 99)), key=lambda one: len(str(one)))
    assert max(map(len, longest.values())) == LONGEST
    plain = settle_by_rounds(LINE, Beacons(k=2, paths=2), node_keys(LINE, 0))
    assert np.array_equal(steps_of(plain.rows).keys, steps_of(rows).keys)


def test_paths__cost_eight_bytes_a_key_beside_the_sketch():
    plain, with_paths = (settle(STARS, Beacons(k=2, paths=paths)) for paths in (0, 2))
    steps = len(steps_of(with_paths.rows).keys)
    assert steps > 0
    gained = with_paths.cost.bytes_per_node - plain.cost.bytes_per_node
    assert gained == pytest.approx(8 * steps / 12)
    assert with_paths.cost.entries_per_node == plain.cost.entries_per_node
    rest = without_paths(with_paths.rows)
    assert all(
        np.array_equal(rest.ragged[n].values, plain.rows.ragged[n].values)
        for n in plain.rows.ragged
    )


def test_card__names_each_node_once_and_is_its_own_card():
    strategy = Beacons(k=3, paths=3, neighbours=2)
    rows = settle(garden.load("small-world:n=200,degree=4,rewired=0.05,seed=0"), strategy).rows
    card = strategy.card(rows)
    assert "path_keys" not in card.ragged
    keys = card.ragged["keys"]
    pairs = np.stack([keys.owner.astype(np.uint64), keys.values], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert len(keys.values) > len(rows.ragged["keys"].values)
    again = strategy.card(card)
    for name in card.ragged:
        assert np.array_equal(again.ragged[name].values, card.ragged[name].values)
        assert np.array_equal(again.ragged[name].offsets, card.ragged[name].offsets)


def test_paths__lead_into_a_community_that_no_sketch_names():
    graph = bridged_community()
    task = garden.SearchTask.split(graph, seed=0)
    without, along = (
        garden.evaluate(task, f"beacons:k=2,paths={paths}+backtrack").results[0] for paths in (0, 1)
    )
    assert along.oracle_ratio == pytest.approx(1.0, abs=0.02)
    assert without.oracle_ratio > 1.5


def bridged_community():
    """Two hubs of 60 leaves each; from a leaf of one hangs a line of twenty nodes."""
    first = [[0, node] for node in range(2, 62)]
    second = [[1, node] for node in range(62, 122)]
    line = [[61, 122], *([node, node + 1] for node in range(122, 141))]
    return Graph.from_edges(np.array([*first, *second, [0, 1], *line]), 142)


def test_paths__are_local_and_settle():
    check_strategy(Beacons(k=3, paths=2))


@pytest.mark.parametrize("spec", ["beacons:k=2,paths=3", "beacons:paths=-1", "beacons:paths=x"])
def test_paths__that_make_no_sense_are_refused(spec):
    with pytest.raises(SpecError, match="paths"):
        garden.evaluate(STARS, spec)
