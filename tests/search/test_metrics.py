import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.search.metrics import by_distance, expected_hops, oracle_ratio_interval, win_shares


def certain(hops, max_hops=4):
    """A distribution that is sure of its hops; max_hops + 1 is truncation."""
    row = np.zeros((1, max_hops + 1))
    row[0, hops - 1] = 1
    return row


def test_expected_hops__truncation_counts_max_hops():
    assert expected_hops(np.array([[0.5, 0, 0.25, 0.25]])).tolist() == [0.5 + 0.75 + 0.75]


def test_win_shares__the_shortest_takes_all_and_ties_share():
    assert win_shares([certain(2), certain(3), certain(2)]).ravel().tolist() == pytest.approx(
        [0.5, 0, 0.5]
    )
    assert win_shares([certain(1), certain(3)]).ravel().tolist() == pytest.approx([1, 0])


def test_win_shares__arriving_at_the_limit_ties_with_truncation():
    shares = win_shares([certain(4), certain(5), certain(5)])
    assert shares.ravel().tolist() == pytest.approx([1 / 3] * 3)


def test_win_shares__a_strategy_alone_always_wins():
    assert win_shares([np.full((2, 5), 0.2)]).tolist() == [pytest.approx([1, 1])]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_win_shares__equal_a_plain_sum_over_all_outcomes(num_strategies, seed):
    rng = np.random.default_rng(seed)
    tables = [rng.dirichlet(np.ones(4), size=1) for _ in range(num_strategies)]
    expected = np.zeros(num_strategies)
    for outcome in itertools.product(range(4), repeat=num_strategies):
        chance = np.prod([table[0, hops] for table, hops in zip(tables, outcome, strict=True)])
        lengths = np.minimum(np.array(outcome) + 1, 3)
        winners = lengths == lengths.min()
        expected += chance * winners / winners.sum()
    shares = win_shares(tables)
    assert shares.ravel() == pytest.approx(expected)
    assert shares.sum() == pytest.approx(1)


def test_interval__resamples_targets_and_not_pairs():
    # Two targets at ratios 1 and 3, a thousand pairs each: pairs alone would give no width.
    ratios = np.repeat([1.0, 3.0], 1000)
    low, high = oracle_ratio_interval(ratios, np.repeat([7, 9], 1000))
    assert (low, high) == (1, 3)


def test_interval__covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    targets = np.repeat(np.arange(40), 5)
    covered = 0
    for _ in range(200):
        ratios = np.repeat(rng.normal(5, 1, 40), 5) + rng.normal(0, 0.5, 200)
        low, high = oracle_ratio_interval(ratios, targets)
        covered += low <= 5 <= high
    assert 0.89 <= covered / 200 <= 0.99


def test_interval__of_a_single_target_there_is_none():
    assert oracle_ratio_interval(np.array([1.0, 2.0]), np.array([4, 4])) is None


def test_by_distance__counts_and_averages_each_band():
    bands = by_distance(np.array([2.0, 4.0, 1.0]), np.array([1, 1, 3]))
    assert bands[1].pairs == 2
    assert bands[1].oracle_ratio == 3
    assert bands[3].oracle_ratio == 1
