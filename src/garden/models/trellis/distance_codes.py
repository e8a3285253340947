"""Ranges: how far it is from one node to another, guessed from what each of them shows.

Every node has a code; the further apart two codes, the more hops. Training measures the ways from
all nodes to training targets. Links lead both ways, so a target that was never a target before is
found by its own code, which its distances to all training targets have pinned down, like any other
node's of the training graph; to a node that was not there in training, ranges are no help. A doubt,
the logarithm of the squared error to expect, says how wrong ranges from a profile tend to be: much
where many nodes look alike.

Codes are remembered profile by profile. Networks are slow to tell apart what differs in one
attribute, unless they read it as waves: the sines of sums of attributes, random at first, which one
attribute puts out of step. In training all waves of some profiles are forged, so that a profile
that nobody knows is read by its attributes instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from garden.models.layers import (
    Dropout,
    StackedLinear,
    mapped_profiles,
    squared_distances,
    with_gaps,
)

RANGE = 32
NUM_RANGED = 4  # a range, the doubt about it, and the least and mean doubt about the neighbours
_ENCODER = 256
_PITCH = 2.0  # radians by which one attribute shifts a wave: the standard deviation
_FORGED = 0.15  # share of profiles whose waves training makes up
_GAPS = 0.5  # attributes left out, as a share of the rate for places
_FULL_DOUBT = 9.0  # the most that is read about a neighbour
_LEAST_SQUARE = 1e-3  # keeps the logarithm finite where two codes coincide
_LOG_TYPICAL_HOPS = 1.3  # of codes one unit apart


class RangeCodes(NamedTuple):
    """What some rows hold of ranges."""

    codes: Tensor  # (…, RANGE)
    doubts: Tensor  # (…, 1)


class Ranges(nn.Module):
    """A profile's part in codes: that of its own node and its neighbours'."""

    def __init__(self, num_seeds: int, num_attributes: int) -> None:
        super().__init__()
        self.first = StackedLinear(num_seeds, num_attributes, _ENCODER)
        self.waves = StackedLinear(num_seeds, num_attributes, _ENCODER)
        assert self.waves.bias is not None
        nn.init.normal_(self.waves.weight, std=_PITCH)
        nn.init.uniform_(self.waves.bias, 0, 2 * math.pi)
        self.second = StackedLinear(num_seeds, 2 * _ENCODER, _ENCODER)
        self.last = StackedLinear(num_seeds, _ENCODER, 2 * RANGE + 1)

    def forward(self, profiles: Tensor, dropout: Dropout) -> tuple[Tensor, Tensor]:
        """What each profile says of its own node, and what of a neighbour.

        Code and doubt, (S, num_profiles, RANGE + 1), and a code, (S, num_profiles, RANGE).
        """
        assert self.first.bias is not None
        read = with_gaps(profiles, Dropout(_GAPS * dropout.rate, dropout.generator))
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        waves = math.sqrt(2) * torch.sin(self._phases(profiles, dropout))
        said = self.last(torch.relu(self.second(torch.cat([hidden, waves], dim=-1))))
        return said[..., : RANGE + 1], said[..., RANGE + 1 :]

    def _phases(self, profiles: Tensor, dropout: Dropout) -> Tensor:
        """Where in its course each wave is, (S, num_profiles, waves).

        The same profiles are forged for every seed, and none where no attributes are left out.
        """
        assert self.waves.bias is not None
        phases = mapped_profiles(self.waves.weight, profiles) + self.waves.bias
        if dropout.rate == 0:
            return phases
        genuine = dropout.kept(_FORGED, (phases.shape[1], 1), phases.device)
        shape = phases.shape[1:]
        shift = torch.rand(shape, generator=dropout.generator, device=phases.device)
        return phases + 2 * math.pi * shift * ~genuine


def codes_of(own: Tensor, told: Tensor) -> Tensor:
    """Code and doubt of nodes, from what their own and their neighbours' profiles say of them."""
    return torch.cat([own[..., :RANGE] + told, own[..., RANGE:]], dim=-1)


def codes_in(parts: Tensor) -> RangeCodes:
    """The codes and doubts that :func:`codes_of` has joined."""
    return RangeCodes(parts[..., :RANGE], parts[..., RANGE:])


def ranged_table(
    here: RangeCodes, there: RangeCodes, doubts: Tensor, shown: Tensor
) -> list[Tensor]:
    """How far it is between all targets and all candidates, and the doubts, (S, T, n, 1) each.

    ``doubts`` are those about the neighbours, (S, M), of whom targets show some, (S, T, M). Who
    reads ranges does not teach them.
    """
    hops = log_hops(there.codes.detach(), here.codes.detach()).unsqueeze(-1)
    doubts = doubts.clamp(max=_FULL_DOUBT).unsqueeze(1)
    told = doubts.masked_fill(shown == 0, _FULL_DOUBT)
    least = nn.functional.pad(told, (0, 1), value=_FULL_DOUBT).amin(dim=-1, keepdim=True)
    count = shown.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = (shown * doubts).sum(dim=-1, keepdim=True) / count
    own = there.doubts.detach()
    return [hops, *(one.unsqueeze(2).expand_as(hops) for one in (own, least, mean))]


def ranged_pairs(
    here: RangeCodes, there: RangeCodes, doubts: Tensor, owner: Tensor
) -> list[Tensor]:
    """The same of aligned rows, (S, P, 1) each; ``owner`` says who shows which neighbour, (M,)."""
    hops = aligned_log_hops(there.codes.detach(), here.codes.detach()).unsqueeze(-1)
    doubts = doubts.clamp(max=_FULL_DOUBT)
    least = doubts.new_full(hops.shape[:2], _FULL_DOUBT)
    least = least.scatter_reduce(1, owner.expand_as(doubts), doubts, "amin")
    count = doubts.new_zeros(least.shape).index_add(1, owner, torch.ones_like(doubts))
    mean = doubts.new_zeros(least.shape).index_add(1, owner, doubts) / count.clamp(min=1)
    return [hops, there.doubts.detach(), least.unsqueeze(-1), mean.unsqueeze(-1)]


def log_hops(codes: Tensor, others: Tensor) -> Tensor:
    """The logarithm of how many hops, (…, A, RANGE) and (…, B, RANGE) → (…, A, B)."""
    return _log_root(squared_distances(codes, others))


def aligned_log_hops(codes: Tensor, others: Tensor) -> Tensor:
    """The same of aligned rows, (…, RANGE) each → (…)."""
    return _log_root((codes - others).square().sum(dim=-1))


def _log_root(squares: Tensor) -> Tensor:
    return 0.5 * (squares + _LEAST_SQUARE).log() + _LOG_TYPICAL_HOPS
