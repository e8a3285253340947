"""Trellis: where a node stands in the graph, read off its profile and its neighbours'.

An MLP places every profile in a learned space; shared training lets it remember where in the graph
each kind of profile lives. A node is then two places: its own (E) and the mean of its neighbours'
(Z). A candidate is scored by the distances between its places and the target's, under several
learned projections, and by what the two ego graphs have in common. The target's own place is left
out half of the time in training, since at test its profile was never a target's before.
"""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from garden.errors import StrategyError
from garden.models.base import Model
from garden.models.config import ModelConfig
from garden.models.inputs import EgoTensors
from garden.models.layers import KEEP_ALL, Dropout, StackedLinear, mapped_profiles

NUM_PROJECTIONS = 8
PROJECTION = 16
PLACE = 32
ENCODER = 256
NUM_MATCHES = 4


@final
class TrellisModel(Model):
    """Positions and matches, scored by a small MLP. There is no critic."""

    name = "trellis"
    uses_matches: ClassVar[bool] = True
    trains_value: ClassVar[bool] = False

    def __init__(self, num_seeds: int, num_attributes: int, config: ModelConfig) -> None:
        super().__init__(num_seeds, num_attributes)
        self.first = StackedLinear(num_seeds, num_attributes, ENCODER)
        self.second = StackedLinear(num_seeds, ENCODER, ENCODER)
        self.place = StackedLinear(num_seeds, ENCODER, PLACE)
        self.unknown = nn.Parameter(torch.zeros(num_seeds, 1, PLACE))
        scale = PLACE**-0.5
        self.projections = nn.Parameter(
            scale * torch.randn(num_seeds, PLACE, NUM_PROJECTIONS * PROJECTION)
        )
        inputs = 3 * NUM_PROJECTIONS + NUM_MATCHES + 1 + 2
        self.scorer = nn.ModuleList(
            StackedLinear(num_seeds, a, b)
            for a, b in (
                (inputs, config.hidden),
                (config.hidden, config.hidden),
                (config.hidden, 1),
            )
        )

    @property
    def row_width(self) -> int:
        """Both places under all projections, and log(1 + degree)."""
        return 2 * NUM_PROJECTIONS * PROJECTION + 1

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Own place, mean place of the neighbours, degree."""
        places = self._places(self.standardised(egos.profiles), dropout)
        counted = dropout.kept(
            dropout.neighbour_rate, (self.num_seeds, len(egos.members), 1), places.device
        )
        counted = counted * (1 - egos.is_centre)
        told = places.index_select(1, egos.members) * counted
        shape = (self.num_seeds, egos.num_egos)
        total = torch.zeros((*shape, PLACE), device=places.device).index_add(1, egos.owner, told)
        count = torch.zeros((*shape, 1), device=places.device).index_add(1, egos.owner, counted)
        own = places.index_select(1, egos.centres)
        return self._row(own, total / count.clamp(min=1), egos.log_degrees.expand(*shape, 1))

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph."""
        places = self._places(self.standardised(profiles), KEEP_ALL)
        around = places[:, 1:].mean(dim=1, keepdim=True)
        degree = torch.full((self.num_seeds, 1, 1), float(len(profiles)), device=places.device)
        return self._row(places[:, :1], around, degree.log())

    def target_rows(self, rows: Tensor, targets: Tensor, dropout: Dropout = KEEP_ALL) -> Tensor:
        """The targets' rows, with some of their own places replaced by a learned unknown."""
        chosen = super().target_rows(rows, targets, dropout)
        width = NUM_PROJECTIONS * PROJECTION
        known = dropout.kept(dropout.own_rate, (*targets.shape, 1), rows.device)
        own = torch.where(known, chosen[..., :width], self.unknown @ self.projections)
        return torch.cat([own, chosen[..., width:]], dim=-1)

    def score_table(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        matches: Tensor | None = None,
    ) -> Tensor:
        """Scores of every candidate and target."""
        if matches is None:
            raise StrategyError("trellis scores need the matches of the ego graphs")
        own, around, degree = self._split(rows)
        own_t, around_t, degree_t = self._split(targets)

        def far(ours: Tensor, theirs: Tensor) -> Tensor:  # → (S, T, n, projections)
            return torch.cdist(theirs.transpose(1, 2), ours.transpose(1, 2)).permute(0, 2, 3, 1)

        shape = (len(rows), targets.shape[1], rows.shape[1], 1)
        features = torch.cat(
            [
                -far(around, around_t),
                -far(own, around_t),
                -far(around, own_t),
                _match_features(matches.expand(*shape[:3], -1), degree_t.unsqueeze(2)),
                degree.unsqueeze(1).expand(shape),
                degree_t.unsqueeze(2).expand(shape),
            ],
            dim=-1,
        )
        return self._score(features.flatten(1, 2)).reshape(shape[:3])

    def score_aligned(
        self, candidates: Tensor, targets: Tensor, matches: Tensor | None = None
    ) -> Tensor:
        """Scores of aligned rows."""
        if matches is None:
            raise StrategyError("trellis scores need the matches of the ego graphs")
        own, around, degree = self._split(candidates)
        own_t, around_t, degree_t = self._split(targets)
        features = torch.cat(
            [
                -(around - around_t).norm(dim=-1),
                -(own - around_t).norm(dim=-1),
                -(around - own_t).norm(dim=-1),
                _match_features(matches.expand(len(candidates), -1, -1), degree_t),
                degree,
                degree_t,
            ],
            dim=-1,
        )
        return self._score(features)

    def value_table(self, rows: Tensor, targets: Tensor) -> Tensor:
        """There is no critic."""
        raise StrategyError("trellis has no critic")

    def value_aligned(self, holders: Tensor, targets: Tensor) -> Tensor:
        """There is no critic."""
        raise StrategyError("trellis has no critic")

    def _places(self, profiles: Tensor, dropout: Dropout) -> Tensor:
        assert self.first.bias is not None
        read = _with_gaps(profiles, dropout)
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        return self.place(torch.relu(self.second(hidden)))

    def _row(self, own: Tensor, around: Tensor, log_degree: Tensor) -> Tensor:
        return torch.cat([own @ self.projections, around @ self.projections, log_degree], dim=-1)

    def _split(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Own and surrounding places, (S, rows, projections, 16) each, and the degree."""
        width = NUM_PROJECTIONS * PROJECTION
        shape = (*rows.shape[:2], NUM_PROJECTIONS, PROJECTION)
        own, around = rows[..., :width], rows[..., width : 2 * width]
        return own.reshape(shape), around.reshape(shape), rows[..., 2 * width :]

    def _score(self, features: Tensor) -> Tensor:
        first, second, last = self.scorer
        return last(torch.relu(second(torch.relu(first(features))))).squeeze(-1)


def _match_features(matches: Tensor, log_degree: Tensor) -> Tensor:
    """Three yes-or-noes, and common members by number and by share of the target's neighbours."""
    common = matches[..., 3:]
    share = common / (log_degree.exp() - 1).clamp(min=1)
    return torch.cat([matches[..., :3], common.log1p(), share], dim=-1)


def _with_gaps(profiles: Tensor, dropout: Dropout) -> Tensor:
    """Profiles with some attributes left out; the same ones for every seed of a stack."""
    if not profiles.is_sparse or dropout.rate == 0:
        return dropout(profiles)
    table = profiles.coalesce()
    return torch.sparse_coo_tensor(
        table.indices(), dropout(table.values()), table.shape, is_coalesced=True
    )
