"""Guided training: imitate the oracle, and keep an eye on the return.

Training is centralised, so the oracle may say which neighbours are a hop nearer to the target. The
loss is minus the logarithm of the probability that the policy gives to those, averaged over
holders, and minus the exact discounted return, which knows that not all mistakes cost alike.
"""

from __future__ import annotations

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.layers import Dropout
from garden.training.config import TrainingConfig
from garden.training.exact import UpdateLoss, return_surrogate, scores_towards, source_weights
from garden.training.problem import Problem
from garden.training.transitions import entropies, log_policy

_LEAST_MASS = 1e-6  # below it a holder is lost anyway, and its logarithm would drown the others


def guided_loss(
    model: Model,
    problem: Problem,
    config: TrainingConfig,
    dropout: Dropout,
    generator: torch.Generator,
) -> UpdateLoss:
    """One update's loss: imitation over all holders, and the return towards some targets."""
    targets = problem.draw_targets(config.targets_per_update, generator)
    rows = model.embed(problem.egos, dropout)
    scores = scores_towards(model, problem, rows, targets, dropout)
    log_chances = log_policy(scores.flatten(0, 1), problem)
    flat = targets.flatten()
    distances = problem.distances_to(flat)
    seeds = model.num_seeds
    imitation = imitation_losses(log_chances, distances, problem).reshape(seeds, -1).mean(dim=1)
    loss = config.imitation_coef * imitation
    stats = {"imitation": imitation.detach()}
    if config.return_coef:
        few = _first_targets(targets, config.return_targets)
        weights = source_weights(distances[few], config.source_weights)
        surrogate, returns = return_surrogate(
            log_chances[few], flat[few], weights, config.gamma, problem
        )
        loss = loss - config.return_coef * surrogate.reshape(seeds, -1).mean(dim=1)
        stats["return"] = returns.reshape(seeds, -1).mean(dim=1)
    entropy = entropies(log_chances, problem).mean(dim=1).reshape(seeds, -1).mean(dim=1)
    stats["entropy"] = entropy.detach()
    return UpdateLoss(loss - config.entropy_coef * entropy, stats)


def imitation_losses(log_chances: Tensor, distances: Tensor, problem: Problem) -> Tensor:
    """Minus the mean log probability of a hop that leads nearer, per target, (batch,)."""
    nearer = distances.index_select(1, problem.neighbours) < distances.index_select(
        1, problem.holders
    )
    mass = torch.zeros_like(distances).index_add(1, problem.holders, log_chances.exp() * nearer)
    away = distances > 0
    losses = -mass.clamp(min=_LEAST_MASS).log() * away
    return losses.sum(dim=1) / away.sum(dim=1)


def _first_targets(targets: Tensor, count: int) -> Tensor:
    """Rows of the flattened batch that belong to each seed's first targets."""
    places = torch.arange(targets.numel(), device=targets.device).reshape(targets.shape)
    return places[:, :count].flatten()
