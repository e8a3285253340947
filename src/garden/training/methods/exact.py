"""The exact policy gradient of the infinite-horizon discounted return.

Every source of every drawn target counts, weighted; the gradient of the return is exact
(:mod:`garden.training.chain_solvers`), so an update has no variance but that of drawing targets.
"""

from __future__ import annotations

import torch

from garden.models.base import Model
from garden.models.layers import Dropout
from garden.training.chain_solvers import return_surrogate, source_weights
from garden.training.methods.base import UpdateLoss, mean_per_seed, scores_towards, with_all_links
from garden.training.methods.config import ExactConfig
from garden.training.methods.hop_policy import entropies, log_policy
from garden.training.training_graph import TrainingGraph


def exact_loss(
    model: Model,
    graph: TrainingGraph,
    config: ExactConfig,
    dropout: Dropout,
    generator: torch.Generator,
) -> UpdateLoss:
    """One update's loss: minus the return, whose gradient is exact, minus the entropy.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        config: the options of `exact`.
        dropout: what training drops at random.
        generator: the stream of random numbers.
    """
    targets = graph.draw_targets(config.targets_per_update, generator)
    rows = model.embed(graph.egos, dropout)
    masked = with_all_links(targets, graph)
    scores = scores_towards(
        model, graph, rows, masked, dropout, embedding_dropout=config.target_embedding_dropout
    )
    log_probabilities = log_policy(scores.flatten(0, 1), graph)
    flat = targets.flatten()
    distances = graph.distances_to(flat)
    weights = source_weights(distances, config.source_weights)
    surrogate, returns = return_surrogate(log_probabilities, flat, weights, config.gamma, graph)
    entropy = entropies(log_probabilities, graph).mean(dim=1)
    per_target = -surrogate - config.entropy_coef * entropy
    seeds = model.num_seeds
    return UpdateLoss(
        loss=mean_per_seed(per_target, seeds),
        stats={
            "return": mean_per_seed(returns, seeds),
            "entropy": mean_per_seed(entropy.detach(), seeds),
        },
    ).with_auxiliary(model.auxiliary_loss(rows, targets, distances))
