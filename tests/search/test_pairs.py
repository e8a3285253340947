import numpy as np
import pytest

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.search.config import EvaluationConfig
from garden.search.pairs import evaluated_pairs, first_pairs

TASK = SearchTask.split(kaiser_hilgetag(n=60, beta=1, seed=0), seed=3)


@pytest.mark.parametrize("split", ["test", "validation", "all"])
def test_pairs__the_first_are_the_serialized_ones_and_more_are_added_behind(split):
    serialized = TASK.pairs(split)
    assert first_pairs(TASK, split, 7).tolist() == serialized[:7].tolist()
    many = first_pairs(TASK, split, 3456)
    assert many.shape == (3456, 2)
    assert many[:1000].tolist() == serialized.tolist()
    assert first_pairs(TASK, split, 2100).tolist() == many[:2100].tolist()
    assert (many[:, 0] != many[:, 1]).all()
    assert np.isin(many[:, 1], TASK.targets(split)).all()
    assert many[1000:2000].tolist() != many[2000:3000].tolist() != serialized.tolist()


def test_pairs__are_sorted_by_target_whatever_is_asked_for():
    for config in (
        EvaluationConfig(),
        EvaluationConfig(pairs=50),
        EvaluationConfig(all_pairs=True),
    ):
        pairs = evaluated_pairs(TASK, config)
        assert (np.diff(pairs[:, 1]) >= 0).all()


def test_evaluate__plays_as_many_pairs_as_asked_for():
    report = garden.evaluate(TASK, "random", config=EvaluationConfig(pairs=17))
    assert report.to_json()["num_pairs"] == 17
    again = garden.evaluate(TASK, "random", config=EvaluationConfig(pairs=17))
    assert again.to_json() == report.to_json()


@pytest.mark.parametrize("bad", [0, -1, True, 1.5, "3", 10**12])
def test_options__a_number_of_pairs_is_at_least_one(bad):
    with pytest.raises(SpecError, match="pairs is"):
        EvaluationConfig(pairs=bad)


def test_options__all_pairs_and_some_of_them_exclude_each_other():
    with pytest.raises(SpecError, match="exclude each other"):
        EvaluationConfig(pairs=3, all_pairs=True)
