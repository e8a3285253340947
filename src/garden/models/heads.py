"""Networks over a pair of rows: the actor's score and the critic's value, f_π and f_v in the paper.

They stand in its equations 1 and 2, over [x_candidate ‖ x_target] and [x_holder ‖ x_target].
The policy is the softmax of the actor's scores over the holder's neighbours
(:mod:`garden.strategies.selection`); the critic's loss is in :mod:`garden.training.methods.a2c`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from garden.models.layers import KEEP_ALL, Dropout, StackedLinear


class PairNetwork(nn.Module):
    """Three linear layers over [candidate ‖ target], with ReLU between them.

    The first layer is split: W [a ‖ b] = W₁ a + W₂ b, so that a table of n candidates by T targets
    costs two small products and a broadcast instead of n · T concatenations.
    """

    def __init__(self, num_seeds: int, width: int, hidden: int) -> None:
        super().__init__()
        first = StackedLinear(num_seeds, 2 * width, hidden)
        assert first.bias is not None
        self.of_candidate = nn.Parameter(first.weight.detach()[:, :width].clone())
        self.of_target = nn.Parameter(first.weight.detach()[:, width:].clone())
        self.bias = nn.Parameter(first.bias.detach())
        self.middle = StackedLinear(num_seeds, hidden, hidden)
        self.last = StackedLinear(num_seeds, hidden, 1)

    def table(self, candidates: Tensor, targets: Tensor, dropout: Dropout = KEEP_ALL) -> Tensor:
        """(S, n, width) and (S, T, width) → (S, T, n).

        Args:
            candidates: rows, (S, n, width).
            targets: rows, (S, T, width).
            dropout: applied to the first hidden layer.
        """
        num_seeds, num_candidates = candidates.shape[:2]
        num_targets = targets.shape[1]
        first = torch.baddbmm(self.bias, candidates, self.of_candidate).unsqueeze(1)
        pairs = first + (targets @ self.of_target).unsqueeze(2)  # (S, T, n, hidden)
        flat = pairs.reshape(num_seeds, num_targets * num_candidates, -1)
        return self._finish(flat, dropout).reshape(num_seeds, num_targets, num_candidates)

    def aligned(self, candidates: Tensor, targets: Tensor) -> Tensor:
        """(S, P, width) twice → (S, P).

        Args:
            candidates: rows, (S, P, width).
            targets: the row of the target of each, (S, P, width).
        """
        pairs = torch.baddbmm(self.bias, candidates, self.of_candidate) + targets @ self.of_target
        return self._finish(pairs, KEEP_ALL)

    def _finish(self, pairs: Tensor, dropout: Dropout) -> Tensor:
        hidden = dropout(torch.relu(pairs))
        return self.last(torch.relu(self.middle(hidden))).squeeze(-1)
