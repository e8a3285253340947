"""The network in torch says what the strategy says."""

import numpy as np
import pytest
import torch

from garden.models.universal_network import UniversalNetwork, network_of
from garden.strategies.universal.features import NUM_LIKENESS
from garden.strategies.universal.policy import network_scores


def test_network__equals_the_strategy_and_comes_back_from_its_weights():
    torch.manual_seed(0)
    network = UniversalNetwork(hidden=7, bound=1.5)
    network.standardise_by(torch.rand(NUM_LIKENESS), torch.rand(NUM_LIKENESS) + 0.1)
    likeness = np.random.default_rng(0).random((40, NUM_LIKENESS)).astype(np.float32)
    likeness[::2, :8] = 0  # nobody recognised
    likeness[::2, -1] = 0  # and nothing real
    with torch.no_grad():
        told = network(torch.as_tensor(likeness)).numpy()
        again = network_of(network.weights(), 1.5)(torch.as_tensor(likeness)).numpy()
    assert network_scores(likeness, network.weights(), 1.5) == pytest.approx(told, abs=1e-4)
    assert again == pytest.approx(told, abs=1e-6)
