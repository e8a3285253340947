"""What trellis reads of a candidate and a target, and the network that reads it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from garden.models.config import ModelConfig
from garden.models.layers import StackedLinear, squared_distances
from garden.models.trellis.distance_codes import NUM_RANGED

NUM_PROJECTIONS = 8
PROJECTION = 16
PLACE = 32
NUM_FACTS = 4
LEAST_SQUARE = 1e-6  # keeps the slope of a distance finite where two places coincide


class FeatureNetwork(nn.Module):
    """Three linear layers over the features that may be read, with ReLU between them."""

    read: Tensor  # (num_features, 1) 1 for a feature that counts, else 0

    def __init__(self, num_seeds: int, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("read", _read(config), persistent=False)
        self.first = StackedLinear(num_seeds, len(self.read), config.hidden)
        self.second = StackedLinear(num_seeds, config.hidden, config.hidden)
        self.last = StackedLinear(num_seeds, config.hidden, 1)

    def forward(self, features: Tensor) -> Tensor:
        """(S, rows, num_features) → (S, rows)."""
        assert self.first.bias is not None
        first = torch.baddbmm(self.first.bias, features, self.first.weight * self.read)
        return self.last(torch.relu(self.second(torch.relu(first)))).squeeze(-1)


def _read(config: ModelConfig) -> Tensor:
    """Which features count, in the order that they are made in."""
    position, matching = float(config.reads != "matching"), float(config.reads != "position")
    counts = [position] * (5 * NUM_PROJECTIONS + NUM_RANGED * config.ranges)
    counts += [matching] * (NUM_FACTS + 1) + [1.0] * 2
    return torch.tensor(counts).unsqueeze(1)


def projections(num_seeds: int) -> Tensor:
    """As many random views of places as are learned, side by side."""
    return PLACE**-0.5 * torch.randn(num_seeds, PLACE, NUM_PROJECTIONS * PROJECTION)


def by_projection(flat: Tensor) -> Tensor:
    """What each view sees, (…, H, 16)."""
    return flat.reshape(*flat.shape[:-1], NUM_PROJECTIONS, PROJECTION)


def seen_by(views: Tensor, places: Tensor) -> Tensor:
    """Places under every projection, (S, H, rows, 16)."""
    return by_projection(places @ views).transpose(1, 2)


def distances(goals: Tensor, candidates: Tensor) -> Tensor:
    """Euclidean distances, (S, H, T, 16) and (S, H, n, 16) → (S, H, T, n), smooth at nought."""
    return (squared_distances(goals, candidates) + LEAST_SQUARE).sqrt()


def fact_features(facts: Tensor, degrees: Tensor) -> Tensor:
    """Three yes-or-noes, and common members by number and by share of the target's neighbours."""
    common = facts[..., 3:]
    return torch.cat([facts[..., :3], common.log1p(), common / degrees.clamp(min=1)], dim=-1)
