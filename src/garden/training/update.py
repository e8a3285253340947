"""What one update minimises."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class UpdateLoss:
    """What one update minimises, and what is worth knowing about it, per seed."""

    loss: Tensor  # (num_seeds,)
    stats: dict[str, Tensor]  # (num_seeds,) each

    def with_ranging(self, ranging: Tensor | None) -> UpdateLoss:
        """The same and the loss of ranging, for a model that learns ranges."""
        if ranging is None:
            return self
        return UpdateLoss(self.loss + ranging, {**self.stats, "ranging": ranging.detach()})
