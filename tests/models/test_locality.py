"""Every model sees ego graphs and nothing else."""

import numpy as np
import pytest

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.config import MODELS, ModelConfig
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import build_model

every_model = pytest.mark.parametrize("name", MODELS)


def random_graph(seed, num_nodes=24):
    rng = np.random.default_rng(seed)
    ring = np.stack([np.arange(num_nodes), (np.arange(num_nodes) + 1) % num_nodes], axis=1)
    edges = np.concatenate([ring, rng.integers(0, num_nodes, (30, 2))])
    return Graph.from_edges(edges, num_nodes, rng.normal(size=(num_nodes, 4)))


def policy_of(name, graph):
    model = build_model(name, graph.num_attributes, ModelConfig(hidden=8, embedding=6))
    model.standardise_by(graph.attributes)
    info = PolicyInfo(name, {}, "exact", False, "", "", "", 0, graph.attribute_names)
    return Policy(model, info)


@every_model
def test_represent__a_batch_equals_each_ego_graph_alone(name):
    graph = random_graph(0)
    policy, egos = policy_of(name, graph), ego_graphs(graph)
    together = policy.represent(egos).arrays["row"]
    for row in range(len(egos)):
        alone = egos.alone(row)
        assert policy.represent_one(alone).arrays["row"][0] == pytest.approx(
            together[row], abs=1e-5
        )
        batch = policy.represent(alone.as_batch()).arrays["row"][0]
        assert batch == pytest.approx(together[row], abs=1e-5)


@every_model
def test_represent__relabelling_nodes_moves_rows_and_changes_none(name):
    graph = random_graph(1)
    order = np.random.default_rng(9).permutation(graph.num_nodes)
    policy = policy_of(name, graph)
    before = policy.represent(ego_graphs(graph)).arrays["row"]
    after = policy.represent(ego_graphs(graph.subgraph(order))).arrays["row"]
    assert after == pytest.approx(before[order], abs=1e-5)


@every_model
def test_represent__nothing_outside_an_ego_graph_changes_its_row(name):
    graph = random_graph(2)
    policy = policy_of(name, graph)
    inside = {0, *graph.neighbours(0).tolist()}
    outside = [node for node in range(graph.num_nodes) if node not in inside]
    attributes = np.array(graph.attributes)
    attributes[outside] += 5
    kept = [edge for edge in graph.edges().tolist() if set(edge) <= inside]
    moved = [[outside[i], outside[(i + 3) % len(outside)]] for i in range(len(outside))]
    changed = Graph.from_edges(np.array(kept + moved), graph.num_nodes, attributes)
    before = policy.represent(ego_graphs(graph, np.array([0]))).arrays["row"]
    after = policy.represent(ego_graphs(changed, np.array([0]))).arrays["row"]
    assert np.array_equal(before, after)
