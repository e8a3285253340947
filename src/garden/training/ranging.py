"""Ranging: learning how far it is from every node to training targets.

The loss is the squared error of the logarithm of hops, near ways counting more than far ones, since
a wrong turn is taken among near nodes. Doubts learn what those errors are. A target that hides some
of its links is left out: what it shows is not how far it is.
"""

from __future__ import annotations

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.trellis.distance_codes import log_hops

NEARNESS_COEF = 3.0
DOUBT_COEF = 0.1
_MOST_DOUBT = 8.0


def ranging_losses(
    model: Model,
    rows: Tensor,
    targets: Tensor,
    distances: Tensor,
    whole: Tensor | None = None,
    sources: Tensor | None = None,
) -> Tensor | None:
    """The loss of each seed, (S,), or nothing where the model learns no ranges.

    ``distances`` are those of the targets (S, T), one after the other, (S·T, num_nodes); ``whole``
    says which targets show all of their links, (S, T), and ``sources`` which nodes to measure from.
    """
    ranged = model.ranged(rows)
    if ranged is None:
        return None
    codes, doubts = ranged
    goals = codes.gather(1, targets.unsqueeze(-1).expand(-1, -1, codes.shape[-1]))
    if sources is not None:
        codes, doubts = codes[:, sources], doubts[:, sources]
        distances = distances.index_select(1, sources)
    hops = distances.reshape(*targets.shape, -1)
    known = hops.isfinite() & (hops > 0)
    if whole is not None:
        known = known & whole.unsqueeze(-1)
    hops = hops.where(known, torch.ones_like(hops))
    errors = (log_hops(goals, codes) - hops.log()).square() * known
    doubt = doubts.transpose(1, 2).clamp(-_MOST_DOUBT, _MOST_DOUBT)
    unsure = (errors.detach() * torch.exp(-doubt) + doubt) * known
    each = NEARNESS_COEF * errors / hops + DOUBT_COEF / 2 * unsure
    return each.sum(dim=(1, 2)) / known.sum(dim=(1, 2)).clamp(min=1)
