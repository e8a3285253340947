"""Training of the message's recurrent state, through sampled episodes.

The policy stays as it is. Messages walk towards training targets that hide links, where it errs.
The loss is the actor's and the critic's of the discounted return, the critic reading the state, and
at each hop minus the logarithm of the probability given to neighbours that the oracle calls nearer;
gradients run through all that the state has been through. What is learned is where to look, given
where one has been.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.layers import KEEP_ALL
from garden.models.message import STATE, MessageNetwork
from garden.training.config import TrainingConfig
from garden.training.methods.exact import scores_towards
from garden.training.methods.guided import LEAST_MASS, NO_LINK
from garden.training.methods.target_masking import shown_distances, some_neighbours_of
from garden.training.training_graph import Problem

TARGETS = 32
WALKS = 8
MAX_HOPS = 24  # of a training episode: most of what can be learned happens before
_LEARNING_RATE = 2e-3
_CLIP = 1.0


def train_message(
    model: Model,
    problem: Problem,
    config: TrainingConfig,
    seed: int,
    deadline: float | None = None,
) -> MessageNetwork | None:
    """The network of one policy's messages; ``model`` and ``problem`` are of one seed.

    Nothing comes back where the deadline, by ``time.monotonic``, passes first.
    """
    generator = torch.Generator(device=problem.device)
    generator.manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = MessageNetwork(model.row_width).to(problem.device)
    optimiser = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE)
    for _ in range(config.memory_updates):
        if deadline is not None and time.monotonic() > deadline:
            return None
        loss = episodes_loss(network, model, problem, config, generator)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
        optimiser.step()
    return network


def episodes_loss(
    network: MessageNetwork,
    model: Model,
    problem: Problem,
    config: TrainingConfig,
    generator: torch.Generator,
) -> Tensor:
    """Walk a batch of episodes and imitate the oracle at every hop of theirs."""
    targets = problem.draw_targets(TARGETS, generator)
    shown = some_neighbours_of(targets, config.neighbour_dropout, problem, generator)
    distances = shown_distances(problem, shown)
    with torch.no_grad():
        rows = model.embed(problem.egos)
        scores = scores_towards(model, problem, rows, shown, KEEP_ALL)[0]
    reachable = (distances > 0) & distances.isfinite()
    sources = torch.multinomial(reachable.float(), WALKS, replacement=True, generator=generator)
    goal = torch.arange(len(distances), device=problem.device).repeat_interleave(WALKS)
    holders = sources.flatten()
    states = rows.new_zeros(len(holders), STATE)
    episode = torch.arange(len(holders), device=problem.device)
    trail: list[_Hop] = []
    delivered = torch.full((len(holders),), -1, device=problem.device)  # at which hop, if ever
    for hop in range(MAX_HOPS):
        hops = problem.hops_of(holders)
        degrees = problem.first_hop[holders + 1] - problem.first_hop[holders]
        owner = torch.repeat_interleave(torch.arange(len(holders), device=hops.device), degrees)
        candidates, towards = problem.neighbours[hops], goal[owner]
        here, there = distances[goal, holders], distances[towards, candidates]
        hidden = (there == 0) & (here[owner] != 1)
        chances, states = network(
            states,
            rows[0, holders],
            rows[0, candidates],
            scores[towards, candidates].masked_fill(hidden, NO_LINK),
            owner,
        )
        nearer = (chances.exp() * (there < here[owner])).masked_fill(hidden, 0.0)
        mass = rows.new_zeros(len(holders)).index_add(0, owner, nearer)
        chosen = _sampled(chances.detach(), owner, len(holders), generator)
        expected = torch.sigmoid(network.value(states)).squeeze(1)
        trail.append(_Hop(episode, mass, chances[chosen], expected))
        holders = candidates[chosen]
        walking = distances[goal, holders] > 0
        delivered[episode[~walking]] = hop
        holders, goal, states, episode = (
            values[walking] for values in (holders, goal, states, episode)
        )
        if len(holders) == 0:
            break
    return _loss_of(trail, delivered, config.gamma)


@dataclass(frozen=True, eq=False)
class _Hop:
    """One hop of all episodes that were under way."""

    episode: Tensor  # (num_messages,)
    nearer: Tensor  # (num_messages,) the probability of coming nearer
    chance: Tensor  # (num_messages,) the log probability of the hop that was made
    expected: Tensor  # (num_messages,) the critic's value before it


def _loss_of(trail: list[_Hop], delivered: Tensor, gamma: float) -> Tensor:
    """Imitation, policy and value terms, averaged over hops."""
    total, count = trail[0].nearer.new_zeros(()), 0
    for number, hop in enumerate(trail):
        arrival = delivered[hop.episode]
        returns = gamma ** (arrival - number) * (arrival >= 0)
        advantages = returns - hop.expected
        imitation = -hop.nearer.clamp(min=LEAST_MASS).log()
        terms = imitation - advantages.detach() * hop.chance + advantages.square()
        total, count = total + terms.sum(), count + len(terms)
    return total / count


def _sampled(chances: Tensor, owner: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """One candidate of each owner, drawn by its log probability: the place in the list."""
    draws = torch.rand(chances.shape, generator=generator, device=chances.device)
    noisy = chances - (-draws.clamp(min=1e-20).log()).log()
    best = chances.new_zeros(count).scatter_reduce(0, owner, noisy, "amax", include_self=False)
    places = (noisy == best[owner]).nonzero().squeeze(1)
    first = torch.full((count,), len(chances), device=chances.device)
    return first.scatter_reduce(0, owner[places], places, "amin")
