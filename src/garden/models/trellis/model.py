"""Trellis: distances in a graph, read off profiles and ego graphs.

**Embeddings.** An MLP maps each profile x to an embedding e(x) in ℝ³². Trained on one graph, it
learns where in that graph each profile is found. A target t is one hop further than the nearest of
its neighbours N(t), so it is found by the embeddings of the neighbours that it shows, one by one.
Under eight learned projections P_h the model reads, for a candidate c with neighbours' mean m(c),

    −‖P_h (m(t) − m(c))‖,  −‖P_h (m(t) − e(c))‖,  −‖P_h (e(t) − m(c))‖,  −‖Q_h (e(t) − e(c))‖  and
    (1 / s_h) log Σ_{u ∈ N(t)} exp(−s_h ‖Q_h (e(u) − e(c))‖),

the last a smooth maximum over the target's neighbours. In training, the target's own embedding
e(t) is replaced by a learned token for a share of the targets (target embedding dropout), since a
test target's profile was never a training target's.

**Distance codes** (:mod:`garden.models.trellis.distance_codes`) add a predicted log-distance
between candidate and target, with predicted log-variances. Their loss is the model's
:meth:`~TrellisModel.auxiliary_loss`; scores read the codes and send no gradient into them.

**Match indicators** compare the two ego graphs profile by profile and depend on no learned
embedding: whether c can be t, can be a neighbour of t, looks like a neighbour and is none, and how
many members of c's ego graph look like neighbours of t.

All of it, with log(1 + degree) of c and log(1 + |N(t)|), is scored by a small MLP and, where a
critic is trained, valued by another.
"""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from garden.errors import StrategyError
from garden.graphs.ego import ProfileTable
from garden.models.base import EgoTensors, Model, TargetContext, profile_tensor
from garden.models.layers import (
    KEEP_ALL,
    Dropout,
    FeatureNetwork,
    StackedLinear,
    mapped_profiles,
    num_members,
    squared_distances,
    with_gaps,
)
from garden.models.registry import ModelConfig
from garden.models.trellis.distance_codes import (
    CODE_WIDTH,
    NUM_DISTANCE_FEATURES,
    DistanceCodeNetwork,
    DistanceCodes,
    distance_feature_pairs,
    distance_feature_table,
    distance_losses,
    joined_codes,
    split_codes,
)
from garden.models.trellis.unknown_profiles import (
    NUM_NEWCOMER_COLUMNS,
    NUM_NEWCOMER_FEATURES,
    KnownProfiles,
    Likeness,
    as_dense,
)

EMBEDDING = 32
NUM_PROJECTIONS = 8
PROJECTION = 16
NUM_INDICATORS = 4
LEAST_SQUARE = 1e-6  # keeps the gradient of a distance finite where two embeddings coincide
ENCODER = 256
INITIAL_SHARPNESS = 2.0
_LEAST_SUM = 1e-12  # keeps the logarithm finite where no neighbour is near


@final
class TrellisModel(Model):
    """Embeddings, distance codes and match indicators, scored and valued by two small MLPs."""

    name = "trellis"
    reads_neighbours: ClassVar[bool] = True
    temperature: Tensor  # (num_seeds, 1) divides scores; chosen on validation targets at the end

    def __init__(self, num_seeds: int, num_attributes: int, config: ModelConfig) -> None:
        super().__init__(num_seeds, num_attributes)
        self.first = StackedLinear(num_seeds, num_attributes, ENCODER)
        self.second = StackedLinear(num_seeds, ENCODER, ENCODER)
        self.embedding = StackedLinear(num_seeds, ENCODER, EMBEDDING)
        self.masked = nn.Parameter(torch.zeros(num_seeds, 1, EMBEDDING))
        self.mean_projections = nn.Parameter(projections(num_seeds))
        self.member_projections = nn.Parameter(projections(num_seeds))
        self.sharpness = nn.Parameter(
            torch.full((num_seeds, NUM_PROJECTIONS, 1, 1), INITIAL_SHARPNESS)
        )
        self.register_buffer("temperature", torch.ones(num_seeds, 1))
        used = _used(config)
        self.scorer = FeatureNetwork(num_seeds, used, config.hidden)
        self.valuer = FeatureNetwork(num_seeds, used, config.hidden)
        self.codes = (
            DistanceCodeNetwork(num_seeds, num_attributes) if config.distance_codes else None
        )
        self.known, self.unknown = None, None
        if config.known_profiles:
            outputs = EMBEDDING + (CODE_WIDTH + 1) * config.distance_codes
            self.known = KnownProfiles(num_attributes, config.known_profiles)
            self.unknown = Likeness(num_seeds, num_attributes, outputs)

    def know(self, profiles: ProfileTable) -> None:
        """Note which profiles the training graph has, where the model tells them from others."""
        if self.known is not None:
            self.known.learn(self.standardised(profile_tensor(profiles)))

    @property
    def row_width(self) -> int:
        """Embedding, code and log-variance, the neighbours' mean embedding, log(1 + degree).

        A model for newcomers also has whether its own profile is unknown, and which share of its
        neighbours' profiles.
        """
        of_codes = CODE_WIDTH + 1 if self.codes else 0
        return 2 * EMBEDDING + of_codes + 1 + NUM_NEWCOMER_COLUMNS * (self.known is not None)

    def profile_values(self, egos: EgoTensors) -> Tensor:
        """An embedding per profile, and the log-variance of distances from it."""
        return self.member_values(egos.profiles)

    def member_values(self, profiles: Tensor) -> Tensor:
        """The same from a table of profiles."""
        read = self.standardised(profiles)
        known = None if self.known is None else self.known.of_few(read)
        own, _ = self._encoded(read, KEEP_ALL, known)
        return self.neighbour_values(own)

    def neighbour_values(self, rows: Tensor) -> Tensor:
        """The embedding of each row, the log-variance of distances from it, and if it is known."""
        parts = [rows[..., :EMBEDDING]]
        if self.codes is not None:
            column = EMBEDDING + CODE_WIDTH
            parts.append(rows[..., column : column + 1].detach())
        if self.known is not None:
            parts.append(1 - rows[..., self._flags : self._flags + 1])
        return torch.cat(parts, dim=-1)

    @property
    def _flags(self) -> int:
        """The column that says whether a row's own profile is unknown."""
        return EMBEDDING + (CODE_WIDTH + 1 if self.codes else 0)

    def distance_codes(self, rows: Tensor) -> DistanceCodes | None:
        """The codes and log-variances in these rows, where the model learns them."""
        if self.codes is None:
            return None
        return split_codes(rows[..., EMBEDDING : EMBEDDING + CODE_WIDTH + 1])

    def auxiliary_loss(
        self,
        rows: Tensor,
        targets: Tensor,
        distances: Tensor,
        unmasked: Tensor | None = None,
        sources: Tensor | None = None,
    ) -> tuple[str, Tensor] | None:
        """The distance loss, (S,), which teaches the distance codes."""
        codes = self.distance_codes(rows)
        if codes is None:
            return None
        return "distance", distance_losses(codes, targets, distances, unmasked, sources)

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Own embedding, distance code, mean embedding of the neighbours, degree."""
        profiles = self.standardised(egos.profiles)
        known = self._known_among(profiles, egos)
        all_known = known is not None and bool((known > 0).all())
        own, to_neighbours = self._encoded(profiles, dropout, known, egos.hidden, all_known)
        received = to_neighbours.index_select(1, egos.members) * (1 - egos.is_centre)
        shape = (self.num_seeds, egos.num_egos)
        empty = torch.zeros((*shape, to_neighbours.shape[-1]), device=received.device)
        summed = empty.index_add(1, egos.owner, received)
        own = own.index_select(1, egos.centres)
        return self._row(own, summed, egos.sizes - 1, egos.log_degrees.expand(*shape, 1))

    def _known_among(self, profiles: Tensor, egos: EgoTensors) -> Tensor | None:
        """1 for each profile that is known and does not pass for unknown, (num_profiles, 1)."""
        if self.known is None:
            return None
        known: Tensor = self.known(profiles)
        return known if egos.hidden is None else known * ~egos.hidden.unsqueeze(-1)

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph."""
        read = self.standardised(profiles)
        known = None if self.known is None else self.known.of_few(read)
        own, to_neighbours = self._encoded(read, KEEP_ALL, known)
        size = num_members(profiles)
        summed = to_neighbours[:, 1:].sum(dim=1, keepdim=True)
        return self._row(own[:, :1], summed, size - 1, size.log().expand(self.num_seeds, 1, 1))

    def target_rows(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        embedding_dropout: float = 0.0,
    ) -> Tensor:
        """The targets' rows, with some of their own embeddings replaced by a learned token."""
        chosen = super().target_rows(rows, targets)
        known = dropout.kept(embedding_dropout, (*targets.shape, 1), rows.device)
        own = torch.where(known, chosen[..., :EMBEDDING], self.masked)
        return torch.cat([own, chosen[..., EMBEDDING:]], dim=-1)

    def score_table(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        context: TargetContext | None = None,
    ) -> Tensor:
        """Scores of every candidate and target."""
        features = self._features_of_table(rows, targets, _required(context))
        return self._tempered(self.scorer(features.flatten(1, 2))).reshape(features.shape[:3])

    def score_aligned(
        self, candidates: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """Scores of aligned rows, (S, P, width) each → (S, P)."""
        features = self._features_of_pairs(candidates, targets, _required(context))
        return self._tempered(self.scorer(features))

    def value_table(
        self, rows: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """Values of every holder and target."""
        features = self._features_of_table(rows, targets, _required(context))
        return torch.sigmoid(self.valuer(features.flatten(1, 2))).reshape(features.shape[:3])

    def value_aligned(
        self, holders: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """Values of aligned rows, (S, P, width) each → (S, P) in (0, 1)."""
        return torch.sigmoid(
            self.valuer(self._features_of_pairs(holders, targets, _required(context)))
        )

    def _features_of_table(self, rows: Tensor, targets: Tensor, context: TargetContext) -> Tensor:
        """The features of every candidate and target, (S, T, n, num_features)."""
        own, mean, degree = _parts(rows)
        own_t, members = targets[..., :EMBEDDING], context.neighbours[..., :EMBEDDING]
        count = context.visible.sum(dim=-1, keepdim=True)
        read, read_count = context.visible, count
        if self.known is not None:
            read = context.visible * context.neighbours[..., -1].unsqueeze(1)
            read_count = read.sum(dim=-1, keepdim=True)
        mean_t = read @ members / read_count.clamp(min=1)

        by_mean, by_member = self.mean_projections, self.member_projections
        mean_c, own_c = projected(by_mean, mean), projected(by_mean, own)
        mean_g, own_g = projected(by_mean, mean_t), projected(by_mean, own_t)
        member_c = projected(by_member, own)
        sharpness = nn.functional.softplus(self.sharpness)
        apart = distances(projected(by_member, members), member_c)  # (S, H, M, n)
        near = read.unsqueeze(1) @ torch.exp(-sharpness * apart)  # (S, H, T, n)
        features = torch.cat(
            [
                -distances(mean_g, mean_c),
                -distances(mean_g, own_c),
                -distances(own_g, mean_c),
                (near + _LEAST_SUM).log() / sharpness,
                -distances(projected(by_member, own_t), member_c),
            ],
            dim=1,
        )  # (S, 5 H, T, n)
        shape = (*features.shape[:1], *features.shape[2:], 1)
        here, there = self.distance_codes(rows), self.distance_codes(targets)
        of_codes: list[Tensor] = []
        if here and there:
            of_codes = distance_feature_table(
                here, there, context.neighbours[..., EMBEDDING], context.visible
            )
        return torch.cat(
            [
                features.permute(0, 2, 3, 1),
                *of_codes,
                match_features(context.indicators.expand(*shape[:3], -1), count.unsqueeze(2)),
                degree.unsqueeze(1).expand(shape),
                count.log1p().unsqueeze(2).expand(shape),
                *self._newcomer_table(rows, targets, read_count / count.clamp(min=1), shape),
            ],
            dim=-1,
        )

    def _features_of_pairs(
        self, candidates: Tensor, targets: Tensor, context: TargetContext
    ) -> Tensor:
        """The same of aligned rows, (S, P, num_features)."""
        own, mean, degree = _parts(candidates)
        own_t, members = targets[..., :EMBEDDING], context.neighbours[..., :EMBEDDING]
        owner = context.visible

        def summed(values: Tensor) -> Tensor:  # (S, M, k) → (S, P, k)
            empty = values.new_zeros(*candidates.shape[:2], values.shape[-1])
            return empty.index_add(1, owner, values)

        ones = members.new_ones(*members.shape[:2], 1)
        read = ones if self.known is None else context.neighbours[..., -1:]
        count, read_count = summed(ones), summed(read)
        mean_t = summed(members * read) / read_count.clamp(min=1)

        def apart(ours: Tensor, theirs: Tensor, matrix: Tensor) -> Tensor:  # (S, P, H)
            parts = by_projection((ours - theirs) @ matrix)
            return (parts.square().sum(dim=-1) + LEAST_SQUARE).sqrt()

        sharpness = nn.functional.softplus(self.sharpness).reshape(-1, 1, NUM_PROJECTIONS)
        away = apart(own.index_select(1, owner), members, self.member_projections)
        near = summed(torch.exp(-sharpness * away) * read)
        here, there = self.distance_codes(candidates), self.distance_codes(targets)
        of_codes: list[Tensor] = []
        if here and there:
            of_codes = distance_feature_pairs(
                here, there, context.neighbours[..., EMBEDDING], owner
            )
        return torch.cat(
            [
                -apart(mean, mean_t, self.mean_projections),
                -apart(own, mean_t, self.mean_projections),
                -apart(mean, own_t, self.mean_projections),
                (near + _LEAST_SUM).log() / sharpness,
                -apart(own, own_t, self.member_projections),
                *of_codes,
                match_features(context.indicators.expand(*candidates.shape[:2], -1), count),
                degree,
                count.log1p(),
                *self._newcomer_pairs(candidates, targets, read_count / count.clamp(min=1)),
            ],
            dim=-1,
        )

    def _newcomer_table(
        self, rows: Tensor, targets: Tensor, share: Tensor, shape: tuple[int, ...]
    ) -> list[Tensor]:
        """Whether both ends are unknown, and their shares of unknown neighbours, (S, T, n, 2)."""
        if self.known is None:
            return []
        here = rows[..., self._flags : self._flags + NUM_NEWCOMER_COLUMNS]
        own = targets[..., self._flags : self._flags + 1]
        there = torch.cat([own, 1 - share], dim=-1)
        both = (*shape[:3], NUM_NEWCOMER_COLUMNS)
        return [here.unsqueeze(1).expand(both), there.unsqueeze(2).expand(both)]

    def _newcomer_pairs(self, candidates: Tensor, targets: Tensor, share: Tensor) -> list[Tensor]:
        """The same of aligned rows, (S, P, 2) each."""
        if self.known is None:
            return []
        here = candidates[..., self._flags : self._flags + NUM_NEWCOMER_COLUMNS]
        own = targets[..., self._flags : self._flags + 1]
        return [here, torch.cat([own, 1 - share], dim=-1)]

    def _encoded(
        self,
        profiles: Tensor,
        dropout: Dropout,
        known: Tensor | None,
        hidden: Tensor | None = None,
        all_known: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """What each profile gives to its own node's row, and what to its neighbours' rows.

        Where the model knows profiles from others, each of both also says whether it does.
        """
        own, to_neighbours = self._encoded_as_known(profiles, dropout)
        if known is None or self.known is None or self.unknown is None:
            return own, to_neighbours
        if not all_known:
            table = self.known.profiles
            values = self._encoded_as_known(table, KEEP_ALL)[0] if hidden is None else own
            of_unknown = self.unknown(as_dense(profiles), table, values, hidden)
            own = torch.where(known > 0, own, of_unknown)
        flags = known.expand(self.num_seeds, -1, 1)
        return (
            torch.cat([own, 1 - flags], dim=-1),
            torch.cat([to_neighbours * known, flags], dim=-1),
        )

    def _encoded_as_known(self, profiles: Tensor, dropout: Dropout) -> tuple[Tensor, Tensor]:
        """The same as if all profiles were known."""
        assert self.first.bias is not None
        read = with_gaps(profiles, dropout)
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        embedding = self.embedding(torch.relu(self.second(hidden)))
        if self.codes is None:
            return embedding, embedding
        own, to_neighbours = self.codes(profiles, dropout)
        return torch.cat([embedding, own], dim=-1), torch.cat([embedding, to_neighbours], dim=-1)

    def _row(self, own: Tensor, summed: Tensor, degree: Tensor, log_degree: Tensor) -> Tensor:
        """Rows from what own profiles give and the sum of what neighbours' profiles give."""
        flags: list[Tensor] = []
        if self.known is None:
            mean = summed / degree.clamp(min=1)
        else:
            known = summed[..., -1:]
            mean = summed[..., :-1] / known.clamp(min=1)
            flags = [own[..., -1:], 1 - known / degree.clamp(min=1)]
            own = own[..., :-1]
        parts = [own[..., :EMBEDDING]]
        if self.codes is not None:
            parts.append(joined_codes(own[..., EMBEDDING:], mean[..., EMBEDDING:]))
        return torch.cat([*parts, *flags, mean[..., :EMBEDDING], log_degree], dim=-1)

    def _tempered(self, scores: Tensor) -> Tensor:
        return scores / self.temperature


def _parts(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Own embedding, mean embedding of the neighbours, and log(1 + degree)."""
    return rows[..., :EMBEDDING], rows[..., -EMBEDDING - 1 : -1], rows[..., -1:]


def _required(context: TargetContext | None) -> TargetContext:
    if context is None:
        raise StrategyError("trellis scores need what the targets' ego graphs show")
    return context


def _used(config: ModelConfig) -> Tensor:
    """Which features count, (num_features,), in the order that they are made in."""
    embeddings, matching = config.parts != "matching", config.parts != "embeddings"
    used = [float(embeddings)] * (
        5 * NUM_PROJECTIONS + NUM_DISTANCE_FEATURES * config.distance_codes
    )
    used += [float(matching)] * (NUM_INDICATORS + 1) + [1.0] * 2
    used += [1.0] * (NUM_NEWCOMER_FEATURES * bool(config.known_profiles))
    return torch.tensor(used)


def projections(num_seeds: int) -> Tensor:
    """Random initial projections of embeddings, side by side, (S, EMBEDDING, H · PROJECTION)."""
    return EMBEDDING**-0.5 * torch.randn(num_seeds, EMBEDDING, NUM_PROJECTIONS * PROJECTION)


def by_projection(flat: Tensor) -> Tensor:
    """The projections apart from each other, (…, H, PROJECTION)."""
    return flat.reshape(*flat.shape[:-1], NUM_PROJECTIONS, PROJECTION)


def projected(matrix: Tensor, embeddings: Tensor) -> Tensor:
    """Embeddings under every projection, (S, H, rows, PROJECTION)."""
    return by_projection(embeddings @ matrix).transpose(1, 2)


def distances(goals: Tensor, candidates: Tensor) -> Tensor:
    """Euclidean distances, (S, H, T, 16) and (S, H, n, 16) → (S, H, T, n), smooth at zero."""
    return (squared_distances(goals, candidates) + LEAST_SQUARE).sqrt()


def match_features(indicators: Tensor, degrees: Tensor) -> Tensor:
    """Three indicators, and common members by number and by share of the target's neighbours."""
    common = indicators[..., 3:]
    return torch.cat([indicators[..., :3], common.log1p(), common / degrees.clamp(min=1)], dim=-1)
