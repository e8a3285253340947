"""What methods have in common: the loss of an update, the exact return, the weights of sources.

For one target the policy is an absorbing chain. With V its values, w the weights of sources and
J = Σ w(u) V(u), the policy-gradient theorem gives

    ∇J = Σ_u μ(u) Σ_v π(v|u) A(u, v) ∇ log π(v|u),

where μ is the discounted occupancy and A(u, v) = [v = t] + γ V(v) − V(u). Both V and μ come from
one linear system (:mod:`garden.training.chain_solvers`), so there is no sampling and no variance.
Truncation plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from garden.training.chain_solvers import DENSE_NODES, solve_dense, solve_sparse
from garden.training.training_graph import Links


@dataclass(frozen=True)
class UpdateLoss:
    """What one update minimises, and what is worth knowing about it, per seed."""

    loss: Tensor  # (num_seeds,)
    stats: dict[str, Tensor]  # (num_seeds,) each

    def with_auxiliary(self, auxiliary: tuple[str, Tensor] | None) -> UpdateLoss:
        """The same and the model's own loss, where it has one."""
        if auxiliary is None:
            return self
        name, loss = auxiliary
        return UpdateLoss(self.loss + loss, {**self.stats, name: loss.detach()})


def return_surrogate(
    log_chances: Tensor,
    targets: Tensor,
    weights: Tensor,
    gamma: float,
    problem: Links,
    dense: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """A quantity per target whose gradient is that of the return, and the return itself.

    Args:
        log_chances: log π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        problem: the graph as tensors.
        dense: whether to solve by dense matrices; by the size of the graph by default.
    """
    chances = log_chances.detach().exp()
    if dense is None:
        dense = problem.num_nodes <= DENSE_NODES
    solve = solve_dense if dense else solve_sparse
    values, occupancy = solve(chances, targets, weights, gamma, problem)
    onward = values.index_select(1, problem.neighbours).masked_fill(
        problem.neighbours == targets[:, None], 0.0
    )
    delivered = (problem.neighbours == targets[:, None]).to(chances.dtype)
    advantages = delivered + gamma * onward - values.index_select(1, problem.holders)
    coefficients = occupancy.index_select(1, problem.holders) * chances * advantages
    coefficients = coefficients * (problem.holders != targets[:, None])
    return (coefficients * log_chances).sum(dim=1), (weights * values).sum(dim=1)


def source_weights(distances: Tensor, kind: str) -> Tensor:
    """How much each source counts, (batch, num_nodes): zero at the target, summing to one."""
    others = (distances > 0) & distances.isfinite()
    weights = others / distances.clamp(min=1) if kind == "inverse-distance" else others.float()
    return weights / weights.sum(dim=1, keepdim=True)
