r"""PPO in one file, over hundreds of messages at once with :class:`SearchVectorEnv`.

    python examples/ppo.py --out runs/ppo
    garden evaluate kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0 --strategy distance \
        --strategy runs/ppo

Proximal policy optimisation (Schulman et al., 2017) with generalised advantages. Where an episode
is truncated the value of its final observation stands in for what would have followed; where it is
delivered nothing follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from torch import Tensor
from torch.distributions import Categorical

import garden
from _scorer import SlotScorer, untrained_policy
from garden.envs import SearchVectorEnv
from garden.models.policy import Policy


@dataclass(frozen=True)
class Options:
    """How to train."""

    out: Path
    """Where the policy goes."""
    spec: str = "kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0"
    """The graph."""
    seed: int = 0
    """Of the split, the initialisation and the training."""
    num_updates: int = 60
    """Rounds of gathering and learning."""
    num_envs: int = 256
    """Messages under way at once."""
    steps_per_update: int = 32
    """Hops of each message between two updates."""
    num_epochs: int = 4
    """How often each round's hops are learned from."""
    num_minibatches: int = 4
    """Into how many parts they are cut."""
    learning_rate: float = 1e-3
    """Adam's, falling to 0 by the end."""
    discount: float = 0.97
    """γ: a short way is worth more than a long one by this much a hop."""
    trace: float = 0.95
    """λ of the generalised advantage."""
    clip: float = 0.2
    """How far a probability may move from the one that was played, as a ratio."""
    entropy_coef: float = 0.005
    """Keeps the policy from settling too early."""
    value_coef: float = 0.5
    """Weight of the critic's error."""
    max_norm: float = 0.5
    """Of the gradient."""


@dataclass(frozen=True, eq=False)
class Round:
    """What was played between two updates; every field is (steps, num_envs, …)."""

    observations: Tensor
    actions: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    returns: Tensor


def train(options: Options) -> Policy:
    """The policy that PPO has trained."""
    torch.manual_seed(options.seed)
    task = garden.SearchTask.split(garden.load(options.spec), seed=options.seed)
    policy = untrained_policy(task, "ppo", options.seed)
    scorer = SlotScorer(policy)
    optimiser = torch.optim.Adam(scorer.parameters(), lr=options.learning_rate, eps=1e-5)
    envs = SearchVectorEnv(task, options.num_envs, strategy=policy)
    seen, _ = envs.reset(seed=options.seed)
    for update in range(options.num_updates):
        optimiser.param_groups[0]["lr"] = options.learning_rate * (1 - update / options.num_updates)
        played, seen = _play(envs, seen, scorer, options)
        for rows in _minibatches(options):
            loss = _loss(scorer, played, rows, options)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), options.max_norm)
            optimiser.step()
    policy.model.requires_grad_(False)
    return policy


@torch.no_grad()
def _play(
    envs: SearchVectorEnv, seen: np.ndarray, scorer: SlotScorer, o: Options
) -> tuple[Round, np.ndarray]:
    steps: list[tuple[Tensor, ...]] = []
    for _ in range(o.steps_per_update):
        observations = torch.as_tensor(seen)
        logits, values = scorer(observations)
        chosen = Categorical(logits=logits)
        actions = chosen.sample()
        *result, info = envs.step(actions.numpy())
        rewards, delivered, truncated = (torch.as_tensor(part).float() for part in result[1:])
        # A truncated message was still worth something where it stood.
        rewards += o.discount * truncated * _final_values(scorer, info, envs.num_envs)
        over = delivered + truncated
        steps.append((observations, actions, chosen.log_prob(actions), values, rewards, over))
        seen = result[0]
    observations, actions, log_probabilities, values, rewards, over = map(
        torch.stack, zip(*steps, strict=True)
    )
    next_values = torch.cat([values[1:], scorer(torch.as_tensor(seen))[1][None]])
    advantages = advantages_of(rewards, over, values, next_values, o.discount, o.trace)
    returns = advantages + values
    return Round(observations, actions, log_probabilities, advantages, returns), seen


def _final_values(scorer: SlotScorer, info: dict[str, Any], num_envs: int) -> Tensor:
    """The value of each final observation, and 0 where an episode goes on, (num_envs,)."""
    values = torch.zeros(num_envs)
    if "final_obs" in info:
        ended = np.flatnonzero(info["_final_obs"])
        values[ended] = scorer(torch.as_tensor(np.stack(info["final_obs"][ended])))[1]
    return values


def advantages_of(
    rewards: Tensor, over: Tensor, values: Tensor, next_values: Tensor, gamma: float, trace: float
) -> Tensor:
    """Generalised advantages, (steps, num_envs); nothing flows back over the end of an episode."""
    advantages = torch.zeros_like(rewards)
    following = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        going_on = gamma * (1 - over[t])
        following = (
            rewards[t] + going_on * next_values[t] - values[t] + going_on * trace * following
        )
        advantages[t] = following
    return advantages


def _minibatches(options: Options) -> list[Tensor]:
    num_hops = options.num_envs * options.steps_per_update
    return [
        rows
        for _ in range(options.num_epochs)
        for rows in torch.randperm(num_hops).chunk(options.num_minibatches)
    ]


def _loss(scorer: SlotScorer, played: Round, rows: Tensor, o: Options) -> Tensor:
    observations = played.observations.flatten(0, 1)[rows]
    logits, values = scorer(observations)
    chosen = Categorical(logits=logits)
    log_probabilities = chosen.log_prob(played.actions.flatten()[rows])
    ratio = (log_probabilities - played.log_probabilities.flatten()[rows]).exp()
    advantages = played.advantages.flatten()[rows]
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = ratio.clamp(1 - o.clip, 1 + o.clip)
    gain = torch.minimum(ratio * advantages, clipped * advantages).mean()
    error = (values - played.returns.flatten()[rows]).square().mean()
    return -gain + o.value_coef * error - o.entropy_coef * chosen.entropy().mean()


def main(options: Options) -> None:
    torch.set_num_threads(1)
    policy = train(options)
    policy.save(options.out, force=True)
    task = garden.SearchTask.split(garden.load(options.spec), seed=options.seed)
    print(garden.evaluate(task, ["random", "distance", policy]))


if __name__ == "__main__":
    main(tyro.cli(Options))
