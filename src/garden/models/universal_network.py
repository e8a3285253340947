"""The network of `universal` in torch, for training.

:mod:`garden.strategies.universal.policy` runs it without torch.
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from garden.models.layers import KEEP_ALL, Dropout
from garden.strategies.universal.features import NUM_FEATURES
from garden.strategies.universal.policy import MAX_DEVIATIONS, RECOGNITION, UniversalWeights


@final
class UniversalNetwork(nn.Module):
    """Two hidden layers over pairwise features; its equations are those of `Universal`.

    :class:`garden.strategies.universal.policy.Universal` is the same at a temperature of its own.

    Args:
        hidden: The width of both hidden layers.
        bound: The bound B of the part of the score that similarity alone decides.

    """

    mean: Tensor
    scale: Tensor

    def __init__(self, hidden: int, bound: float) -> None:
        super().__init__()
        self.bound = bound
        self.register_buffer("mean", torch.zeros(NUM_FEATURES))
        self.register_buffer("scale", torch.ones(NUM_FEATURES))
        self.first = nn.Linear(NUM_FEATURES, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 2)

    def forward(self, features: Tensor, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Features (…, NUM_FEATURES) → scores (…)."""
        inputs = ((features - self.mean) * self.scale).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
        hidden = dropout(nn.functional.silu(self.first(inputs)))
        hidden = dropout(nn.functional.silu(self.second(hidden)))
        outputs = self.last(hidden)
        recognised = (features[..., list(RECOGNITION)] != 0).any(dim=-1)
        return outputs[..., 0] * recognised + self.bound * torch.tanh(outputs[..., 1] / self.bound)

    def standardise_by(self, means: Tensor, deviations: Tensor) -> None:
        """Standardise inputs by these means and standard deviations, both (NUM_FEATURES,)."""
        self.mean.copy_(means)
        self.scale.copy_(1 / deviations)

    def weights(self) -> UniversalWeights:
        """The parameters as the strategy holds them, float32."""

        def numbers(tensor: Tensor) -> np.ndarray:
            return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float32)

        return UniversalWeights(
            mean=numbers(self.mean),
            scale=numbers(self.scale),
            first=numbers(self.first.weight.T),
            first_bias=numbers(self.first.bias),
            second=numbers(self.second.weight.T),
            second_bias=numbers(self.second.bias),
            last=numbers(self.last.weight.T),
            last_bias=numbers(self.last.bias),
        )


def network_of(weights: UniversalWeights, bound: float) -> UniversalNetwork:
    """The torch network with these parameters; the inverse of :meth:`UniversalNetwork.weights`."""
    network = UniversalNetwork(weights.first.shape[1], bound)
    with torch.no_grad():
        network.mean.copy_(torch.as_tensor(weights.mean))
        network.scale.copy_(torch.as_tensor(weights.scale))
        for layer, matrix, bias in (
            (network.first, weights.first, weights.first_bias),
            (network.second, weights.second, weights.second_bias),
            (network.last, weights.last, weights.last_bias),
        ):
            layer.weight.copy_(torch.as_tensor(matrix.T))
            layer.bias.copy_(torch.as_tensor(bias))
    return network
