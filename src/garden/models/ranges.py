"""Ranges: how far it is from one node to another, guessed from what each of them shows.

A departure stands for where a way begins and an arrival for where it ends; the further apart the
two, the more hops. Training measures ways from every node to training targets. Links lead both
ways, so a policy reads a range backwards: how far would it be from the target to this candidate?
A target that was never a target before has been measured from like any other node of the training
graph; to a node that was not there in training, ranges are no help. A doubt, the logarithm of the
squared error to expect, says how wrong ranges from a profile tend to be: much where many nodes look
alike.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from garden.models.layers import StackedLinear, mapped_profiles

RANGE = 32
DEPARTURE = RANGE + 1  # with its doubt, which comes last
_ENCODER = 256
NUM_RANGED = 4  # a range, the doubt about it, and the least and mean doubt about the neighbours
_FULL_DOUBT = 9.0  # the most that is read
_LEAST_SQUARE = 1e-4  # keeps the logarithm finite where departure and arrival coincide
_LOG_TYPICAL_HOPS = 1.3  # of codes one unit apart


class RangeCodes(NamedTuple):
    """What some rows hold of ranges."""

    departures: Tensor  # (…, RANGE)
    doubts: Tensor  # (…, 1)
    arrivals: Tensor  # (…, RANGE)


class Ranges(nn.Module):
    """A profile's part in departures and arrivals: those of its own node and its neighbours'."""

    def __init__(self, num_seeds: int, num_attributes: int) -> None:
        super().__init__()
        self.first = StackedLinear(num_seeds, num_attributes, _ENCODER)
        self.second = StackedLinear(num_seeds, _ENCODER, _ENCODER)
        self.last = StackedLinear(num_seeds, _ENCODER, DEPARTURE + 3 * RANGE)
        self.unknown = nn.Parameter(torch.zeros(num_seeds, 1, DEPARTURE))

    def forward(self, profiles: Tensor) -> tuple[Tensor, Tensor]:
        """What each profile says of its own node, and what of a neighbour.

        Departure with doubt and arrival, (S, num_profiles, DEPARTURE + RANGE); departure and
        arrival, (S, num_profiles, 2 RANGE).
        """
        assert self.first.bias is not None
        hidden = torch.relu(mapped_profiles(self.first.weight, profiles) + self.first.bias)
        said = self.last(torch.relu(self.second(hidden)))
        return said[..., : DEPARTURE + RANGE], said[..., DEPARTURE + RANGE :]


def codes_of(own: Tensor, told: Tensor) -> Tensor:
    """Departure, doubt and arrival of nodes, from what is said of them and by their neighbours."""
    departure, doubt, arrival = own[..., :RANGE], own[..., RANGE:DEPARTURE], own[..., DEPARTURE:]
    return torch.cat([departure + told[..., :RANGE], doubt, arrival + told[..., RANGE:]], dim=-1)


def codes_in(parts: Tensor) -> RangeCodes:
    """The codes that :func:`codes_of` has joined."""
    return RangeCodes(parts[..., :RANGE], parts[..., RANGE:DEPARTURE], parts[..., DEPARTURE:])


def ranged_table(
    here: RangeCodes, there: RangeCodes, doubts: Tensor, shown: Tensor
) -> list[Tensor]:
    """How far it would be from all targets to all candidates, and the doubts, (S, T, n, 1) each.

    ``doubts`` are those about the neighbours, (S, M), of whom targets show some, (S, T, M).
    """
    hops = log_hops(there.departures, here.arrivals.detach()).unsqueeze(-1)
    doubts = doubts.clamp(max=_FULL_DOUBT).unsqueeze(1)
    told = doubts.masked_fill(shown == 0, _FULL_DOUBT)
    least = nn.functional.pad(told, (0, 1), value=_FULL_DOUBT).amin(dim=-1, keepdim=True)
    count = shown.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = (shown * doubts).sum(dim=-1, keepdim=True) / count
    return [hops, *(one.unsqueeze(2).expand_as(hops) for one in (there.doubts, least, mean))]


def ranged_pairs(
    here: RangeCodes, there: RangeCodes, doubts: Tensor, owner: Tensor
) -> list[Tensor]:
    """The same of aligned rows, (S, P, 1) each; ``owner`` says who shows which neighbour, (M,)."""
    hops = aligned_log_hops(there.departures, here.arrivals.detach()).unsqueeze(-1)
    doubts = doubts.clamp(max=_FULL_DOUBT)
    least = doubts.new_full(hops.shape[:2], _FULL_DOUBT)
    least = least.scatter_reduce(1, owner.expand_as(doubts), doubts, "amin")
    count = doubts.new_zeros(least.shape).index_add(1, owner, torch.ones_like(doubts))
    mean = doubts.new_zeros(least.shape).index_add(1, owner, doubts) / count.clamp(min=1)
    return [hops, there.doubts, least.unsqueeze(-1), mean.unsqueeze(-1)]


def log_hops(departures: Tensor, arrivals: Tensor) -> Tensor:
    """The logarithm of how many hops, (…, D, RANGE) and (…, A, RANGE) → (…, D, A).

    It is the same with the two exchanged.
    """
    squares = departures.square().sum(dim=-1).unsqueeze(-1)
    squares = squares + arrivals.square().sum(dim=-1).unsqueeze(-2)
    return _log_root(squares - 2 * departures @ arrivals.transpose(-1, -2))


def aligned_log_hops(departures: Tensor, arrivals: Tensor) -> Tensor:
    """The same of aligned rows, (…, RANGE) each → (…)."""
    return _log_root((departures - arrivals).square().sum(dim=-1))


def _log_root(squares: Tensor) -> Tensor:
    return 0.5 * (squares.clamp(min=0) + _LEAST_SQUARE).log() + _LOG_TYPICAL_HOPS
