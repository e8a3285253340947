"""What single changes of a graph cost."""

import numpy as np
import pytest

from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.search.agent_network import UpdateCost
from garden.search.sketch_updates import cost_summary, links_of, update_costs


def test_links_of__equal_keys_are_refused():
    graph = Graph.from_edges(np.array([(0, 1), (1, 2)]), 3)
    assert links_of(graph, np.array([7, 8, 9], dtype=np.uint64)) == {7: (8,), 8: (7, 9), 9: (8,)}
    with pytest.raises(GraphError, match="same key"):
        links_of(graph, np.array([7, 8, 7], dtype=np.uint64))


def test_update_costs__has_as_many_of_each_kind_as_asked_and_depends_on_the_seed_alone():
    edges = np.array([(at, (at + step) % 20) for at in range(20) for step in (1, 3)])
    graph = Graph.from_edges(edges, 20)
    keys = np.arange(20, dtype=np.uint64) + np.uint64(2**63)
    costs = update_costs(graph, keys, k=4, num_changes=5, seed=1)
    assert [*costs] == [
        *("link removed", "link added", "node left", "node joined", "link between strangers"),
    ]
    assert all(len(column) == 5 for column in costs.values())
    assert costs == update_costs(graph, keys, k=4, num_changes=5, seed=1)
    assert costs != update_costs(graph, keys, k=4, num_changes=5, seed=2)


def test_update_costs__a_complete_graph_has_no_strangers():
    edges = np.array([(0, 1), (1, 2), (0, 2)])
    with pytest.raises(GraphError, match="links to each other"):
        update_costs(Graph.from_edges(edges, 3), np.arange(3, dtype=np.uint64), num_changes=1)


def test_cost_summary__is_the_median_and_the_largest():
    costs = [UpdateCost(agents, 1, 0, 0, 11, 2) for agents in (1, 2, 9)]
    assert cost_summary(costs)["agents"] == {"median": 2.0, "worst": 9}
    assert cost_summary(costs)["bytes"] == {"median": 11.0, "worst": 11}
