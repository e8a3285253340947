"""Every registered strategy sees ego graphs and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Fitted, Tempered
from garden.strategies.registry import WALKERS
from garden.strategies.universal.features import NUM_FEATURES
from garden.strategies.universal.policy import Universal, UniversalWeights


def random_graph(seed, num_nodes=24, sparse=False):
    rng = np.random.default_rng(seed)
    ring = np.stack([np.arange(num_nodes), (np.arange(num_nodes) + 1) % num_nodes], axis=1)
    edges = np.concatenate([ring, rng.integers(0, num_nodes, (30, 2))])
    attributes = rng.integers(0, 2, (num_nodes, 4)).astype(float)
    return Graph.from_edges(edges, num_nodes, sp.csr_array(attributes) if sparse else attributes)


def universal():
    """An untrained `universal`: locality holds whatever its weights are."""
    draws = np.random.default_rng(7)
    shapes = {"mean": (), "scale": (), "first": (8,), "first_bias": (8,)}
    parts = {name: draws.normal(size=(NUM_FEATURES, *shape)) for name, shape in shapes.items()}
    parts["first_bias"] = parts["first_bias"][0]
    hidden = {"second": draws.normal(size=(8, 8)), "second_bias": draws.normal(size=8)}
    last = {"last": draws.normal(size=(8, 2)), "last_bias": draws.normal(size=2)}
    return Universal(UniversalWeights(**parts, **hidden, **last), bound=1.5, temperature=1.0)


STRATEGIES = {**WALKERS, "universal": universal}


def ready(name, graph):
    strategy = STRATEGIES[name]()
    if isinstance(strategy, Fitted):
        strategy = strategy.fit(ego_graphs(graph))
    if isinstance(strategy, Tempered):
        strategy = strategy.with_temperature(0.7)
    return strategy


def rows_of(representations):
    """Each row as plain values, whatever the representation holds."""
    plain = []
    for row in range(len(representations)):
        one = representations.take(np.array([row]))
        arrays = {
            key: (value.toarray() if sp.issparse(value) else value).tolist()
            for key, value in one.arrays.items()
        }
        plain.append((arrays, {key: value.values.tolist() for key, value in one.ragged.items()}))
    return plain


every_strategy = pytest.mark.parametrize("name", STRATEGIES)
either_storage = pytest.mark.parametrize("sparse", [False, True])


@every_strategy
@either_storage
def test_represent__a_batch_equals_each_ego_graph_alone(name, sparse):
    graph = random_graph(0, sparse=sparse)
    strategy, egos = ready(name, graph), ego_graphs(graph)
    together = rows_of(strategy.represent(egos))
    alone = [rows_of(strategy.represent_one(egos.alone(row)))[0] for row in range(len(egos))]
    assert together == alone


@every_strategy
def test_represent__relabelling_nodes_moves_rows_and_changes_none(name):
    graph = random_graph(1)
    order = np.random.default_rng(9).permutation(graph.num_nodes)
    strategy = ready(name, graph)
    before = rows_of(strategy.represent(ego_graphs(graph)))
    after = rows_of(strategy.represent(ego_graphs(graph.subgraph(order))))
    assert after == [before[node] for node in order]


@every_strategy
def test_represent__nothing_outside_an_ego_graph_changes_its_row(name):
    graph = random_graph(2)
    strategy = ready(name, graph)
    centre = 0
    inside = {centre, *graph.neighbours(centre).tolist()}
    outside = [node for node in range(graph.num_nodes) if node not in inside]
    attributes = np.array(graph.attributes)
    attributes[outside] = 1 - attributes[outside]
    # Every edge with at most one end inside is rewired to run among the outsiders.
    kept = [edge for edge in graph.edges().tolist() if set(edge) <= inside]
    moved = [[outside[i], outside[(i + 3) % len(outside)]] for i in range(len(outside))]
    changed = Graph.from_edges(np.array(kept + moved), graph.num_nodes, attributes)
    before = rows_of(strategy.represent(ego_graphs(graph, np.array([centre]))))
    after = rows_of(strategy.represent(ego_graphs(changed, np.array([centre]))))
    assert before == after


@every_strategy
@either_storage
def test_score__the_table_equals_the_pairs(name, sparse):
    graph = random_graph(3, sparse=sparse)
    strategy = ready(name, graph)
    rows = strategy.represent(ego_graphs(graph))
    targets = rows.take(np.array([5, 0, 5, 17]))
    table = strategy.score(rows, targets)
    assert table.shape == (4, graph.num_nodes)
    for number in range(4):
        repeated = targets.take(np.full(graph.num_nodes, number))
        assert np.allclose(strategy.score_pairs(rows, repeated), table[number], atol=1e-12)


@every_strategy
def test_represent__says_how_many_bytes_a_row_costs(name):
    graph = random_graph(4)
    rows = ready(name, graph).represent(ego_graphs(graph))
    assert rows.bytes_per_row.shape == (graph.num_nodes,)
    assert (rows.bytes_per_row >= 0).all()
    if name == "bidirectional":
        assert rows.bytes_per_row.tolist() == (8 * (graph.degrees + 1)).tolist()
