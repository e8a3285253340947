"""The paper's agents: GARDEN, and its ablations MLPA2C and MLPA2CWD.

GARDEN is graph attention over ego graphs, with an actor and a critic. It follows the released code
where the published numbers came from it: GATv2 layers, each with layer normalisation and ReLU, a
centre flag on the input, and the mean over the ego graph's members as its embedding. Where that
code appends the degree scaled over the whole graph, log(1 + degree) stands here, which a node knows
by itself, for candidate, holder and target alike. The ablations score raw attributes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast, final

import torch
from torch import Tensor, nn

from garden.models.base import EgoTensors, Model
from garden.models.gat import GraphAttention
from garden.models.heads import PairNetwork
from garden.models.layers import (
    KEEP_ALL,
    Dropout,
    StackedLayerNorm,
    StackedLinear,
    mapped_profiles,
    num_members,
)
from garden.models.registry import ModelConfig


@final
class GardenModel(Model):
    """f_rep (graph attention), f_π (actor) and f_v (critic, through a sigmoid)."""

    name = "garden"

    def __init__(self, num_seeds: int, num_attributes: int, config: ModelConfig) -> None:
        super().__init__(num_seeds, num_attributes)
        hidden = [config.hidden] * (config.layers - 1)
        widths = [num_attributes + 1, *hidden, config.embedding]
        self.attentions = nn.ModuleList(
            GraphAttention(num_seeds, inputs, outputs) for inputs, outputs in pairwise(widths)
        )
        self.norms = nn.ModuleList(StackedLayerNorm(num_seeds, width) for width in widths[1:])
        self.embedding = config.embedding
        self.actor = PairNetwork(num_seeds, self.row_width, config.hidden)
        self.critic = PairNetwork(num_seeds, self.row_width, config.hidden)

    @property
    def row_width(self) -> int:
        """The embedding and log(1 + degree)."""
        return self.embedding + 1

    def _layers(self) -> list[tuple[GraphAttention, StackedLayerNorm]]:
        pairs = zip(self.attentions, self.norms, strict=True)
        return [(cast(GraphAttention, a), cast(StackedLayerNorm, b)) for a, b in pairs]

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Attention among each ego graph's members, then their mean, then the degree.

        Args:
            egos: ego graphs, with edges sorted by head and a loop at each member.
            dropout: applied to the hidden units of every member, after each layer.
        """
        profiles = self.standardised(egos.profiles)
        members = None
        for attention, norm in self._layers():
            if members is None:
                left = _first_map(attention.left, profiles, egos)
                right = _first_map(attention.right, profiles, egos)
            else:
                left, right = attention.left(members), attention.right(members)
            attended = attention.attend(left, right, egos.heads, egos.tails)
            members = dropout(torch.relu(norm(attended)))
        assert members is not None
        total = torch.zeros(
            (self.num_seeds, egos.num_egos, self.embedding), device=members.device
        ).index_add(1, egos.owner, members)
        degrees = egos.log_degrees.expand(self.num_seeds, -1, -1)
        return torch.cat([total / egos.sizes, degrees], dim=-1)

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph, with dense attention under a mask.

        Args:
            profiles: of the members, (num_members, num_attributes), the centre first.
            linked: which members are joined, (num_members, num_members) bool, loops included.
        """
        rest = torch.zeros_like(profiles[1:, :1])
        flag = torch.cat([torch.ones_like(profiles[:1, :1]), rest])
        members = torch.cat([self.standardised(profiles), flag], dim=-1)
        members = members.expand(self.num_seeds, -1, -1)
        for attention, norm in self._layers():
            left, right = attention.left(members), attention.right(members)
            members = torch.relu(norm(attention.attend_dense(left, right, linked)))
        degree = num_members(profiles).log().expand(self.num_seeds, 1, 1)
        return torch.cat([members.mean(dim=1, keepdim=True), degree], dim=-1)


def _first_map(linear: StackedLinear, profiles: Tensor, egos: EgoTensors) -> Tensor:
    """The first linear map, applied once per profile and then handed to the members.

    A node stands in degree + 1 ego graphs; only the centre flag differs between them.
    """
    weight, bias = linear.weight, linear.bias  # (S, d + 1, out), (S, 1, out)
    assert bias is not None
    of_flag = weight[:, -1:]
    mapped = mapped_profiles(weight[:, :-1], profiles)
    return mapped.index_select(1, egos.members) + egos.is_centre * of_flag + bias


@final
class AttributeModel(Model):
    """An actor and a critic over the centre's attributes, with log(1 + degree) where asked."""

    def __init__(
        self, num_seeds: int, num_attributes: int, config: ModelConfig, with_degree: bool
    ) -> None:
        super().__init__(num_seeds, num_attributes)
        self.with_degree = with_degree
        self.name = "mlpa2cwd" if with_degree else "mlpa2c"
        self.actor = PairNetwork(num_seeds, self.row_width, config.hidden)
        self.critic = PairNetwork(num_seeds, self.row_width, config.hidden)

    @property
    def row_width(self) -> int:
        """The attributes, and the degree where asked."""
        return self.num_attributes + self.with_degree

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """The centre's attributes as they are.

        Args:
            egos: ego graphs, of which the centres and degrees are read.
            dropout: has no use here: nothing is learned before actor and critic.
        """
        profiles = egos.profiles.to_dense() if egos.profiles.is_sparse else egos.profiles
        rows = self.standardised(profiles.index_select(0, egos.centres))
        if self.with_degree:
            rows = torch.cat([rows, egos.log_degrees], dim=-1)
        return rows.expand(self.num_seeds, -1, -1)

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph.

        Args:
            profiles: of the members, (num_members, num_attributes), the centre first.
            linked: has no use here.
        """
        row = self.standardised(profiles[:1])
        if self.with_degree:
            row = torch.cat([row, num_members(profiles).log()], dim=-1)
        return row.expand(self.num_seeds, -1, -1)
