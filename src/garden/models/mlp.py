"""MLPA2C and MLPA2CWD: the paper's ablations, which score raw attributes."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.config import ModelConfig
from garden.models.ego_tensors import EgoTensors
from garden.models.heads import PairNetwork
from garden.models.layers import KEEP_ALL, Dropout


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
        """The centre's attributes as they are."""
        profiles = egos.profiles.to_dense() if egos.profiles.is_sparse else egos.profiles
        rows = self.standardised(profiles.index_select(0, egos.centres))
        if self.with_degree:
            rows = torch.cat([rows, egos.log_degrees], dim=-1)
        return rows.expand(self.num_seeds, -1, -1)

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph."""
        row = self.standardised(profiles[:1])
        if self.with_degree:
            degree = torch.full((1, 1), float(len(profiles)), device=row.device)
            row = torch.cat([row, degree.log()], dim=-1)
        return row.expand(self.num_seeds, -1, -1)
