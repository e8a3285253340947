"""Advantage actor-critic, the paper's Algorithm 1: the actor's and the critic's loss of a batch.

One pass of representations serves hundreds of walks, and the loss of a batch is the sum of the
losses of its episodes. The slips of the printed algorithm are mended: the advantage discounts its
bootstrap, nothing is bootstrapped after delivery but a truncated episode is, and the loss
subtracts the entropy. As is usual, the policy's term treats the advantage as a constant, and the
gradient leaves out the factor γ^t that the discounted objective would give hop t. A model
with an auxiliary loss, which none of the paper's has, is taught that beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.layers import Dropout
from garden.training.methods.base import (
    UpdateLoss,
    mean_per_seed,
    target_context_of,
    with_all_links,
)
from garden.training.methods.config import A2CConfig
from garden.training.methods.hop_policy import entropies, log_policy
from garden.training.training_graph import TrainingGraph

_CHECK_EVERY = 10  # hops between looks at whether anybody still walks


@dataclass(frozen=True, eq=False)
class Walks:
    """Batched episodes: row b walks towards target b, several walks each."""

    hops: Tensor  # (num_steps, batch, num_walks) index of the hop taken
    walking: Tensor  # (num_steps, batch, num_walks) bool: whether it was taken

    def delivered(self, targets: Tensor, graph: TrainingGraph) -> Tensor:
        """Which hops were taken and led to the target, (num_steps, batch, num_walks) bool.

        Args:
            targets: node numbers, (batch,).
            graph: says where hops lead.
        """
        return self.walking & (graph.neighbours[self.hops] == targets[:, None])


def a2c_loss(
    model: Model,
    graph: TrainingGraph,
    config: A2CConfig,
    dropout: Dropout,
    generator: torch.Generator,
) -> UpdateLoss:
    """One update's loss: walk a batch of episodes, then sum their losses.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        config: the options of `a2c`.
        dropout: what training drops at random.
        generator: the stream of random numbers.
    """
    targets = graph.draw_targets(config.targets_per_update, generator)
    rows = model.embed(graph.egos, dropout)
    context = target_context_of(model, graph, rows, with_all_links(targets, graph))
    target_rows = model.target_rows(rows, targets, dropout, config.target_embedding_dropout)
    scores = model.score_table(rows, target_rows, dropout, context)
    log_probabilities = log_policy(scores.flatten(0, 1), graph)
    values = model.value_table(rows, target_rows, context).flatten(0, 1)
    flat = targets.flatten()
    sources = draw_sources(flat, config.walks_per_target, graph, generator)
    walks = walk_batch(log_probabilities.detach(), flat, sources, config.limit, graph, generator)
    losses = episode_losses(
        log_probabilities, values, flat, walks, config.gamma, config.entropy_coef, graph
    )
    stats = {
        "delivered": walks.delivered(flat, graph).any(dim=0).float(),
        "hops": walks.walking.sum(dim=0).float(),
        "entropy": entropies(log_probabilities.detach(), graph).mean(dim=1),
    }
    return UpdateLoss(
        loss=losses.reshape(model.num_seeds, -1).sum(dim=1),
        stats={name: mean_per_seed(values, model.num_seeds) for name, values in stats.items()},
    ).with_auxiliary(model.auxiliary_loss(rows, targets, graph.distances_to(flat)))


def draw_sources(
    targets: Tensor, num_walks: int, graph: TrainingGraph, generator: torch.Generator
) -> Tensor:
    """Uniform sources other than the target, (batch, num_walks).

    Args:
        targets: node numbers, (batch,).
        num_walks: sources per target.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    draws = torch.rand((len(targets), num_walks), generator=generator, device=targets.device)
    sources = (draws * (graph.num_nodes - 1)).long()
    return sources + (sources >= targets[:, None])


def walk_batch(
    log_probabilities: Tensor,
    targets: Tensor,
    sources: Tensor,
    max_hops: int,
    graph: TrainingGraph,
    generator: torch.Generator,
) -> Walks:
    """Sample episodes: a hop is found in the running sum of all probabilities by one binary search.

    On a CPU the walk is compiled where numba is installed, hop for hop the same.

    Args:
        log_probabilities: log π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        sources: node numbers, (batch, num_walks).
        max_hops: the hop at which an episode is truncated.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    running = log_probabilities.double().exp().cumsum(dim=1)
    given = (running, targets, sources, max_hops, graph, generator)
    if running.device.type != "cpu":
        return walk_by_tensors(*given)
    try:
        from garden.training.methods.a2c_kernel import walk
    except ImportError:  # no numba on this machine
        return walk_by_tensors(*given)
    return _walk_compiled(walk, *given)


def _walk_compiled(
    walk: Callable[..., None],
    running: Tensor,
    targets: Tensor,
    sources: Tensor,
    max_hops: int,
    graph: TrainingGraph,
    generator: torch.Generator,
) -> Walks:
    """What :func:`walk_by_tensors` gives, from the same random numbers."""
    holder, walking = sources.clone(), sources != targets[:, None]
    hops = torch.empty((max_hops, *sources.shape), dtype=torch.int64)
    masks = torch.empty((max_hops, *sources.shape), dtype=torch.bool)
    start = 0
    while start < max_hops and walking.any():
        stop = min(start + _CHECK_EVERY, max_hops)
        draws = torch.rand((stop - start, *holder.shape), generator=generator, dtype=torch.float64)
        csr = (graph.first_hop, graph.neighbours)
        state = (holder, walking, hops[start:stop], masks[start:stop])
        walk(*(one.numpy() for one in (running, *csr, targets, draws, *state)))
        start = stop
    return Walks(hops[:start], masks[:start])


def walk_by_tensors(
    running: Tensor,
    targets: Tensor,
    sources: Tensor,
    max_hops: int,
    graph: TrainingGraph,
    generator: torch.Generator,
) -> Walks:
    """The walk by tensor operations, a hop of all episodes at a time.

    Args:
        running: running sums of the probabilities of all hops, (batch, num_hops).
        targets: node numbers, (batch,).
        sources: node numbers, (batch, num_walks).
        max_hops: the hop at which an episode is truncated.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    before = torch.nn.functional.pad(running, (1, 0))  # (batch, num_hops + 1)
    holder, target = sources, targets[:, None]
    walking = holder != target
    hops, masks = [], []
    for step in range(max_hops):
        if step % _CHECK_EVERY == 0 and not walking.any():
            break
        first, last = graph.first_hop[holder], graph.first_hop[holder + 1]
        low, high = before.gather(1, first), before.gather(1, last)
        draws = torch.rand(
            holder.shape, generator=generator, device=holder.device, dtype=torch.float64
        )
        hop = torch.searchsorted(running, low + draws * (high - low), right=True)
        hop = torch.minimum(torch.maximum(hop, first), last - 1)
        hops.append(hop)
        masks.append(walking)
        holder = torch.where(walking, graph.neighbours[hop], holder)
        walking = walking & (holder != target)
    return Walks(torch.stack(hops), torch.stack(masks))


def episode_losses(
    log_probabilities: Tensor,
    values: Tensor,
    targets: Tensor,
    walks: Walks,
    gamma: float,
    entropy_coef: float,
    graph: TrainingGraph,
) -> Tensor:
    """The loss of each episode, (batch, num_walks): policy, entropy and value terms, summed.

    Args:
        log_probabilities: log π of every hop, (batch, num_hops).
        values: the critic, (batch, num_nodes).
        targets: node numbers, (batch,).
        walks: the episodes.
        gamma: the discount factor, γ.
        entropy_coef: the weight of the policy's entropy, λ.
        graph: the graph as tensors.
    """

    def at(table: Tensor, places: Tensor) -> Tensor:
        steps, batch, num_walks = places.shape
        flat = places.permute(1, 0, 2).reshape(batch, -1)
        return table.gather(1, flat).reshape(batch, steps, num_walks).permute(1, 0, 2)

    holders, next_holders = graph.holders[walks.hops], graph.neighbours[walks.hops]
    delivered = next_holders == targets[:, None]
    bootstrap = at(values.detach(), next_holders).masked_fill(delivered, 0.0)
    advantages = delivered.float() + gamma * bootstrap - at(values, holders)
    policy = -advantages.detach() * at(log_probabilities, walks.hops)
    entropy = at(entropies(log_probabilities, graph), holders)
    steps = policy - entropy_coef * entropy + advantages.square()
    return (steps * walks.walking).sum(dim=0)
