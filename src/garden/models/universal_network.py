"""The network of `universal` in torch, for training.

:mod:`garden.strategies.universal.policy` runs it without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from garden.models.layers import KEEP_ALL, Dropout
from garden.strategies.universal.features import AT, NUM_FEATURES, PAIR_FEATURES
from garden.strategies.universal.policy import (
    MAX_DEVIATIONS,
    NEVER,
    OF_TARGET,
    RECOGNITION,
    UniversalWeights,
)

FIRST_SLOPE = -2.0
"""The bias that training starts from: `direct` counts a little."""


@final
class UniversalNetwork(nn.Module):
    """Two hidden layers over pairwise features; its equations are those of `Universal`.

    :class:`garden.strategies.universal.policy.Universal` is the same at a temperature of its own.

    Args:
        hidden: The width of both hidden layers.
        bound: The bound B of the part of the score that similarity alone decides.
        ignored: Names of features that the network does not see; without `direct`, the last term
            of the score is left out.

    """

    mean: Tensor
    scale: Tensor

    def __init__(self, hidden: int, bound: float, ignored: Sequence[str] = ()) -> None:
        super().__init__()
        self.bound = bound
        self.register_buffer("mean", torch.zeros(NUM_FEATURES))
        self.register_buffer("scale", torch.ones(NUM_FEATURES))
        self.ignored = tuple(ignored)
        self.kept = [getattr(AT, name) for name in PAIR_FEATURES if name not in ignored]
        self.first = nn.Linear(len(self.kept), hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 2)
        self.direct = nn.Linear(len(OF_TARGET), 1)
        nn.init.zeros_(self.direct.weight)
        nn.init.constant_(self.direct.bias, NEVER if "direct" in ignored else FIRST_SLOPE)
        self.direct.requires_grad_("direct" not in ignored)

    def forward(self, features: Tensor, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Features (…, NUM_FEATURES) → scores (…).

        Args:
            features: of pairs of ego graphs, (…, NUM_FEATURES).
            dropout: applied to hidden units.

        Returns:
            (…).
        """
        inputs = ((features - self.mean) * self.scale).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
        seen = inputs if len(self.kept) == NUM_FEATURES else inputs[..., self.kept]
        hidden = dropout(nn.functional.silu(self.first(seen)))
        hidden = dropout(nn.functional.silu(self.second(hidden)))
        outputs = self.last(hidden)
        recognised = (features[..., list(RECOGNITION)] != 0).any(dim=-1)
        slope = nn.functional.softplus(self.direct(inputs[..., list(OF_TARGET)]))[..., 0]
        similar = self.bound * torch.tanh(outputs[..., 1] / self.bound)
        return outputs[..., 0] * recognised + similar - slope * features[..., AT.direct]

    def standardise_by(self, means: Tensor, deviations: Tensor) -> None:
        """Standardise inputs by these means and standard deviations, both (NUM_FEATURES,).

        Args:
            means: of each feature, (NUM_FEATURES,).
            deviations: standard deviations, (NUM_FEATURES,), above 0.
        """
        self.mean.copy_(means)
        self.scale.zero_()
        self.scale[self.kept] = (1 / deviations)[self.kept]

    def weights(self) -> UniversalWeights:
        """The parameters as the strategy holds them, float32."""

        def numbers(tensor: Tensor) -> np.ndarray:
            return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float32)

        first = torch.zeros(NUM_FEATURES, self.first.out_features)
        first[self.kept] = self.first.weight.T.detach().cpu()
        return UniversalWeights(
            mean=numbers(self.mean),
            scale=numbers(self.scale),
            first=numbers(first),
            first_bias=numbers(self.first.bias),
            second=numbers(self.second.weight.T),
            second_bias=numbers(self.second.bias),
            last=numbers(self.last.weight.T),
            last_bias=numbers(self.last.bias),
            direct=numbers(self.direct.weight[0]),
            direct_bias=numbers(self.direct.bias),
        )


def network_of(weights: UniversalWeights, bound: float) -> UniversalNetwork:
    """The torch network with these parameters; the inverse of :meth:`UniversalNetwork.weights`.

    Args:
        weights: the parameters as the strategy holds them.
        bound: of what similar profiles add to a score.

    Returns:
        A network whose inputs without a scale are left out.
    """
    ignored = [name for name, scale in zip(PAIR_FEATURES, weights.scale, strict=True) if not scale]
    network = UniversalNetwork(weights.first.shape[1], bound, ignored)
    with torch.no_grad():
        network.mean.copy_(torch.as_tensor(weights.mean))
        network.scale.copy_(torch.as_tensor(weights.scale))
        for layer, matrix, bias in (
            (network.first, weights.first, weights.first_bias),
            (network.second, weights.second, weights.second_bias),
            (network.last, weights.last, weights.last_bias),
        ):
            seen = matrix[network.kept] if layer is network.first else matrix
            layer.weight.copy_(torch.as_tensor(seen.T))
            layer.bias.copy_(torch.as_tensor(bias))
        network.direct.weight.copy_(torch.as_tensor(weights.direct)[None])
        network.direct.bias.copy_(torch.as_tensor(weights.direct_bias))
    return network
