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

import torch
from torch import Tensor, nn

from garden.models.layers import StackedLinear, mapped_profiles

RANGE = 32
DEPARTURE = RANGE + 1  # with its doubt, which comes last
_ENCODER = 256
_LEAST_SQUARE = 1e-4  # keeps the logarithm finite where departure and arrival coincide
_LOG_TYPICAL_HOPS = 1.3  # of codes one unit apart


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
