"""What the recipes share: a policy whose score an outside learner trains, slot by slot.

The model is the paper's MLPA2CWD: a representation is the attributes and log(1 + degree), which
needs no training, and a score is a small network over [candidate ‖ target], the same for every
slot. Whatever trains that network therefore trains a strategy.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

import garden
from garden.models.heads import PairNetwork
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import ModelConfig, build_model

MODEL = "mlpa2cwd"
NOBODY = -1e8  # the logit of a slot that the holder does not have
NUM_OWN_COLUMNS = 2  # of an observation's rows: there is somebody; log(1 + degree)


def untrained_policy(task: garden.SearchTask, method: str, seed: int) -> Policy:
    """A fresh policy for this task; its representations are what the environments show."""
    graph = task.graph
    model = build_model(MODEL, graph.num_attributes, ModelConfig(), (seed,))
    model.standardise_by(graph.attributes[task.train_targets])
    info = PolicyInfo(
        model=MODEL,
        model_options=vars(ModelConfig()),
        method=method,
        trains_value=False,
        graph=graph.name,
        graph_hash=graph.content_hash,
        task_hash=task.content_hash,
        seed=task.seed,
        attribute_names=graph.attribute_names,
    )
    return Policy(model, info)


class SlotScorer(nn.Module):
    """Scores every slot with the policy's own actor; values a holder by where it would send."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.actor: PairNetwork = policy.model.actor.requires_grad_(True)
        self.critic = PairNetwork(1, policy.model.row_width, ModelConfig().hidden)
        self.num_columns = NUM_OWN_COLUMNS + policy.model.row_width

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """A logit per slot, (num_observations, max_degree), and a value per holder.

        A holder is worth what its neighbours are, weighted by the chance that it sends there.
        """
        rows = observations.unflatten(-1, (-1, self.num_columns))
        there = rows[:, :-1, 0] > 0
        shown = rows[..., NUM_OWN_COLUMNS:]
        candidates = shown[:, :-1][there][None]
        targets = shown[:, -1:].expand(-1, there.shape[1], -1)[there][None]

        def laid_out(of_pairs: Tensor, elsewhere: float) -> Tensor:
            slots = torch.full(there.shape, elsewhere)
            return slots.masked_scatter(there, of_pairs)

        logits = laid_out(self.actor.aligned(candidates, targets), NOBODY)
        worth = laid_out(self.critic.aligned(candidates, targets), 0.0)
        return logits, (logits.detach().softmax(dim=-1) * worth).sum(dim=-1)
