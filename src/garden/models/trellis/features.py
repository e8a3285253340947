"""The rows of `trellis`, and the features that it scores: a candidate beside a target.

A row holds the own embedding, the distance code with its log-variance, two flags for newcomers, the
neighbours' mean embedding and log(1 + degree), in this order; codes and flags where a model has
them. Features are made of two rows, as a table of candidates and targets or in aligned pairs.

Symbols are those of :mod:`garden.models.trellis.model`. S is the number of seeds, n of candidates,
T of targets, P of aligned pairs, M of the targets' visible neighbours, H of projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from garden.models.base import TargetContext
from garden.models.layers import squared_distances
from garden.models.registry import ModelConfig
from garden.models.trellis.distance_codes import (
    CODE_WIDTH,
    NUM_DISTANCE_FEATURES,
    DistanceCodes,
    distance_feature_pairs,
    distance_feature_table,
    joined_codes,
    split_codes,
)
from garden.models.trellis.unknown_profiles import NUM_NEWCOMER_COLUMNS, NUM_NEWCOMER_FEATURES

EMBEDDING = 32
NUM_PROJECTIONS = 8
PROJECTION = 16
NUM_INDICATORS = 4
LEAST_SQUARE = 1e-6  # keeps the gradient of a distance finite where two embeddings coincide
_LEAST_SUM = 1e-12  # keeps the logarithm finite where no neighbour is near


class RowParts(NamedTuple):
    """What the rows of some nodes hold."""

    own: Tensor  # e(v), (S, rows, EMBEDDING)
    mean: Tensor  # m(v) of the neighbours' embeddings, of the same shape
    log_degree: Tensor  # log(1 + degree), (S, rows, 1)
    codes: DistanceCodes | None  # where the model learns them
    unknown: Tensor | None
    """Models for newcomers: if the own profile is unknown, and which share of the neighbours'
    profiles, (S, rows, 2)."""


@dataclass(frozen=True)
class RowLayout:
    """The columns of the rows of a model."""

    has_codes: bool  # whether it learns distance codes
    has_flags: bool  # whether it tells unknown profiles from others

    @property
    def own_width(self) -> int:
        """How many numbers a profile gives to its own row: its embedding, code, log-variance."""
        return EMBEDDING + (CODE_WIDTH + 1) * self.has_codes

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return self.own_width + NUM_NEWCOMER_COLUMNS * self.has_flags + EMBEDDING + 1

    def codes(self, rows: Tensor) -> DistanceCodes | None:
        """The codes and log-variances in these rows, where there are any."""
        return split_codes(rows[..., EMBEDDING : self.own_width]) if self.has_codes else None

    def neighbour_values(self, rows: Tensor) -> Tensor:
        """The embedding of each row, the log-variance of distances from it, and if it is known."""
        parts = [rows[..., :EMBEDDING]]
        if self.has_codes:
            parts.append(rows[..., self.own_width - 1 : self.own_width].detach())
        if self.has_flags:
            parts.append(1 - rows[..., self.own_width : self.own_width + 1])
        return torch.cat(parts, dim=-1)

    def parts(self, rows: Tensor) -> RowParts:
        """What stands in these rows, as :meth:`joined` has put it there."""
        flags = slice(self.own_width, self.own_width + NUM_NEWCOMER_COLUMNS)
        return RowParts(
            own=rows[..., :EMBEDDING],
            mean=rows[..., -EMBEDDING - 1 : -1],
            log_degree=rows[..., -1:],
            codes=self.codes(rows),
            unknown=rows[..., flags] if self.has_flags else None,
        )

    def joined(self, own: Tensor, summed: Tensor, degree: Tensor, log_degree: Tensor) -> Tensor:
        """Rows, (S, rows, width).

        Args:
            own: what own profiles give, and with flags whether each is unknown.
            summed: the sum of what neighbours' profiles give, and with flags how many are known.
            degree: how many neighbours there are, (…, 1).
            log_degree: log(1 + degree), (S, rows, 1).
        """
        flags: list[Tensor] = []
        if self.has_flags:
            known = summed[..., -1:]
            mean = summed[..., :-1] / known.clamp(min=1)
            flags = [own[..., -1:], 1 - known / degree.clamp(min=1)]
            own = own[..., :-1]
        else:
            mean = summed / degree.clamp(min=1)
        parts = [own[..., :EMBEDDING]]
        if self.has_codes:
            parts.append(joined_codes(own[..., EMBEDDING:], mean[..., EMBEDDING:]))
        return torch.cat([*parts, *flags, mean[..., :EMBEDDING], log_degree], dim=-1)


class Projections(NamedTuple):
    """What embeddings are compared under, H projections side by side."""

    by_mean: Tensor  # P_h, (S, EMBEDDING, H · PROJECTION)
    by_member: Tensor  # Q_h, of the same shape
    sharpness: Tensor  # s_h > 0, (S, H, 1, 1)


def feature_table(
    projections: Projections, candidates: RowParts, targets: RowParts, context: TargetContext
) -> Tensor:
    """The features of every candidate and target, (S, T, n, num_features).

    Args:
        projections: What embeddings are compared under.
        candidates: Of n nodes.
        targets: Of T nodes. Their mean embeddings are made here, of the neighbours that they show.
        context: What the targets' ego graphs show, ``visible`` as a table (S, T, M).
    """
    members = context.neighbours[..., :EMBEDDING]
    count = context.visible.sum(dim=-1, keepdim=True)
    read, read_count = context.visible, count
    if candidates.unknown is not None:
        read = context.visible * context.neighbours[..., -1].unsqueeze(1)
        read_count = read.sum(dim=-1, keepdim=True)
    targets = targets._replace(mean=read @ members / read_count.clamp(min=1))
    embedded = _embedding_table(projections, candidates, targets, members, read)
    codes: list[Tensor] = []
    if candidates.codes and targets.codes:
        log_variances = context.neighbours[..., EMBEDDING]
        codes = distance_feature_table(
            candidates.codes, targets.codes, log_variances, context.visible
        )
    shape = embedded.shape[:3]
    newcomers: list[Tensor] = []
    if candidates.unknown is not None and targets.unknown is not None:
        there = torch.cat([targets.unknown[..., :1], 1 - read_count / count.clamp(min=1)], dim=-1)
        both = (*shape, NUM_NEWCOMER_COLUMNS)
        newcomers = [candidates.unknown.unsqueeze(1).expand(both), there.unsqueeze(2).expand(both)]
    return torch.cat(
        [
            embedded,
            *codes,
            match_features(context.indicators.expand(*shape, -1), count.unsqueeze(2)),
            candidates.log_degree.unsqueeze(1).expand(*shape, 1),
            count.log1p().unsqueeze(2).expand(*shape, 1),
            *newcomers,
        ],
        dim=-1,
    )


def feature_pairs(
    projections: Projections, candidates: RowParts, targets: RowParts, context: TargetContext
) -> Tensor:
    """The same of aligned candidates and targets, (S, P, num_features).

    Args:
        projections: What embeddings are compared under.
        candidates: Of P nodes.
        targets: Of as many.
        context: What the targets' ego graphs show, ``visible`` as the pair of each neighbour, (M,).
    """
    members, owner = context.neighbours[..., :EMBEDDING], context.visible
    num_pairs = candidates.own.shape[1]
    ones = members.new_ones(*members.shape[:2], 1)
    read = ones if candidates.unknown is None else context.neighbours[..., -1:]
    count, read_count = (_sum_by_owner(each, owner, num_pairs) for each in (ones, read))
    mean = _sum_by_owner(members * read, owner, num_pairs) / read_count.clamp(min=1)
    targets = targets._replace(mean=mean)
    codes: list[Tensor] = []
    if candidates.codes and targets.codes:
        log_variances = context.neighbours[..., EMBEDDING]
        codes = distance_feature_pairs(candidates.codes, targets.codes, log_variances, owner)
    newcomers: list[Tensor] = []
    if candidates.unknown is not None and targets.unknown is not None:
        share = 1 - read_count / count.clamp(min=1)
        newcomers = [candidates.unknown, torch.cat([targets.unknown[..., :1], share], dim=-1)]
    return torch.cat(
        [
            _embedding_pairs(projections, candidates, targets, members, owner, read),
            *codes,
            match_features(context.indicators.expand(*candidates.own.shape[:2], -1), count),
            candidates.log_degree,
            count.log1p(),
            *newcomers,
        ],
        dim=-1,
    )


def _embedding_table(
    projections: Projections, candidates: RowParts, targets: RowParts, members: Tensor, read: Tensor
) -> Tensor:
    """How near every candidate is to every target by their embeddings, (S, T, n, 5 H).

    The five of the model's equations, H numbers each, in their order, but for the fourth and the
    fifth, which change places.

    Args:
        projections: What embeddings are compared under.
        candidates: Of n nodes.
        targets: Of T nodes, means over the neighbours that they show.
        members: Embeddings of the targets' neighbours, (S, M, EMBEDDING).
        read: 1 where target t shows neighbour m and its profile is known, (S, T, M).
    """
    by_mean, by_member, sharpness = projections
    mean_c, own_c = projected(by_mean, candidates.mean), projected(by_mean, candidates.own)
    mean_t, own_t = projected(by_mean, targets.mean), projected(by_mean, targets.own)
    member_c = projected(by_member, candidates.own)
    apart = distances(projected(by_member, members), member_c)  # (S, H, M, n)
    near = read.unsqueeze(1) @ torch.exp(-sharpness * apart)  # (S, H, T, n)
    features = torch.cat(
        [
            -distances(mean_t, mean_c),
            -distances(mean_t, own_c),
            -distances(own_t, mean_c),
            (near + _LEAST_SUM).log() / sharpness,
            -distances(projected(by_member, targets.own), member_c),
        ],
        dim=1,
    )  # (S, 5 H, T, n)
    return features.permute(0, 2, 3, 1)


def _embedding_pairs(
    projections: Projections,
    candidates: RowParts,
    targets: RowParts,
    members: Tensor,
    owner: Tensor,
    read: Tensor,
) -> Tensor:
    """The same of aligned candidates and targets, (S, P, 5 H).

    Args:
        projections: What embeddings are compared under.
        candidates: Of P nodes.
        targets: Of as many.
        members: Embeddings of the targets' neighbours, (S, M, EMBEDDING).
        owner: The pair whose target shows neighbour m, (M,).
        read: 1 where the profile of neighbour m is known, (S, M, 1).
    """
    by_mean, by_member, sharpness = projections
    sharpness = sharpness.reshape(-1, 1, NUM_PROJECTIONS)

    def apart(ours: Tensor, theirs: Tensor, matrix: Tensor) -> Tensor:  # (S, P, H)
        parts = by_projection((ours - theirs) @ matrix)
        return (parts.square().sum(dim=-1) + LEAST_SQUARE).sqrt()

    away = apart(candidates.own.index_select(1, owner), members, by_member)
    near = _sum_by_owner(torch.exp(-sharpness * away) * read, owner, candidates.own.shape[1])
    return torch.cat(
        [
            -apart(candidates.mean, targets.mean, by_mean),
            -apart(candidates.own, targets.mean, by_mean),
            -apart(candidates.mean, targets.own, by_mean),
            (near + _LEAST_SUM).log() / sharpness,
            -apart(candidates.own, targets.own, by_member),
        ],
        dim=-1,
    )


def match_features(indicators: Tensor, degrees: Tensor) -> Tensor:
    """Three indicators, and common members by number and by share of the target's neighbours.

    Args:
        indicators: three indicators and the number of common members, (…, 4).
        degrees: of the targets, broadcast to (…, 1).

    Returns:
        (…, 5).
    """
    common = indicators[..., 3:]
    return torch.cat([indicators[..., :3], common.log1p(), common / degrees.clamp(min=1)], dim=-1)


def used_features(config: ModelConfig) -> Tensor:
    """Which features count, (num_features,), in the order that they are made in."""
    embeddings, matching = config.parts != "matching", config.parts != "embeddings"
    used = [float(embeddings)] * (
        5 * NUM_PROJECTIONS + NUM_DISTANCE_FEATURES * config.distance_codes
    )
    used += [float(matching)] * (NUM_INDICATORS + 1) + [1.0] * 2
    used += [1.0] * (NUM_NEWCOMER_FEATURES * bool(config.known_profiles))
    return torch.tensor(used)


def _sum_by_owner(values: Tensor, owner: Tensor, num_rows: int) -> Tensor:
    """The sum of each row's values, (S, M, k) → (S, num_rows, k), where m belongs to owner[m]."""
    empty = values.new_zeros(values.shape[0], num_rows, values.shape[-1])
    return empty.index_add(1, owner, values)


def projections(num_seeds: int) -> Tensor:
    """Random initial projections of embeddings, side by side, (S, EMBEDDING, H · PROJECTION)."""
    return EMBEDDING**-0.5 * torch.randn(num_seeds, EMBEDDING, NUM_PROJECTIONS * PROJECTION)


def by_projection(flat: Tensor) -> Tensor:
    """The projections apart from each other, (…, H, PROJECTION)."""
    return flat.reshape(*flat.shape[:-1], NUM_PROJECTIONS, PROJECTION)


def projected(matrix: Tensor, embeddings: Tensor) -> Tensor:
    """Embeddings under every projection, (S, H, rows, PROJECTION).

    Args:
        matrix: the projections side by side, (S, EMBEDDING, H · PROJECTION).
        embeddings: (S, rows, EMBEDDING).

    Returns:
        (S, H, rows, PROJECTION).
    """
    return by_projection(embeddings @ matrix).transpose(1, 2)


def distances(targets: Tensor, candidates: Tensor) -> Tensor:
    """Euclidean distances, (S, H, T, 16) and (S, H, n, 16) → (S, H, T, n), smooth at zero.

    Args:
        targets: projected embeddings of the targets, (S, H, T, PROJECTION).
        candidates: those of the candidates, (S, H, n, PROJECTION).

    Returns:
        (S, H, T, n).
    """
    return (squared_distances(targets, candidates) + LEAST_SQUARE).sqrt()
