"""The choices of simulated players give back the weights that they were made of."""

import numpy as np
import pytest

from garden.datasets.valley import valley
from garden.humans.choice_model import choices_of, fit, fit_players, tells
from garden.humans.comparison import people_outcomes, policy_outcomes
from garden.humans.plays import Step, read_plays, write_plays
from garden.humans.simulated import simulated_plays

HUBS, ALIKE = (1.5, 0.0), (0.3, 1.2)


@pytest.fixture(scope="module")
def graph():
    return valley()


@pytest.mark.parametrize("weights", [HUBS, ALIKE, (0.0, 0.0), (-1.0, 0.5)])
def test_fit__intervals_hold_the_weights_of_a_simulated_player(graph, weights):
    found = fit("one", choices_of(simulated_plays(graph, weights, games=60, seed=4)))
    for trait in range(2):
        width = found.highs[trait] - found.lows[trait]
        assert abs(found.weights[trait] - weights[trait]) < width  # twice the interval
        assert width < 1.0


def test_fit_players__tells_a_hub_seeker_from_one_who_seeks_the_alike(graph):
    plays = [
        play
        for weights, seed in ((HUBS, 1), (ALIKE, 2))
        for play in simulated_plays(graph, weights, games=60, seed=seed)
    ]
    hubs, alike, everyone = fit_players(plays)
    assert hubs.verdict(0) == "seeks"
    assert alike.verdict(1) == "seeks"
    assert everyone.num_steps == hubs.num_steps + alike.num_steps


def test_fit__one_neighbour_of_two_that_differ_in_degree_by_hand():
    offered = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    choices = [(offered, 1)] * 6 + [(offered, 0)] * 2 + [(offered, 2)] * 4
    found = fit("one", choices)
    assert found.weights == pytest.approx((np.log(3), np.log(2)))


@pytest.mark.parametrize("chosen", [[1] * 9, [1] * 3])
def test_fit__choices_that_bound_no_weight_are_said_to_tell_nothing(chosen):
    offered = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = fit("one", [(offered, place) for place in chosen])
    assert found.weights is None
    assert found.verdict(0) == "cannot be told"


def test_fit__a_trait_that_never_differs_tells_nothing():
    offered = np.array([[0.0, 2.0], [1.0, 2.0]])
    assert fit("one", [(offered, place % 2) for place in range(20)]).weights is None


def test_tells__steps_with_the_target_on_offer_are_left_out():
    assert tells(Step((1, 2), (0, 0), 0, False, 0.0))
    assert not tells(Step((1, 2), (0, 0), 0, True, 0.0))
    assert not tells(Step((1,), (0,), 0, False, 0.0))


def test_comparison__people_and_policies_stand_on_the_same_pairs(graph, tmp_path):
    write_plays(tmp_path / "plays.jsonl", simulated_plays(graph, ALIKE, games=8, seed=3))
    plays = read_plays(tmp_path / "plays.jsonl")
    (people,) = people_outcomes(plays)
    (policy,) = policy_outcomes(graph, plays, ["beacons"])
    assert people.games == policy.games == policy.delivered == 8
    assert 1 <= policy.mean_ratio <= people.mean_ratio
