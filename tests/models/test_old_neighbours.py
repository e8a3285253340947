"""Newcomers found by their old neighbours."""

from collections import Counter

import numpy as np
import pytest
import torch

from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.policy import Policy
from garden.models.registry import ModelConfig
from garden.models.trellis.old_neighbours import FAR, HINT, PER_HOP, ByOldNeighbours, OldNodes

PATH = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
JOINED = np.array([*PATH, [4, 5], [0, 6]])  # 5 joins at one end, 6 at the other


def graph(edges, num_nodes=7):
    return Graph.from_edges(np.array(edges), num_nodes, np.eye(7)[:num_nodes])


def by_old_neighbours(whole):
    """An untrained policy of the path, whose codes lie as far apart as nodes are on it."""
    path = graph(PATH, 5)
    policy = Policy.untrained(whole.attribute_names, "trellis", size=ModelConfig(hidden=8))
    found = ByOldNeighbours.of(policy, path)
    codes = torch.zeros(5, found.old.codes.shape[-1])
    codes[:, 0] = torch.arange(5) / np.exp(1.3)
    return ByOldNeighbours(policy, OldNodes(found.old.keys, found.old.bags, codes))


def test_scores__fall_with_the_hops_to_a_newcomers_old_neighbour():
    whole = graph(JOINED)
    strategy = by_old_neighbours(whole)
    rows = strategy.represent(ego_graphs(whole))
    scores = strategy.score(rows, rows.take(np.array([5])))[0]
    assert scores[5] == 0  # the newcomer itself
    assert scores[4] == -PER_HOP  # shows the link to it
    assert scores[3] == pytest.approx(-2 * PER_HOP, abs=1.5)
    assert scores[1] == pytest.approx(-4 * PER_HOP, abs=1.0)
    assert np.argsort(-scores[:6]).tolist() == [5, 4, 3, 2, 1, 0]


def test_scores__an_unknown_candidate_with_one_old_neighbour_is_a_hint_and_no_more():
    whole = graph(JOINED)
    strategy = by_old_neighbours(whole)
    rows = strategy.represent(ego_graphs(whole))
    scores = strategy.score(rows, rows.take(np.array([5])))[0]
    assert scores[6] == pytest.approx(-PER_HOP * FAR + HINT)


def test_scores__an_unknown_candidate_with_two_old_neighbours_is_a_hop_further_than_the_nearer():
    whole = graph([*JOINED, [6, 2]])
    strategy = by_old_neighbours(whole)
    rows = strategy.represent(ego_graphs(whole))
    scores = strategy.score(rows, rows.take(np.array([5])))[0]
    assert scores[6] == pytest.approx(scores[2] - PER_HOP, abs=1.0)


def test_scores__towards_old_targets_that_training_saw_are_the_policys_own():
    path = graph(PATH, 5)
    policy = Policy.untrained(path.attribute_names, "trellis", size=ModelConfig(hidden=8))
    strategy = ByOldNeighbours.of(policy, path)
    egos = ego_graphs(path)
    rows = strategy.represent(egos)
    assert np.array_equal(strategy.score(rows, rows), policy.score(policy.represent(egos), rows))


def test_old_nodes__are_known_again_with_newcomers_beside_them_and_not_without_a_sure_neighbour():
    codes = torch.zeros(3, 2)
    old = OldNodes(np.array([7, 8, 8]), (Counter([8]), Counter([7]), Counter([8])), codes)
    assert old.met(8, Counter([7]))
    assert not old.met(8, Counter([7, 9]))
    assert old.place(8, Counter([7, 9])) == 1
    assert old.place(8, Counter([9])) == -1
    assert old.place(8, Counter([8])) == -1  # its only neighbour may be either of two
    assert old.place(9, Counter([7])) == -1


def test_policy__without_distance_codes_is_refused():
    path = graph(PATH, 5)
    size = ModelConfig(hidden=8, parts="no-distance-codes")
    policy = Policy.untrained(path.attribute_names, "trellis", size=size)
    with pytest.raises(StrategyError, match="distance codes"):
        ByOldNeighbours.of(policy, path)


def test_check__it_keeps_to_ego_graphs_like_every_strategy():
    from garden.testing import strategy_problems

    whole = graph(JOINED)
    assert strategy_problems(by_old_neighbours(whole), num_attributes=7) == ()
