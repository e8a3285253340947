r"""Profiles that training never saw, and what is read of them.

The encoders of `trellis` learn where in the graph each profile stands. Of a profile that was not
there they say something all the same, and it is wrong. A model for newcomers therefore keeps the
profiles of the training graph, and recognises each by a fingerprint x · r along a fixed random
direction r. A profile x that is unknown

* gets an average of what known profiles give, each known y weighed by how similar it is,

      softmax_y( τ Σ_j w_j x_j y_j / √(Σ_j w_j x_j² · Σ_j w_j y_j²) ),

  with learned weights w of attributes, and a learned row beside them, for a profile that is
  similar to none;
* does not count in its neighbours' means, nor in the soft minimum over a target's neighbours.

Training teaches this on nodes that pass for newcomers in some updates, though their links stay.
What they get comes from other profiles alone, so that nothing of them can be learned by heart.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

NUM_NEWCOMER_FEATURES = 4  # unknown or not, and the share of unknown neighbours, of both ends
NUM_NEWCOMER_COLUMNS = 2  # of a row
_SAME = 1e-8  # fingerprints this near are of the same profile
_INITIAL_SHARPNESS = 10.0
_LEAST_NORM = 1e-6
_SOFTPLUS_OF_ONE = math.log(math.e - 1)


class KnownProfiles(nn.Module):
    """The profiles of the training graph, and whether a profile is one of them."""

    profiles: Tensor  # (num_known, num_attributes), standardised
    direction: Tensor  # (num_attributes, 1) float64
    fingerprints: Tensor  # (num_known,) float64, ascending

    def __init__(self, num_attributes: int, num_known: int) -> None:
        super().__init__()
        draws = torch.Generator().manual_seed(0)
        direction = torch.randn(num_attributes, 1, generator=draws, dtype=torch.float64)
        self.register_buffer("profiles", torch.zeros(num_known, num_attributes))
        self.register_buffer("direction", direction)
        self.register_buffer("fingerprints", torch.zeros(num_known, dtype=torch.float64))

    def learn(self, profiles: Tensor) -> None:
        """Know these profiles, (num_known, num_attributes), from now on."""
        self.profiles.copy_(as_dense(profiles))
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
        return (as_dense(profiles).double() @ self.direction).squeeze(-1)


class SimilarProfiles(nn.Module):
    """What an unknown profile gets: an average over known profiles, the similar ones first."""

    def __init__(self, num_seeds: int, num_attributes: int, outputs: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.full((num_seeds, 1, num_attributes), _SOFTPLUS_OF_ONE))
        self.sharpness = nn.Parameter(torch.full((num_seeds, 1, 1), _INITIAL_SHARPNESS))
        self.like_nobody = nn.Parameter(torch.full((num_seeds, 1, 1), 0.5 * _INITIAL_SHARPNESS))
        self.nobody = nn.Parameter(torch.zeros(num_seeds, 1, outputs))

    def forward(
        self, profiles: Tensor, known: Tensor, values: Tensor, hidden: Tensor | None
    ) -> Tensor:
        """The average for each profile, (S, num_profiles, outputs).

        Args:
            profiles: (num_profiles, num_attributes).
            known: the profiles to be compared with, (num_known, num_attributes).
            values: what those give, (S, num_known, outputs).
            hidden: which of them pass for unknown, (num_known,) bool; none by default.
        """
        weights = nn.functional.softplus(self.weights).sqrt()
        ours, theirs = _of_length_one(profiles * weights), _of_length_one(known * weights)
        logits = self.sharpness * (ours @ theirs.transpose(1, 2))
        if hidden is not None:
            logits = logits.masked_fill(hidden, -math.inf)
        nobody = self.like_nobody.expand(-1, logits.shape[1], -1)
        shares = torch.cat([logits, nobody], dim=-1).softmax(dim=-1)
        return shares[..., :-1] @ values + shares[..., -1:] * self.nobody


def as_dense(profiles: Tensor) -> Tensor:
    """A table of profiles without gaps."""
    return profiles.to_dense() if profiles.is_sparse else profiles


def _of_length_one(rows: Tensor) -> Tensor:
    return rows / rows.norm(dim=-1, keepdim=True).clamp(min=_LEAST_NORM)
