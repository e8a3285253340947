r"""Profiles that training never saw, and what is read of them.

The encoders of `trellis` learn where in the graph each profile stands. Of a profile that was not
there they say something all the same, and it is wrong. A model for newcomers therefore keeps a
number for each profile of the training graph, the fingerprint x · r along a fixed random direction
r, and knows a profile by it. A profile that is unknown

* gets embedding, code and log-variance of a small network of its own, which reads attributes, half
  of them left out in training;
* does not count in its neighbours' means, nor in the soft minimum over a target's neighbours.

Training teaches this on nodes that pass for newcomers in some updates, though their links stay.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from garden.models.layers import Dropout, StackedLinear, mapped_profiles, with_gaps

NUM_NEWCOMER_FEATURES = 4  # unknown or not, and the share of unknown neighbours, of both ends
NUM_NEWCOMER_COLUMNS = 2  # of a row
_SAME = 1e-8  # fingerprints this near are of the same profile
_HIDDEN_WIDTH = 64
_DROPOUT = 0.5


class KnownProfiles(nn.Module):
    """Tells profiles of the training graph from others by their fingerprints."""

    direction: Tensor  # (num_attributes, 1) float64
    fingerprints: Tensor  # (num_known,) float64, ascending

    def __init__(self, num_attributes: int, num_known: int) -> None:
        super().__init__()
        draws = torch.Generator().manual_seed(0)
        direction = torch.randn(num_attributes, 1, generator=draws, dtype=torch.float64)
        self.register_buffer("direction", direction)
        self.register_buffer("fingerprints", torch.zeros(num_known, dtype=torch.float64))

    def learn(self, profiles: Tensor) -> None:
        """Know these profiles, (num_known, num_attributes), from now on."""
        self.fingerprints.copy_(self._of(profiles).sort().values)

    def forward(self, profiles: Tensor) -> Tensor:
        """1 for a profile that is known, else 0, (num_profiles, 1) float32."""
        found = self._of(profiles)
        above = torch.searchsorted(self.fingerprints, found - _SAME)
        nearest = self.fingerprints[above.clamp(max=len(self.fingerprints) - 1)]
        return ((nearest - found).abs() <= _SAME).float().unsqueeze(-1)

    def of_few(self, profiles: Tensor) -> Tensor:
        """The same without any search, as it is exported."""
        apart = (self._of(profiles).unsqueeze(-1) - self.fingerprints).abs()
        return (apart.amin(dim=-1, keepdim=True) <= _SAME).float()

    def _of(self, profiles: Tensor) -> Tensor:
        table = profiles.double()
        if table.is_sparse:
            return torch.sparse.mm(table, self.direction).squeeze(-1)
        return (table @ self.direction).squeeze(-1)


class UnknownNetwork(nn.Module):
    """What an unknown profile gives to its own node's row."""

    def __init__(self, num_seeds: int, num_attributes: int, outputs: int) -> None:
        super().__init__()
        self.first = StackedLinear(num_seeds, num_attributes, _HIDDEN_WIDTH)
        self.last = StackedLinear(num_seeds, _HIDDEN_WIDTH, outputs)

    def forward(self, profiles: Tensor, dropout: Dropout) -> Tensor:
        """(num_profiles, num_attributes) → (S, num_profiles, outputs)."""
        assert self.first.bias is not None
        rate = _DROPOUT if dropout.generator is not None else 0.0
        read = with_gaps(profiles, Dropout(rate, dropout.generator))
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        return self.last(hidden)
