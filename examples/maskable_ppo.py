r"""Train a strategy with sb3-contrib's MaskablePPO on a Kaiser–Hilgetag graph.

    python examples/maskable_ppo.py --out runs/maskable-ppo
    garden evaluate kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0 --strategy distance \
        --strategy runs/maskable-ppo

MaskablePPO's policy gets one logit per slot from a scorer that all slots share, so that the
weights it learns are those of a `represent` + `score` strategy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from torch import Tensor, nn

import garden
from _scorer import SlotScorer, untrained_policy
from garden.envs import SearchEnv
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
    num_steps: int = 400_000
    """Hops to train on."""
    num_envs: int = 64
    """Messages under way at once."""
    steps_per_update: int = 64
    """Hops of each message between two updates."""
    learning_rate: float = 1e-3
    """Adam's, falling to 0 by the end."""
    discount: float = 0.97
    """γ: a short way is worth more than a long one by this much a hop."""
    entropy_coef: float = 0.005
    """λ: keeps the policy from settling too early."""


class _Heads(nn.Module):
    """What Stable-Baselines3 calls an extractor: here, logits for the actor, a value beside."""

    def __init__(self, scorer: SlotScorer, num_slots: int) -> None:
        super().__init__()
        self.scorer = scorer
        self.latent_dim_pi, self.latent_dim_vf = num_slots, 1

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.scorer(observations)
        return logits, values.unsqueeze(-1)

    def forward_actor(self, observations: Tensor) -> Tensor:
        return self(observations)[0]

    def forward_critic(self, observations: Tensor) -> Tensor:
        return self(observations)[1]


class SlotPolicy(MaskableActorCriticPolicy):
    """An actor-critic policy whose logits are scores and whose value is the scorer's."""

    def __init__(self, *args: Any, scorer: SlotScorer, **kwargs: Any) -> None:
        self._given_scorer = [scorer]  # a list hides it until modules may be set
        super().__init__(*args, ortho_init=False, **kwargs)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _Heads(self._given_scorer[0], int(self.action_space.n))

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net, self.value_net = nn.Identity(), nn.Identity()
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def train(options: Options) -> Policy:
    """The policy that MaskablePPO has trained."""
    torch.manual_seed(options.seed)
    task = garden.SearchTask.split(garden.load(options.spec), seed=options.seed)
    policy = untrained_policy(task, "maskable-ppo", options.seed)
    envs = make_vec_env(lambda: SearchEnv(task, strategy=policy), options.num_envs, options.seed)
    learner = MaskablePPO(
        SlotPolicy,
        envs,
        learning_rate=lambda left: options.learning_rate * left,
        n_steps=options.steps_per_update,
        batch_size=options.num_envs * options.steps_per_update // 4,
        n_epochs=4,
        gamma=options.discount,
        ent_coef=options.entropy_coef,
        policy_kwargs={"scorer": SlotScorer(policy)},
        seed=options.seed,
        device="cpu",
    )
    learner.learn(options.num_steps)
    policy.model.requires_grad_(False)
    return policy


def main(options: Options) -> None:
    torch.set_num_threads(1)
    policy = train(options)
    policy.save(options.out, force=True)
    task = garden.SearchTask.split(garden.load(options.spec), seed=options.seed)
    print(garden.evaluate(task, ["random", "distance", policy]))


if __name__ == "__main__":
    main(tyro.cli(Options))
