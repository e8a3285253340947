"""The network in torch says what the strategy says."""

import numpy as np
import pytest
import torch

from garden.models.universal_network import UniversalNetwork, network_of
from garden.strategies.universal.features import NUM_FEATURES
from garden.strategies.universal.policy import RECOGNITION, network_scores


def test_network__equals_the_strategy_and_comes_back_from_its_weights():
    torch.manual_seed(0)
    network = UniversalNetwork(hidden=7, bound=1.5)
    network.standardise_by(torch.rand(NUM_FEATURES), torch.rand(NUM_FEATURES) + 0.1)
    features = np.random.default_rng(0).random((40, NUM_FEATURES)).astype(np.float32)
    features[::2, RECOGNITION] = 0
    with torch.no_grad():
        scores = network(torch.as_tensor(features)).numpy()
        again = network_of(network.weights(), 1.5)(torch.as_tensor(features)).numpy()
    assert network_scores(features, network.weights(), 1.5) == pytest.approx(scores, abs=1e-4)
    assert again == pytest.approx(scores, abs=1e-6)
