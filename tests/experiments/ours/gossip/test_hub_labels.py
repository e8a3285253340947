import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.experiments.ours.gossip.card_attack import attack_scores, auc, strangers_of
from garden.experiments.ours.gossip.hub_labels import hub_labels
from garden.graphs.convert import from_networkx
from garden.graphs.distances import distances
from garden.search.rounds import settle
from garden.strategies.gossip.beacons import Beacons

nx = pytest.importorskip("networkx")


def test_hub_labels__every_distance_is_exact():
    pytest.importorskip("numba", reason="labels are found by compiled code")
    graph = kaiser_hilgetag(n=120, beta=0.3, seed=2).largest_component()
    labels = hub_labels(graph)
    nodes = range(graph.num_nodes)
    found = [[labels.distance(first, second) for second in nodes] for first in nodes]
    np.testing.assert_array_equal(found, distances(graph))


def test_hub_labels__leaves_of_a_star_need_their_centre_and_themselves():
    pytest.importorskip("numba", reason="labels are found by compiled code")
    labels = hub_labels(from_networkx(nx.star_graph(5)))
    assert sorted(np.diff(labels.offsets).tolist()) == [1, 2, 2, 2, 2, 2]


def test_hub_labels__grow_beyond_their_first_room():
    pytest.importorskip("numba", reason="labels are found by compiled code")
    graph = from_networkx(nx.path_graph(200))
    labels = hub_labels(graph)
    assert np.diff(labels.offsets).max() > 16
    assert labels.distance(0, 199) == 199


def test_card_attack__a_card_that_names_the_other_owner_gives_the_link_away():
    graph = kaiser_hilgetag(n=60, beta=1, seed=1).largest_component()
    cards = settle(graph, Beacons(k=2)).rows
    links = np.column_stack([np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices])
    strangers = strangers_of(graph, 200, np.random.default_rng(0))
    assert all(b not in graph.neighbours(a) and a != b for a, b in strangers.tolist())
    assert auc(attack_scores(cards, links), attack_scores(cards, strangers)) == 1.0


def test_auc__counts_ties_by_half():
    assert auc(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == 0.875
