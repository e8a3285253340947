"""Layers that carry a leading seed axis, so that several seeds train as one batch.

Every parameter has shape (num_seeds, …) and every activation (num_seeds, rows, width). Seeds never
mix: a stack of one is an ordinary model, and row s of a stack is the model of seed s.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class StackedLinear(nn.Module):
    """y = x W + b for each seed, initialised like ``torch.nn.Linear``."""

    def __init__(self, num_seeds: int, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        bound = 1 / math.sqrt(max(1, inputs))
        self.weight = nn.Parameter(torch.empty(num_seeds, inputs, outputs).uniform_(-bound, bound))
        self.bias = (
            nn.Parameter(torch.empty(num_seeds, 1, outputs).uniform_(-bound, bound))
            if bias
            else None
        )

    def forward(self, rows: Tensor) -> Tensor:
        """(num_seeds, rows, inputs) → (num_seeds, rows, outputs)."""
        if self.bias is None:
            return torch.matmul(rows, self.weight)
        return torch.baddbmm(self.bias, rows, self.weight)


class StackedLayerNorm(nn.Module):
    """Layer normalisation with a gain and a shift per seed."""

    def __init__(self, num_seeds: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_seeds, 1, width))
        self.bias = nn.Parameter(torch.zeros(num_seeds, 1, width))

    def forward(self, rows: Tensor) -> Tensor:
        """(num_seeds, rows, width) → the same."""
        normal = nn.functional.layer_norm(rows, rows.shape[-1:])
        return torch.addcmul(self.bias, normal, self.weight)


class FeatureNetwork(nn.Module):
    """Three linear layers over features, some of which do not count, with ReLU between them.

    Args:
        num_seeds: how many networks are stacked.
        used: 1 for a feature that counts, else 0, (num_features,).
        hidden: the width of both hidden layers.
    """

    used: Tensor  # (num_features, 1)

    def __init__(self, num_seeds: int, used: Tensor, hidden: int) -> None:
        super().__init__()
        self.register_buffer("used", used.unsqueeze(1), persistent=False)
        self.first = StackedLinear(num_seeds, len(used), hidden)
        self.second = StackedLinear(num_seeds, hidden, hidden)
        self.last = StackedLinear(num_seeds, hidden, 1)

    def forward(self, features: Tensor) -> Tensor:
        """(num_seeds, rows, num_features) → (num_seeds, rows)."""
        assert self.first.bias is not None
        first = torch.baddbmm(self.first.bias, features, self.first.weight * self.used)
        return self.last(torch.relu(self.second(torch.relu(first)))).squeeze(-1)


class Dropout:
    """Dropout from a generator of its own, so that runs resume exactly.

    Args:
        rate: the share of hidden units, or of attributes, that is dropped.
        generator: where the random numbers come from.

    """

    def __init__(self, rate: float = 0.0, generator: torch.Generator | None = None) -> None:
        self.rate = rate
        self.generator = generator

    def __call__(self, rows: Tensor) -> Tensor:
        """The rows with a share of their entries zeroed and the others scaled up."""
        if self.rate == 0.0:
            return rows
        return rows * self.kept(self.rate, rows.shape, rows.device) / (1 - self.rate)

    def kept(self, rate: float, shape: tuple[int, ...], device: torch.device) -> Tensor:
        """Which entries stay, as booleans.

        Args:
            rate: the share that is dropped.
            shape: of the mask.
            device: where the mask lives.
        """
        if rate == 0.0:
            return torch.ones(shape, dtype=torch.bool, device=device)
        return torch.rand(shape, generator=self.generator, device=device) >= rate


KEEP_ALL = Dropout()


def squared_distances(rows: Tensor, others: Tensor) -> Tensor:
    """Of all pairs, (…, A, width) and (…, B, width) → (…, A, B), by one product.

    The product loses digits of short distances. An export computes it in float64, so that it makes
    the same choices as a policy, which scores a holder's neighbours by differences.

    Args:
        rows: (…, A, width).
        others: (…, B, width).

    Returns:
        (…, A, B), at least 0.
    """
    if torch.compiler.is_exporting():
        return _by_product(rows.double(), others.double()).to(rows.dtype)
    return _by_product(rows, others)


def _by_product(rows: Tensor, others: Tensor) -> Tensor:
    squares = rows.square().sum(dim=-1).unsqueeze(-1) + others.square().sum(dim=-1).unsqueeze(-2)
    return (squares - 2 * (rows @ others.transpose(-1, -2))).clamp(min=0)


def mapped_profiles(weight: Tensor, profiles: Tensor) -> Tensor:
    """A table of profiles, dense or sparse, times a weight per seed, (S, num_profiles, outputs).

    Args:
        weight: of each seed, (S, num_attributes, outputs).
        profiles: dense or sparse, (num_profiles, num_attributes).

    Returns:
        (S, num_profiles, outputs).
    """
    if not profiles.is_sparse:
        return torch.matmul(profiles, weight)
    num_seeds, width, outputs = weight.shape
    flat = weight.permute(1, 0, 2).reshape(width, num_seeds * outputs)
    mapped = torch.sparse.mm(profiles, flat).reshape(-1, num_seeds, outputs)
    return mapped.permute(1, 0, 2)


def num_members(profiles: Tensor) -> Tensor:
    """How many rows a table has, (1, 1) float: a tensor, so that an export keeps it dynamic."""
    return torch.ones_like(profiles[:, :1]).sum(dim=0, keepdim=True)


def with_gaps(profiles: Tensor, dropout: Dropout) -> Tensor:
    """Profiles, dense or sparse, with some attributes left out; the same ones for every seed.

    Args:
        profiles: (num_profiles, num_attributes), dense or sparse.
        dropout: with the share of entries that are left out.

    Returns:
        A table of the same kind; what is left is scaled up as dropout does.
    """
    if not profiles.is_sparse or dropout.rate == 0:
        return dropout(profiles)
    table = profiles.coalesce()
    return torch.sparse_coo_tensor(
        table.indices(), dropout(table.values()), table.shape, is_coalesced=True
    )
