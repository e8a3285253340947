r"""The exact policy gradient of the infinite-horizon discounted return.

For one target the policy is an absorbing chain. With V its values, w the weights of sources and
J = Σ w(u) V(u), the policy-gradient theorem gives

    ∇J = Σ_u μ(u) Σ_v π(v|u) A(u, v) ∇ log π(v|u),

where μ is the discounted occupancy and A(u, v) = [v = t] + γ V(v) − V(u). Both V and μ come from
one linear system, so there is no sampling and no variance. Truncation plays no part. A model that
learns ranges is taught those by the oracle's distances beside it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.layers import KEEP_ALL, Dropout
from garden.training.chain_solvers import (
    DENSE_NODES,
    entropies,
    log_policy,
    solve_dense,
    solve_sparse,
)
from garden.training.config import TrainingConfig
from garden.training.methods.target_masking import Shown, neighbours_of, surroundings_of
from garden.training.ranging import ranging_losses
from garden.training.training_graph import Links, Problem
from garden.training.update import UpdateLoss


def exact_loss(
    model: Model,
    problem: Problem,
    config: TrainingConfig,
    dropout: Dropout,
    generator: torch.Generator,
) -> UpdateLoss:
    """One update's loss: minus the return, whose gradient is exact, minus the entropy."""
    targets = problem.draw_targets(config.targets_per_update, generator)
    rows = model.embed(problem.egos, dropout)
    shown = neighbours_of(targets, problem)
    scores = scores_towards(model, problem, rows, shown, dropout)
    log_chances = log_policy(scores.flatten(0, 1), problem)
    flat = targets.flatten()
    distances = problem.distances_to(flat)
    weights = source_weights(distances, config.source_weights)
    surrogate, returns = return_surrogate(log_chances, flat, weights, config.gamma, problem)
    entropy = entropies(log_chances, problem).mean(dim=1)
    per_target = -surrogate - config.entropy_coef * entropy
    seeds = model.num_seeds
    return UpdateLoss(
        loss=per_target.reshape(seeds, -1).mean(dim=1),
        stats={
            "return": returns.reshape(seeds, -1).mean(dim=1),
            "entropy": entropy.detach().reshape(seeds, -1).mean(dim=1),
        },
    ).with_ranging(ranging_losses(model, rows, targets, distances))


def return_surrogate(
    log_chances: Tensor,
    targets: Tensor,
    weights: Tensor,
    gamma: float,
    problem: Links,
    dense: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """A quantity per target whose gradient is that of the return, and the return itself."""
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


def scores_towards(
    model: Model,
    problem: Problem,
    rows: Tensor,
    shown: Shown,
    dropout: Dropout = KEEP_ALL,
    candidates: Tensor | None = None,
) -> Tensor:
    """Scores of all nodes, or of some candidates, for each seed's targets, (S, T, nodes)."""
    around = surroundings_of(model, problem, rows, shown, candidates)
    goals = model.target_rows(rows, shown.targets, dropout)
    if candidates is not None:
        rows = rows.index_select(1, candidates)
    return model.score_table(rows, goals, dropout, around)
