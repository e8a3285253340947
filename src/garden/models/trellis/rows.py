"""What stands in which column of a row of `trellis`.

A row holds the own embedding, the distance code with its log-variance, two flags for newcomers, the
neighbours' mean embedding and log(1 + degree), in this order; codes and flags where a model has
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from garden.models.trellis.distance_codes import (
    CODE_WIDTH,
    DistanceCodes,
    joined_codes,
    split_codes,
)
from garden.models.trellis.unknown_profiles import NUM_NEWCOMER_COLUMNS

EMBEDDING = 32


class RowParts(NamedTuple):
    """What the rows of some nodes hold."""

    own: Tensor  # e(v), (S, rows, EMBEDDING)
    mean: Tensor  # m(v) of the neighbours' embeddings, of the same shape
    log_degree: Tensor  # log(1 + degree), (S, rows, 1)
    codes: DistanceCodes | None  # where the model learns them
    unknown: Tensor | None
    """Models for newcomers: if the own profile is unknown, and which share of the neighbours'
    profiles, (S, rows, 2)."""


@dataclass(frozen=True)
class RowLayout:
    """The columns of the rows of a model."""

    has_codes: bool  # whether it learns distance codes
    has_flags: bool  # whether it tells unknown profiles from others

    @property
    def own_width(self) -> int:
        """How many numbers a profile gives to its own row: its embedding, code, log-variance."""
        return EMBEDDING + (CODE_WIDTH + 1) * self.has_codes

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return self.own_width + NUM_NEWCOMER_COLUMNS * self.has_flags + EMBEDDING + 1

    def codes(self, rows: Tensor) -> DistanceCodes | None:
        """The codes and log-variances in these rows, where there are any."""
        return split_codes(rows[..., EMBEDDING : self.own_width]) if self.has_codes else None

    def neighbour_values(self, rows: Tensor) -> Tensor:
        """The embedding of each row, the log-variance of distances from it, and if it is known."""
        parts = [rows[..., :EMBEDDING]]
        if self.has_codes:
            parts.append(rows[..., self.own_width - 1 : self.own_width].detach())
        if self.has_flags:
            parts.append(1 - rows[..., self.own_width : self.own_width + 1])
        return torch.cat(parts, dim=-1)

    def parts(self, rows: Tensor) -> RowParts:
        """What stands in these rows, as :meth:`joined` has put it there."""
        flags = slice(self.own_width, self.own_width + NUM_NEWCOMER_COLUMNS)
        return RowParts(
            own=rows[..., :EMBEDDING],
            mean=rows[..., -EMBEDDING - 1 : -1],
            log_degree=rows[..., -1:],
            codes=self.codes(rows),
            unknown=rows[..., flags] if self.has_flags else None,
        )

    def joined(self, own: Tensor, summed: Tensor, degree: Tensor, log_degree: Tensor) -> Tensor:
        """Rows, (S, rows, width).

        Args:
            own: what own profiles give, and with flags whether each is unknown.
            summed: the sum of what neighbours' profiles give, and with flags how many are known.
            degree: how many neighbours there are, (…, 1).
            log_degree: log(1 + degree), (S, rows, 1).
        """
        flags: list[Tensor] = []
        if self.has_flags:
            known = summed[..., -1:]
            mean = summed[..., :-1] / known.clamp(min=1)
            flags = [own[..., -1:], 1 - known / degree.clamp(min=1)]
            own = own[..., :-1]
        else:
            mean = summed / degree.clamp(min=1)
        parts = [own[..., :EMBEDDING]]
        if self.has_codes:
            parts.append(joined_codes(own[..., EMBEDDING:], mean[..., EMBEDDING:]))
        return torch.cat([*parts, *flags, mean[..., :EMBEDDING], log_degree], dim=-1)
