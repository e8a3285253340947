"""The features that trellis makes of a candidate and a target, and the network over them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from garden.models.config import ModelConfig
from garden.models.layers import StackedLinear, squared_distances
from garden.models.trellis.distance_codes import NUM_DISTANCE_FEATURES

NUM_PROJECTIONS = 8
PROJECTION = 16
EMBEDDING = 32
NUM_INDICATORS = 4
LEAST_SQUARE = 1e-6  # keeps the gradient of a distance finite where two embeddings coincide


class FeatureNetwork(nn.Module):
    """Three linear layers over the features of the chosen parts, with ReLU between them."""

    used: Tensor  # (num_features, 1) 1 for a feature that counts, else 0

    def __init__(self, num_seeds: int, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("used", _used(config), persistent=False)
        self.first = StackedLinear(num_seeds, len(self.used), config.hidden)
        self.second = StackedLinear(num_seeds, config.hidden, config.hidden)
        self.last = StackedLinear(num_seeds, config.hidden, 1)

    def forward(self, features: Tensor) -> Tensor:
        """(S, rows, num_features) → (S, rows)."""
        assert self.first.bias is not None
        first = torch.baddbmm(self.first.bias, features, self.first.weight * self.used)
        return self.last(torch.relu(self.second(torch.relu(first)))).squeeze(-1)


def _used(config: ModelConfig) -> Tensor:
    """Which features count, in the order that they are made in."""
    embeddings, matching = config.parts != "matching", config.parts != "embeddings"
    used = [float(embeddings)] * (
        5 * NUM_PROJECTIONS + NUM_DISTANCE_FEATURES * config.distance_codes
    )
    used += [float(matching)] * (NUM_INDICATORS + 1) + [1.0] * 2
    return torch.tensor(used).unsqueeze(1)


def projections(num_seeds: int) -> Tensor:
    """Random initial projections of embeddings, side by side, (S, EMBEDDING, H · PROJECTION)."""
    return EMBEDDING**-0.5 * torch.randn(num_seeds, EMBEDDING, NUM_PROJECTIONS * PROJECTION)


def by_projection(flat: Tensor) -> Tensor:
    """The projections apart from each other, (…, H, PROJECTION)."""
    return flat.reshape(*flat.shape[:-1], NUM_PROJECTIONS, PROJECTION)


def projected(matrix: Tensor, embeddings: Tensor) -> Tensor:
    """Embeddings under every projection, (S, H, rows, PROJECTION)."""
    return by_projection(embeddings @ matrix).transpose(1, 2)


def distances(goals: Tensor, candidates: Tensor) -> Tensor:
    """Euclidean distances, (S, H, T, 16) and (S, H, n, 16) → (S, H, T, n), smooth at zero."""
    return (squared_distances(goals, candidates) + LEAST_SQUARE).sqrt()


def match_features(indicators: Tensor, degrees: Tensor) -> Tensor:
    """Three indicators, and common members by number and by share of the target's neighbours."""
    common = indicators[..., 3:]
    return torch.cat([indicators[..., :3], common.log1p(), common / degrees.clamp(min=1)], dim=-1)
