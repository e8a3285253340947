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
critic is trained, valued by another. The features are computed in
:mod:`garden.models.trellis.features`.
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
    with_gaps,
)
from garden.models.registry import ModelConfig
from garden.models.trellis.distance_codes import DistanceCodeNetwork, DistanceCodes, distance_losses
from garden.models.trellis.features import (
    EMBEDDING,
    NUM_PROJECTIONS,
    Projections,
    RowLayout,
    feature_pairs,
    feature_table,
    projections,
    used_features,
)
from garden.models.trellis.unknown_profiles import KnownProfiles, SimilarProfiles, as_dense

ENCODER = 256
INITIAL_SHARPNESS = 2.0


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
        used = used_features(config)
        self.scorer = FeatureNetwork(num_seeds, used, config.hidden)
        self.valuer = FeatureNetwork(num_seeds, used, config.hidden)
        self.layout = RowLayout(config.distance_codes, bool(config.known_profiles))
        self.codes, self.known, self.unknown = None, None, None
        if self.layout.has_codes:
            self.codes = DistanceCodeNetwork(num_seeds, num_attributes)
        if self.layout.has_flags:
            self.known = KnownProfiles(num_attributes, config.known_profiles)
            self.unknown = SimilarProfiles(num_seeds, num_attributes, self.layout.own_width)

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
        return self.layout.width

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
        return self.layout.neighbour_values(rows)

    def distance_codes(self, rows: Tensor) -> DistanceCodes | None:
        """The codes and log-variances in these rows, where the model learns them."""
        return self.layout.codes(rows)

    def auxiliary_loss(
        self,
        rows: Tensor,
        targets: Tensor,
        distances: Tensor,
        unmasked: Tensor | None = None,
        sources: Tensor | None = None,
    ) -> tuple[str, Tensor] | None:
        """The distance loss, which teaches the distance codes.

        Args:
            rows: of all nodes, (S, num_nodes, row_width).
            targets: (S, T).
            distances: hops from every node to each target, (S · T, num_nodes).
            unmasked: which targets show all of their links, (S, T) bool; others teach nothing.
            sources: the nodes to measure from; all by default.

        Returns:
            its name and the loss of each seed, (S,); None without distance codes.
        """
        codes = self.distance_codes(rows)
        if codes is None:
            return None
        return "distance", distance_losses(codes, targets, distances, unmasked, sources)

    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """Own embedding, distance code, mean embedding of the neighbours, degree.

        Args:
            egos: ego graphs; edges among their members are not read.
            dropout: leaves out attributes, and corrupts Fourier features.
        """
        profiles = self.standardised(egos.profiles)
        known = self._known_among(profiles, egos)
        all_known = known is not None and bool((known > 0).all())
        own, to_neighbours = self._encoded(profiles, dropout, known, egos.hidden, all_known)
        received = to_neighbours.index_select(1, egos.members) * (1 - egos.is_centre)
        shape = (self.num_seeds, egos.num_egos)
        empty = torch.zeros((*shape, to_neighbours.shape[-1]), device=received.device)
        summed = empty.index_add(1, egos.owner, received)
        own = own.index_select(1, egos.centres)
        return self.layout.joined(own, summed, egos.sizes - 1, egos.log_degrees.expand(*shape, 1))

    def _known_among(self, profiles: Tensor, egos: EgoTensors) -> Tensor | None:
        """1 for each profile that is known and does not pass for unknown, (num_profiles, 1)."""
        if self.known is None:
            return None
        known: Tensor = self.known(profiles)
        return known if egos.hidden is None else known * ~egos.hidden.unsqueeze(-1)

    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The same for one ego graph.

        Args:
            profiles: of the members, (num_members, num_attributes), the centre first.
            linked: has no use here.
        """
        read = self.standardised(profiles)
        known = None if self.known is None else self.known.of_few(read)
        own, to_neighbours = self._encoded(read, KEEP_ALL, known)
        size = num_members(profiles)
        summed = to_neighbours[:, 1:].sum(dim=1, keepdim=True)
        return self.layout.joined(
            own[:, :1], summed, size - 1, size.log().expand(self.num_seeds, 1, 1)
        )

    def target_rows(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        embedding_dropout: float = 0.0,
    ) -> Tensor:
        """The targets' rows, with some of their own embeddings replaced by a learned token.

        Args:
            rows: of all nodes, (S, n, width).
            targets: node numbers, (S, T).
            dropout: whose generator draws who loses its embedding.
            embedding_dropout: the share of targets that do.
        """
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
        """Scores of every candidate and target, (S, T, n).

        Args:
            rows: of the candidates, (S, n, width).
            targets: rows of the targets, (S, T, width).
            dropout: has no use here: attributes are dropped, not hidden units.
            context: what the targets' ego graphs show, which must be given.
        """
        features = self._table_of(rows, targets, context)
        return self._tempered(self.scorer(features.flatten(1, 2))).reshape(features.shape[:3])

    def score_aligned(
        self, candidates: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """Scores of aligned rows, (S, P).

        Args:
            candidates: rows, (S, P, width).
            targets: rows, (S, P, width).
            context: what the targets' ego graphs show, over aligned rows.
        """
        return self._tempered(self.scorer(self._pairs_of(candidates, targets, context)))

    def value_table(
        self, rows: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """Values of every holder and target, (S, T, n) in (0, 1).

        Args:
            rows: of the holders, (S, n, width).
            targets: rows of the targets, (S, T, width).
            context: what the targets' ego graphs show.
        """
        features = self._table_of(rows, targets, context)
        return torch.sigmoid(self.valuer(features.flatten(1, 2))).reshape(features.shape[:3])

    def _table_of(self, rows: Tensor, targets: Tensor, context: TargetContext | None) -> Tensor:
        """The features of every candidate and target, (S, T, n, num_features)."""
        ours, theirs = self.layout.parts(rows), self.layout.parts(targets)
        return feature_table(self._projections, ours, theirs, _required(context))

    def _pairs_of(self, rows: Tensor, targets: Tensor, context: TargetContext | None) -> Tensor:
        """The same of aligned rows, (S, P, num_features)."""
        ours, theirs = self.layout.parts(rows), self.layout.parts(targets)
        return feature_pairs(self._projections, ours, theirs, _required(context))

    @property
    def _projections(self) -> Projections:
        """The learned comparisons of embeddings."""
        sharpness = nn.functional.softplus(self.sharpness)
        return Projections(self.mean_projections, self.member_projections, sharpness)

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

    def _tempered(self, scores: Tensor) -> Tensor:
        return scores / self.temperature


def _required(context: TargetContext | None) -> TargetContext:
    if context is None:
        raise StrategyError("trellis scores need what the targets' ego graphs show")
    return context
