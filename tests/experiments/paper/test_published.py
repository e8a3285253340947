import pytest

from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS


def test_published__tables_are_whole():
    assert set(FACEBOOK) == set(GRAPHS)
    for ego in GRAPHS:
        assert set(FACEBOOK[ego]) == set(AGENTS)
        assert sum(one.win_rate for one in FACEBOOK[ego].values()) == pytest.approx(1, abs=0.011)
    assert FACEBOOK["0"]["garden"].oracle_ratio == 12.08
