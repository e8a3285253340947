import numpy as np
import pytest
import scipy.sparse as sp

from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy
from garden.strategies.evn import EVNWalker
from garden.strategies.lookahead import BidirectionalWalker, LookaheadWalker
from garden.strategies.registry import WALKERS
from garden.strategies.walkers import (
    ConnectionWalker,
    DistanceWalker,
    GreedyWalker,
    RandomWalker,
    aligned_profile_distances,
    profile_distances,
)

# A path 0-1-2-3-4 with a chord 1-3; node 4 has the profile of node 0.
PROFILES = np.array([[0, 0], [3, 4], [1, 0], [0, 2], [0, 0]])
GRAPH = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3], [3, 4], [1, 3]]), 5, PROFILES)
EGOS = ego_graphs(GRAPH)


def scores_for(strategy: Strategy, target: int) -> list[float]:
    rows = strategy.represent(EGOS)
    return strategy.score(rows, rows.take(np.array([target])))[0].tolist()


def test_random__scores_are_all_alike():
    assert scores_for(RandomWalker(), 2) == [0, 0, 0, 0, 0]


def test_greedy__score_is_minus_the_distance_to_the_target():
    assert scores_for(GreedyWalker(), 0) == [0, -5, -1, -2, 0]


def test_distance__score_is_minus_the_distance_over_the_temperature():
    assert scores_for(DistanceWalker(temperature=0.5), 0) == [0, -10, -2, -4, 0]


def test_connection__score_is_the_degree_over_the_temperature():
    assert scores_for(ConnectionWalker(temperature=2.0), 0) == [0.5, 1.5, 1, 1.5, 0.5]


def test_lookahead__the_targets_profile_at_the_centre_beats_it_at_a_neighbour():
    # Nodes 0 and 4 have the wanted profile; 1 and 3 have such a neighbour.
    assert scores_for(LookaheadWalker(), 0) == [2, 1, 0, 1, 2]


def test_bidirectional__counts_members_that_look_like_the_targets_neighbours():
    # Target 2, neighbours 1 and 3. Node 0 shows 1; node 4 shows 3; node 1 shows itself, 2 and 3.
    assert scores_for(BidirectionalWalker(), 2) == [1, 1e5 + 2, 1e6 + 2, 1e5 + 2, 1]


def test_bidirectional__recognises_profiles_and_not_ids():
    # Target 0 has neighbour 1; node 4 has the target's profile and neighbour 3, which sees 1.
    assert scores_for(BidirectionalWalker(), 0) == [1e6 + 1, 1e5 + 1, 1, 1e5 + 1, 1e6]


def test_evn__prefers_likely_links_and_high_degree():
    rng = np.random.default_rng(0)
    sides = np.repeat([0.0, 1.0], 30)
    same = sides[:, None] == sides[None, :]
    linked = rng.random((60, 60)) < np.where(same, 0.4, 0.05)
    graph = Graph.from_edges(np.argwhere(np.triu(linked, 1)), 60, sides[:, None])
    egos = ego_graphs(graph)
    walker = EVNWalker().fit(egos)
    near, far = walker.parameters["link_chance_nearest"], walker.parameters["link_chance_farthest"]
    assert near == pytest.approx(0.4, abs=0.05)
    assert far == pytest.approx(0.05, abs=0.03)
    rows = walker.represent(egos)
    scores = walker.score(rows, rows.take(np.array([0])))[0]
    probabilities = np.where(sides == sides[0], near, far)
    assert np.allclose(1 - np.exp(-scores), 1 - (1 - probabilities) ** graph.degrees)


def test_evn__fits_all_pairs_of_neighbours_and_only_those():
    # Around node 1: neighbours 0, 2, 3; of the pairs (0,2) (0,3) (2,3) only the last is linked.
    walker = EVNWalker().fit(EGOS.take(np.array([1])))
    assert walker.curve is not None
    assert walker.curve.distances.tolist() == pytest.approx([1, 2, np.sqrt(5)])
    # Rates 0, 0, 1 may not rise with distance, so all are pooled at one third.
    assert walker.curve.probabilities.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_evn__samples_pairs_evenly_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr("garden.strategies.evn.MAX_FITTED_PAIRS", 2)
    walker = EVNWalker().fit(EGOS.take(np.array([1])))
    assert walker.fitted
    assert len(walker.curve.distances) == 2


def test_evn__without_any_pair_still_works():
    star_tip = ego_graphs(GRAPH, np.array([0]))
    walker = EVNWalker().fit(star_tip)
    assert np.isfinite(scores_for(walker, 2)).all()


def test_evn__unfitted_says_so():
    with pytest.raises(StrategyError, match="not fitted"):
        scores_for(EVNWalker(), 0)


@pytest.mark.parametrize("walker", [DistanceWalker(), ConnectionWalker()])
def test_tempered__open_temperature_says_how_to_set_it(walker):
    with pytest.raises(StrategyError, match="is open"):
        scores_for(walker, 0)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_tempered__bad_temperature_is_refused(temperature):
    with pytest.raises(StrategyError, match="finite and positive"):
        DistanceWalker(temperature=temperature)


@pytest.mark.parametrize("name", WALKERS)
def test_walkers__without_attributes_work_or_refuse_in_one_line(name):
    bare = Graph.from_edges(GRAPH.edges(), 5)
    walker = WALKERS[name]()
    if walker.needs_attributes:
        with pytest.raises(StrategyError, match="this graph has none"):
            walker.represent(ego_graphs(bare))
    else:
        assert len(walker.represent(ego_graphs(bare))) == 5


@pytest.mark.parametrize("gap", [0.0, 1e-3, 1.0])
def test_profile_distances__of_sparse_rows_survive_cancellation(gap):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 40)) * 1000 * (rng.random((30, 40)) < 0.2)
    close = table + gap * (table != 0) * rng.normal(size=table.shape)
    candidates, targets = sp.csr_array(table), sp.csr_array(close)
    found = profile_distances(candidates, targets)
    for row in range(30):
        repeated = targets[np.full(30, row)]
        aligned = aligned_profile_distances(candidates, repeated)
        assert np.allclose(found[row], aligned, rtol=1e-9, atol=0)
    assert np.allclose(found, profile_distances(table, close), rtol=1e-9, atol=0)
