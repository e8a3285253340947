"""Trellis: where a node stands in the graph, read off its profile and its neighbours'.

An MLP gives every profile a place in a learned space; shared training lets it remember where in the
graph each kind of profile lives. A target is as near as the nearest of its neighbours, plus one
hop: that is how its distance is read, softly, from the places of the neighbours it shows, and it
holds for targets never seen before. Beside it stand the mean places of both ego graphs, and what
the two have in common, profile by profile (the matching part, which learns nothing about any one
profile). The target's own place is left out half of the time in training, since at test its profile
was never a target's before.

Ranges (see :mod:`garden.models.trellis.distance_codes`) say how far away the target is by its own
code too: where its only neighbours look like many others, nothing else tells. Scores read and never teach them.
"""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from garden.errors import StrategyError
from garden.models.base import Model, Surroundings
from garden.models.config import ModelConfig
from garden.models.ego_tensors import EgoTensors
from garden.models.layers import KEEP_ALL, Dropout, StackedLinear, mapped_profiles, with_gaps
from garden.models.trellis.distance_codes import (
    RANGE,
    RangeCodes,
    Ranges,
    codes_in,
    codes_of,
    ranged_pairs,
    ranged_table,
)
from garden.models.trellis.features import (
    LEAST_SQUARE,
    NUM_PROJECTIONS,
    PLACE,
    FeatureNetwork,
    by_projection,
    distances,
    fact_features,
    projections,
    seen_by,
)

ENCODER = 256
INITIAL_SHARPNESS = 2.0
_NOWHERE = 1e-12  # keeps the logarithm finite where no neighbour is anywhere near


@final
class TrellisModel(Model):
    """Places and common members, scored and valued by two small MLPs."""

    name = "trellis"
    uses_surroundings: ClassVar[bool] = True
    temperature: Tensor  # (num_seeds, 1) divides scores; chosen on validation targets at the end

    def __init__(self, num_seeds: int, num_attributes: int, config: ModelConfig) -> None:
        super().__init__(num_seeds, num_attributes)
        self.first = StackedLinear(num_seeds, num_attributes, ENCODER)
        self.second = StackedLinear(num_seeds, ENCODER, ENCODER)
        self.place = StackedLinear(num_seeds, ENCODER, PLACE)
        self.unknown = nn.Parameter(torch.zeros(num_seeds, 1, PLACE))
        self.mean_views = nn.Parameter(projections(num_seeds))
        self.member_views = nn.Parameter(projections(num_seeds))
        self.sharpness = nn.Parameter(
            torch.full((num_seeds, NUM_PROJECTIONS, 1, 1), INITIAL_SHARPNESS)
        )
        self.register_buffer("temperature", torch.ones(num_seeds, 1))
        self.scorer = FeatureNetwork(num_seeds, config)
        self.valuer = FeatureNetwork(num_seeds, config)
        self.ranges = Ranges(num_seeds, num_attributes) if config.ranges else None

    @property
    def row_width(self) -> int:
        """The place, code and doubt, the neighbours' mean place, log(1 + degree)."""
        return 2 * PLACE + (RANGE + 1 if self.ranges else 0) + 1

    def places(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """A place per profile, and the doubt about ranges from it."""
        said, _ = self._said(self.standardised(egos.profiles), dropout)
        return self.places_in(said)

    def places_in(self, rows: Tensor) -> Tensor:
        """The place and the doubt of each row."""
        if self.ranges is None:
            return rows[..., :PLACE]
        doubt = PLACE + RANGE
        return torch.cat([rows[..., :PLACE], rows[..., doubt : doubt + 1].detach()], dim=-1)

    def ranged(self, rows: Tensor) -> RangeCodes | None:
        """Codes and doubts."""
        if self.ranges is None:
            return None
        return codes_in(rows[..., PLACE : PLACE + RANGE + 1])

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Place, ranges, mean place of the neighbours, degree."""
        said, told = self._said(self.standardised(egos.profiles), dropout)
        heard = told.index_select(1, egos.members) * (1 - egos.is_centre)
        shape = (self.num_seeds, egos.num_egos)
        total = torch.zeros((*shape, told.shape[-1]), device=told.device)
        around = total.index_add(1, egos.owner, heard) / (egos.sizes - 1).clamp(min=1)
        own = said.index_select(1, egos.centres)
        return self._row(own, around, egos.log_degrees.expand(*shape, 1))

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph."""
        said, told = self._said(self.standardised(profiles), KEEP_ALL)
        around = told[:, 1:].sum(dim=1, keepdim=True) / max(1, len(profiles) - 1)
        degree = torch.full((self.num_seeds, 1, 1), float(len(profiles)), device=told.device)
        return self._row(said[:, :1], around, degree.log())

    def target_rows(self, rows: Tensor, targets: Tensor, dropout: Dropout = KEEP_ALL) -> Tensor:
        """The targets' rows, with some of their own places replaced by a learned unknown."""
        chosen = super().target_rows(rows, targets, dropout)
        known = dropout.kept(dropout.own_rate, (*targets.shape, 1), rows.device)
        own = torch.where(known, chosen[..., :PLACE], self.unknown)
        return torch.cat([own, chosen[..., PLACE:]], dim=-1)

    def score_table(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        around: Surroundings | None = None,
    ) -> Tensor:
        """Scores of every candidate and target."""
        features = self._features_of_table(rows, targets, _required(around))
        return self._tempered(self.scorer(features.flatten(1, 2))).reshape(features.shape[:3])

    def score_aligned(
        self, candidates: Tensor, targets: Tensor, around: Surroundings | None = None
    ) -> Tensor:
        """Scores of aligned rows."""
        features = self._features_of_pairs(candidates, targets, _required(around))
        return self._tempered(self.scorer(features))

    def value_table(
        self, rows: Tensor, targets: Tensor, around: Surroundings | None = None
    ) -> Tensor:
        """Values of every holder and target."""
        features = self._features_of_table(rows, targets, _required(around))
        return torch.sigmoid(self.valuer(features.flatten(1, 2))).reshape(features.shape[:3])

    def value_aligned(
        self, holders: Tensor, targets: Tensor, around: Surroundings | None = None
    ) -> Tensor:
        """Values of aligned rows."""
        return torch.sigmoid(
            self.valuer(self._features_of_pairs(holders, targets, _required(around)))
        )

    def _features_of_table(self, rows: Tensor, targets: Tensor, shown: Surroundings) -> Tensor:
        """What is read of every candidate and target, (S, T, n, num_features)."""
        own, mean, degree = _parts(rows)
        own_t, places = targets[..., :PLACE], shown.places[..., :PLACE]
        count = shown.shown.sum(dim=-1, keepdim=True)
        mean_t = shown.shown @ places / count.clamp(min=1)

        mean_c, own_c = seen_by(self.mean_views, mean), seen_by(self.mean_views, own)
        mean_g, own_g = seen_by(self.mean_views, mean_t), seen_by(self.mean_views, own_t)
        member_c = seen_by(self.member_views, own)
        sharpness = nn.functional.softplus(self.sharpness)
        apart = distances(seen_by(self.member_views, places), member_c)  # (S, H, M, n)
        near = shown.shown.unsqueeze(1) @ torch.exp(-sharpness * apart)  # (S, H, T, n)
        views = torch.cat(
            [
                -distances(mean_g, mean_c),
                -distances(mean_g, own_c),
                -distances(own_g, mean_c),
                (near + _NOWHERE).log() / sharpness,
                -distances(seen_by(self.member_views, own_t), member_c),
            ],
            dim=1,
        )  # (S, 5 H, T, n)
        shape = (*views.shape[:1], *views.shape[2:], 1)
        here, there = self.ranged(rows), self.ranged(targets)
        ranged = []
        if here and there:
            ranged = ranged_table(here, there, shown.places[..., PLACE], shown.shown)
        return torch.cat(
            [
                views.permute(0, 2, 3, 1),
                *ranged,
                fact_features(shown.facts.expand(*shape[:3], -1), count.unsqueeze(2)),
                degree.unsqueeze(1).expand(shape),
                count.log1p().unsqueeze(2).expand(shape),
            ],
            dim=-1,
        )

    def _features_of_pairs(
        self, candidates: Tensor, targets: Tensor, shown: Surroundings
    ) -> Tensor:
        """The same of aligned rows, (S, P, num_features)."""
        own, mean, degree = _parts(candidates)
        own_t, places = targets[..., :PLACE], shown.places[..., :PLACE]
        owner = shown.shown

        def summed(values: Tensor) -> Tensor:  # (S, M, k) → (S, P, k)
            empty = values.new_zeros(*candidates.shape[:2], values.shape[-1])
            return empty.index_add(1, owner, values)

        count = summed(places.new_ones(*places.shape[:2], 1))
        mean_t = summed(places) / count.clamp(min=1)

        def apart(ours: Tensor, theirs: Tensor, views: Tensor) -> Tensor:  # (S, P, H)
            seen = by_projection((ours - theirs) @ views)
            return (seen.square().sum(dim=-1) + LEAST_SQUARE).sqrt()

        sharpness = nn.functional.softplus(self.sharpness).reshape(-1, 1, NUM_PROJECTIONS)
        away = apart(own.index_select(1, owner), places, self.member_views)
        near = summed(torch.exp(-sharpness * away))
        here, there = self.ranged(candidates), self.ranged(targets)
        ranged = []
        if here and there:
            ranged = ranged_pairs(here, there, shown.places[..., PLACE], owner)
        return torch.cat(
            [
                -apart(mean, mean_t, self.mean_views),
                -apart(own, mean_t, self.mean_views),
                -apart(mean, own_t, self.mean_views),
                (near + _NOWHERE).log() / sharpness,
                -apart(own, own_t, self.member_views),
                *ranged,
                fact_features(shown.facts.expand(*candidates.shape[:2], -1), count),
                degree,
                count.log1p(),
            ],
            dim=-1,
        )

    def _said(self, profiles: Tensor, dropout: Dropout) -> tuple[Tensor, Tensor]:
        """What each profile says of its own node, and what of a neighbour."""
        assert self.first.bias is not None
        read = with_gaps(profiles, dropout)
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        place = self.place(torch.relu(self.second(hidden)))
        if self.ranges is None:
            return place, place
        own, told = self.ranges(profiles, dropout)
        return torch.cat([place, own], dim=-1), torch.cat([place, told], dim=-1)

    def _row(self, own: Tensor, around: Tensor, log_degree: Tensor) -> Tensor:
        if self.ranges is None:
            return torch.cat([own, around, log_degree], dim=-1)
        codes = codes_of(own[..., PLACE:], around[..., PLACE:])
        return torch.cat([own[..., :PLACE], codes, around[..., :PLACE], log_degree], dim=-1)

    def _tempered(self, scores: Tensor) -> Tensor:
        return scores / self.temperature


def _parts(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Own place, mean place of the neighbours, and log(1 + degree)."""
    return rows[..., :PLACE], rows[..., -PLACE - 1 : -1], rows[..., -1:]


def _required(around: Surroundings | None) -> Surroundings:
    if around is None:
        raise StrategyError("trellis scores need what the targets' ego graphs show")
    return around
