"""Guided training: imitate the oracle.

Training is centralised, so the oracle may say which neighbours N⁺(u, t) of a holder u are a hop
nearer to the target t. The loss is

    L = − mean_{u, t} log Σ_{v ∈ N⁺(u, t)} π(v | u, t),

over all holders, or a sample of them on large graphs, where the rows that these read are embedded
and no others. With ``return_coef`` the exact discounted
return (:mod:`garden.training.chain_solvers`), which weighs mistakes by their cost, counts beside it
on graphs small enough to solve for it. A model's auxiliary loss is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.layers import Dropout
from garden.training.chain_solvers import DENSE_NODES, return_surrogate, source_weights
from garden.training.methods.base import (
    MaskedTargets,
    UpdateLoss,
    embedded_rows,
    energies_of,
    is_wide,
    mask_links,
    masked_distances,
    mean_per_seed,
    scores_towards,
    with_all_links,
)
from garden.training.methods.config import GuidedConfig
from garden.training.methods.hidden_nodes import with_hidden_nodes
from garden.training.methods.hop_policy import entropies, highest_of_holders
from garden.training.training_graph import LARGE_NODES, Links, TrainingGraph

ALL_HOLDERS_NODES = 6000  # up to here every node's choice is imitated
SAMPLED_HOLDERS = 1024  # beyond, unless told otherwise, this many in each update
LEAST_MASS = 1e-6  # below it a holder is lost anyway, and its logarithm would drown the others
NO_LINK = -1e4  # log probability of a hop over a link that the target hides


def guided_loss(
    model: Model,
    graph: TrainingGraph,
    config: GuidedConfig,
    dropout: Dropout,
    generator: torch.Generator,
) -> UpdateLoss:
    """One update's loss: imitation over holders, and the return towards some targets if asked.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        config: the options of `guided`.
        dropout: what training drops at random.
        generator: the stream of random numbers.
    """
    targets = graph.draw_targets(config.targets_per_update, generator)
    if model.reads_neighbours:
        masked = mask_links(targets, config.hidden_link_rate, graph, generator)
    else:
        masked = with_all_links(targets, graph)
    flat, distances = targets.flatten(), masked_distances(graph, masked)
    egos = graph.egos
    if config.hidden_node_rate > 0:
        egos = with_hidden_nodes(graph, targets, config.hidden_node_rate, generator)
    if graph.num_nodes <= LARGE_NODES:  # stored runs drew in this order
        rows = model.embed(egos, dropout)
        draw = draw_choices(config.holders_per_update, graph, generator)
    else:
        draw = draw_choices(config.holders_per_update, graph, generator)
        rows = embedded_rows(model, graph, dropout, _needed(draw, masked))
    holders = None if draw is None else draw.holders
    auxiliary = model.auxiliary_loss(rows, targets, distances, masked.unmasked(graph), holders)
    candidates = None if draw is None else draw.candidates
    scores = scores_towards(
        model, graph, rows, masked, dropout, candidates, config.target_embedding_dropout
    ).flatten(0, 1)
    if draw is None:
        losses, totals = imitation_losses(scores, distances, flat, graph)
    else:
        hop_scores = scores.index_select(1, draw.columns)
        losses = sampled_imitation_losses(hop_scores, draw.hops, distances, flat, graph)
    imitation = mean_per_seed(losses, len(targets))
    loss = UpdateLoss(config.imitation_coef * imitation, {"imitation": imitation.detach()})
    counts_return = bool(config.return_coef or config.entropy_coef)
    if draw is None and graph.num_nodes <= DENSE_NODES and counts_return:
        loss = with_return(loss, scores, totals, distances, targets, config, graph)
    return loss.with_auxiliary(auxiliary)


def with_return(
    loss: UpdateLoss,
    scores: Tensor,
    totals: Tensor,
    distances: Tensor,
    targets: Tensor,
    config: GuidedConfig,
    graph: TrainingGraph,
) -> UpdateLoss:
    """The loss less the return and the entropy of each seed's first targets, both weighted.

    Args:
        loss: the imitation loss.
        scores: (S · T, num_nodes).
        totals: log Σ exp(score) over each holder's visible neighbours, (S · T, num_nodes).
        distances: hops from every node to each target over visible links, (S · T, num_nodes).
        targets: node numbers, (S, T).
        config: says of how many targets, and with which weights.
        graph: the graph as tensors.
    """
    places = torch.arange(targets.numel(), device=targets.device).reshape(targets.shape)
    few, flat = places[:, : config.return_targets].flatten(), targets.flatten()
    seeds = len(targets)
    log_probabilities = scores[few].index_select(1, graph.neighbours)
    log_probabilities = log_probabilities - totals[few].index_select(1, graph.holders)
    log_probabilities = log_probabilities.masked_fill(
        _hidden(distances[few], flat[few], graph), NO_LINK
    )
    weights = source_weights(distances[few], config.source_weights)
    surrogate, returns = return_surrogate(
        log_probabilities, flat[few], weights, config.gamma, graph
    )
    entropy = mean_per_seed(entropies(log_probabilities, graph).mean(dim=1), seeds)
    objective = loss.loss - config.return_coef * mean_per_seed(surrogate, seeds)
    return UpdateLoss(
        objective - config.entropy_coef * entropy,
        {**loss.stats, "return": mean_per_seed(returns, seeds), "entropy": entropy.detach()},
    )


def imitation_losses(
    scores: Tensor, distances: Tensor, targets: Tensor, links: Links
) -> tuple[Tensor, Tensor]:
    """Minus the mean log probability of a hop that leads nearer, per target, (batch,).

    Distances between neighbours differ by one at most, so that their remainder by three tells who
    is nearer, and three sums over neighbours say it all. With it come the logarithms of each
    holder's sum of exp(score), (batch, num_nodes), hidden links left out.

    Args:
        scores: (batch, num_nodes).
        distances: hops from every node to each target, (batch, num_nodes); infinite out of reach.
        targets: node numbers, (batch,).
        links: the graph as tensors.
    """
    if is_wide(scores):
        return _losses_of_hops(
            scores.index_select(1, links.neighbours),
            torch.arange(len(links.holders), device=scores.device),
            links.holders,
            torch.arange(links.num_nodes, device=scores.device),
            distances,
            targets,
            links,
        )
    highest = scores.detach().amax(dim=1, keepdim=True)
    energies = energies_of(scores, highest)
    target = targets.unsqueeze(1)
    delivery = energies.gather(1, target) * (distances == 1)  # over visible links
    others = energies.scatter(1, target, 0.0)
    nearer, totals = delivery, delivery
    away = (distances > 0) & distances.isfinite()
    level = distances.where(distances.isfinite(), torch.zeros_like(distances)) % 3
    for remainder in range(3):
        summed = links.sum_neighbours(others * (level == remainder))
        nearer = nearer + summed * ((level - 1) % 3 == remainder)
        totals = totals + summed
    mass = nearer / totals.where(away, torch.ones_like(totals))
    losses = -mass.where(away, torch.ones_like(mass)).clamp(min=LEAST_MASS).log()
    log_totals = totals.clamp(min=torch.finfo(totals.dtype).tiny).log() + highest
    mean = losses.sum(dim=1) / away.sum(dim=1)
    return mean.to(scores.dtype), log_totals.to(scores.dtype)


def sampled_imitation_losses(
    hop_scores: Tensor, hops: Tensor, distances: Tensor, targets: Tensor, graph: TrainingGraph
) -> Tensor:
    """The same over the holders of some hops, from a score per hop, (batch, len(hops)).

    Args:
        hop_scores: (batch, len(hops)).
        hops: which hops, all those of some holders.
        distances: hops from every node to each target, (batch, num_nodes).
        targets: node numbers, (batch,).
        graph: the graph as tensors.
    """
    holders, column = torch.unique(graph.holders[hops], return_inverse=True)
    return _losses_of_hops(hop_scores, hops, column, holders, distances, targets, graph)[0]


def _losses_of_hops(
    hop_scores: Tensor,
    hops: Tensor,
    column: Tensor,
    holders: Tensor,
    distances: Tensor,
    targets: Tensor,
    links: Links,
) -> tuple[Tensor, Tensor]:
    """Losses, (batch,), and log totals, (batch, num_holders), from a score per hop.

    ``column[i]`` is the place among ``holders`` of the one that hop i leaves. Each holder's scores
    are shifted by their own highest, so that any finite scores will do.
    """
    neighbours = links.neighbours[hops]
    here, there = distances.index_select(1, links.holders[hops]), distances[:, neighbours]
    hidden = (neighbours == targets.unsqueeze(1)) & (here != 1)
    scores = hop_scores.double().masked_fill(hidden, -torch.inf)
    highest = highest_of_holders(scores, column, len(holders))
    highest = highest.masked_fill(highest.isinf(), 0.0)  # all of this holder's links are hidden
    energies = (scores - highest.index_select(1, column)).exp()
    empty = torch.zeros_like(highest)
    totals = empty.index_add(1, column, energies)
    nearer = empty.index_add(1, column, energies * (there < here))
    reach = distances.index_select(1, holders)
    away = (reach > 0) & reach.isfinite()
    mass = nearer / totals.where(away, torch.ones_like(totals))
    losses = -mass.where(away, torch.ones_like(mass)).clamp(min=LEAST_MASS).log()
    log_totals = totals.clamp(min=torch.finfo(totals.dtype).tiny).log() + highest
    mean = losses.sum(dim=1) / away.sum(dim=1).clamp(min=1)
    return mean.to(hop_scores.dtype), log_totals.to(hop_scores.dtype)


@dataclass(frozen=True, eq=False)
class Choices:
    """Some holders, and the hops that they choose from."""

    holders: Tensor  # (num_holders,) node numbers
    hops: Tensor  # (num_hops,) all hops of these holders
    candidates: Tensor  # (num_candidates,) the nodes that they lead to, once each
    columns: Tensor  # (num_hops,) the place of each hop's end among the candidates


def draw_choices(count: int, graph: TrainingGraph, generator: torch.Generator) -> Choices | None:
    """The choices that an update imitates, or nothing where it is those of all nodes.

    Args:
        count: how many holders; 0 leaves it to the size of the graph.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    holders = draw_holders(count, graph, generator)
    if holders is None:
        return None
    hops = graph.hops_of(holders)
    candidates, columns = torch.unique(graph.neighbours[hops], return_inverse=True)
    return Choices(holders, hops, candidates, columns)


def _needed(draw: Choices | None, masked: MaskedTargets) -> Tensor | None:
    """The nodes whose rows an update reads; None for all."""
    if draw is None:
        return None
    read = (draw.candidates, draw.holders, masked.targets.flatten(), masked.members)
    return torch.unique(torch.cat(read))


def draw_holders(count: int, graph: TrainingGraph, generator: torch.Generator) -> Tensor | None:
    """The holders whose choice an update imitates, or nothing where it is all of them.

    Args:
        count: how many; 0 leaves it to the size of the graph.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    if count == 0:
        count = graph.num_nodes if graph.num_nodes <= ALL_HOLDERS_NODES else SAMPLED_HOLDERS
    if count >= graph.num_nodes:
        return None
    draws = torch.rand(graph.num_nodes, generator=generator, device=graph.device)
    return draws.topk(count).indices.sort().values


def _hidden(distances: Tensor, targets: Tensor, graph: TrainingGraph) -> Tensor:
    """Hops over links that the target hides, (batch, num_hops)."""
    to_target = graph.neighbours == targets.unsqueeze(1)
    return to_target & (distances.index_select(1, graph.holders) != 1)
