r"""Distance codes: predicted distances between nodes, from their profiles and their neighbours'.

Node u has a code z(u) in ℝ³², the sum of a part from its own profile and the mean of parts from its
neighbours' profiles. The predicted distance between u and v follows from their codes alone,

    log d̂(u, v) = ½ log(‖z(u) − z(v)‖² + ε) + b,

and a predicted log-variance ℓ(u), from u's profile, says how wrong distances to u tend to be: large
where many nodes have the same profile. The distance loss over sources u and training targets t is

    3 (log d̂(u, t) − log d(u, t))² / d(u, t) + ½ · 0.1 · (e² exp(−ℓ(u)) + ℓ(u)),

with e the error of the logarithm, its gradient stopped in the second term. Near pairs count more,
since wrong turns are taken among near nodes. Distances are symmetric, so a node that never was a
target has a code pinned down by its distances to all training targets; a node that was not in the
training graph has not.

A network must tell apart profiles that differ in a single attribute. It reads them as random
Fourier features beside the attributes themselves: √2 sin(W x + b), W normal with deviation 2, both
learned further. In training the Fourier features of some profiles are corrupted by random phases,
so that an unknown profile is read by its attributes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from garden.models.layers import (
    Dropout,
    StackedLinear,
    mapped_profiles,
    squared_distances,
    with_gaps,
)

CODE_WIDTH = 32
NUM_DISTANCE_FEATURES = 4  # log-distance; log-variance of the target, least and mean of neighbours
_ENCODER = 256
_FREQUENCY = 2.0  # standard deviation of the Fourier features' initial frequencies
_CORRUPTED = 0.15  # share of profiles whose Fourier features training corrupts
_DROPOUT_SHARE = 0.5  # attributes dropped, as a share of the rate for embeddings
_MAX_NEIGHBOUR_LOG_VARIANCE = 9.0  # the most that is read of a neighbour
_LEAST_SQUARE = 1e-3  # keeps the logarithm finite where two codes coincide
DISTANCE_COEF = 3.0
LOG_VARIANCE_COEF = 0.1
_MAX_LOG_VARIANCE = 8.0
_LOG_TYPICAL_HOPS = 1.3  # b above: of codes one unit apart


class DistanceCodes(NamedTuple):
    """The codes and log-variances of some nodes."""

    codes: Tensor  # (…, CODE_WIDTH)
    log_variances: Tensor  # (…, 1)


class DistanceCodeNetwork(nn.Module):
    """Maps a profile to its part in its own node's code and its part in its neighbours' codes."""

    def __init__(self, num_seeds: int, num_attributes: int) -> None:
        super().__init__()
        self.first = StackedLinear(num_seeds, num_attributes, _ENCODER)
        self.fourier = StackedLinear(num_seeds, num_attributes, _ENCODER)
        assert self.fourier.bias is not None
        nn.init.normal_(self.fourier.weight, std=_FREQUENCY)
        nn.init.uniform_(self.fourier.bias, 0, 2 * math.pi)
        self.second = StackedLinear(num_seeds, 2 * _ENCODER, _ENCODER)
        self.last = StackedLinear(num_seeds, _ENCODER, 2 * CODE_WIDTH + 1)

    def forward(self, profiles: Tensor, dropout: Dropout) -> tuple[Tensor, Tensor]:
        """What each profile gives to its own node, and what to its neighbours.

        Code and log-variance, (S, num_profiles, CODE_WIDTH + 1), and a code,
        (S, num_profiles, CODE_WIDTH).

        Args:
            profiles: dense or sparse, (num_profiles, num_attributes).
            dropout: leaves attributes out, and corrupts Fourier features of some profiles.
        """
        assert self.first.bias is not None
        read = with_gaps(profiles, Dropout(_DROPOUT_SHARE * dropout.rate, dropout.generator))
        hidden = torch.relu(mapped_profiles(self.first.weight, read) + self.first.bias)
        fourier = math.sqrt(2) * torch.sin(self._phases(profiles, dropout))
        parts = self.last(torch.relu(self.second(torch.cat([hidden, fourier], dim=-1))))
        return parts[..., : CODE_WIDTH + 1], parts[..., CODE_WIDTH + 1 :]

    def _phases(self, profiles: Tensor, dropout: Dropout) -> Tensor:
        """The arguments of the sines, (S, num_profiles, num_features).

        The same profiles are corrupted for every seed, and none where no attributes are dropped.
        """
        assert self.fourier.bias is not None
        phases = mapped_profiles(self.fourier.weight, profiles) + self.fourier.bias
        if dropout.rate == 0:
            return phases
        intact = dropout.kept(_CORRUPTED, (phases.shape[1], 1), phases.device)
        shape = phases.shape[1:]
        shift = torch.rand(shape, generator=dropout.generator, device=phases.device)
        return phases + 2 * math.pi * shift * ~intact


def joined_codes(own: Tensor, from_neighbours: Tensor) -> Tensor:
    """Code and log-variance of nodes, from their own profiles' parts and their neighbours'.

    Args:
        own: code and log-variance of a node's own profile, (…, CODE_WIDTH + 1).
        from_neighbours: the sum of its neighbours' parts, (…, CODE_WIDTH).

    Returns:
        (…, CODE_WIDTH + 1).
    """
    return torch.cat([own[..., :CODE_WIDTH] + from_neighbours, own[..., CODE_WIDTH:]], dim=-1)


def split_codes(joined: Tensor) -> DistanceCodes:
    """The codes and log-variances that :func:`joined_codes` has joined."""
    return DistanceCodes(joined[..., :CODE_WIDTH], joined[..., CODE_WIDTH:])


def distance_losses(
    codes: DistanceCodes,
    targets: Tensor,
    distances: Tensor,
    unmasked: Tensor | None = None,
    sources: Tensor | None = None,
) -> Tensor:
    """The distance loss of each seed, (S,).

    Args:
        codes: of all nodes, (S, num_nodes, …).
        targets: (S, T).
        distances: hops from every node to each target, (S · T, num_nodes); infinite out of reach.
        unmasked: which targets show all of their links, (S, T); others are left out, since the
            code of a whole ego graph does not tell the distance of a part of it.
        sources: the nodes to measure from; all by default.

    """
    z, log_variances = codes
    of_targets = z.gather(1, targets.unsqueeze(-1).expand(-1, -1, z.shape[-1]))
    if sources is not None:
        z, log_variances = z[:, sources], log_variances[:, sources]
        distances = distances.index_select(1, sources)
    hops = distances.reshape(*targets.shape, -1)
    known = hops.isfinite() & (hops > 0)
    if unmasked is not None:
        known = known & unmasked.unsqueeze(-1)
    hops = hops.where(known, torch.ones_like(hops))
    errors = (log_hops(of_targets, z) - hops.log()).square() * known
    clamped = log_variances.transpose(1, 2).clamp(-_MAX_LOG_VARIANCE, _MAX_LOG_VARIANCE)
    likelihood = (errors.detach() * torch.exp(-clamped) + clamped) * known
    each = DISTANCE_COEF * errors / hops + LOG_VARIANCE_COEF / 2 * likelihood
    return each.sum(dim=(1, 2)) / known.sum(dim=(1, 2)).clamp(min=1)


def distance_feature_table(
    here: DistanceCodes, there: DistanceCodes, log_variances: Tensor, visible: Tensor
) -> list[Tensor]:
    """Features of all targets and candidates, (S, T, n, 1) each.

    The predicted log-distance, the target's log-variance, and the least and the mean of its visible
    neighbours' log-variances. No gradient flows into the codes.

    Args:
        here: codes of the candidates, (S, n, …).
        there: codes of the targets, (S, T, …).
        log_variances: of the targets' neighbours, (S, M).
        visible: which target shows which neighbour, (S, T, M).

    Returns:
        The features in order, each (S, T, n, 1).
    """
    hops = log_hops(there.codes.detach(), here.codes.detach()).unsqueeze(-1)
    log_variances = log_variances.clamp(max=_MAX_NEIGHBOUR_LOG_VARIANCE).unsqueeze(1)
    of_visible = log_variances.masked_fill(visible == 0, _MAX_NEIGHBOUR_LOG_VARIANCE)
    padded = nn.functional.pad(of_visible, (0, 1), value=_MAX_NEIGHBOUR_LOG_VARIANCE)
    least = padded.amin(dim=-1, keepdim=True)
    count = visible.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = (visible * log_variances).sum(dim=-1, keepdim=True) / count
    own = there.log_variances.detach()
    return [hops, *(one.unsqueeze(2).expand_as(hops) for one in (own, least, mean))]


def distance_feature_pairs(
    here: DistanceCodes, there: DistanceCodes, log_variances: Tensor, owner: Tensor
) -> list[Tensor]:
    """The same of aligned rows.

    Args:
        here: codes of the candidates, (S, P, …).
        there: codes of the targets, (S, P, …).
        log_variances: of the targets' neighbours, (S, M).
        owner: which pair shows each neighbour, (M,).

    Returns:
        The features in order, each (S, P, 1).
    """
    hops = aligned_log_hops(there.codes.detach(), here.codes.detach()).unsqueeze(-1)
    log_variances = log_variances.clamp(max=_MAX_NEIGHBOUR_LOG_VARIANCE)
    least = log_variances.new_full(hops.shape[:2], _MAX_NEIGHBOUR_LOG_VARIANCE)
    least = least.scatter_reduce(1, owner.expand_as(log_variances), log_variances, "amin")
    empty = log_variances.new_zeros(least.shape)
    count = empty.index_add(1, owner, torch.ones_like(log_variances))
    mean = empty.index_add(1, owner, log_variances) / count.clamp(min=1)
    return [hops, there.log_variances.detach(), least.unsqueeze(-1), mean.unsqueeze(-1)]


def log_hops(codes: Tensor, others: Tensor) -> Tensor:
    """The logarithm of predicted hops, (…, A, CODE_WIDTH) and (…, B, CODE_WIDTH) → (…, A, B).

    Args:
        codes: of some nodes, (…, A, CODE_WIDTH).
        others: of others, (…, B, CODE_WIDTH).

    Returns:
        (…, A, B).
    """
    return _log_root(squared_distances(codes, others))


def aligned_log_hops(codes: Tensor, others: Tensor) -> Tensor:
    """The same of aligned rows, (…).

    Args:
        codes: of some nodes, (…, CODE_WIDTH).
        others: row i is of the node that node i is compared with.
    """
    return _log_root((codes - others).square().sum(dim=-1))


def _log_root(squares: Tensor) -> Tensor:
    return 0.5 * (squares + _LEAST_SQUARE).log() + _LOG_TYPICAL_HOPS
