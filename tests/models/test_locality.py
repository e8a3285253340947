"""Every model sees ego graphs and nothing else."""

import numpy as np
import pytest

from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import MODELS, ModelConfig, build_model
from garden.testing import check_strategy


def policy_of(name, num_attributes):
    model = build_model(name, num_attributes, ModelConfig(hidden=8, embedding=6))
    model.standardise_by(np.random.default_rng(0).normal(size=(24, num_attributes)))
    names = tuple(f"attribute {number}" for number in range(num_attributes))
    return Policy(model, PolicyInfo(name, {}, "exact", False, "", "", "", 0, names))


@pytest.mark.parametrize("name", MODELS)
def test_model__keeps_the_contract_of_a_strategy_in_every_array_of_its_rows(name):
    check_strategy(policy_of(name, 4), num_attributes=4)
