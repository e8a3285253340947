"""Validation: the exact oracle ratio and truncation rate on a split's validation targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from garden.models.base import Model
from garden.training.chain_solvers import validation_hops
from garden.training.methods.target_masking import distances_towards, scores_towards, with_all_links
from garden.training.training_graph import TrainingGraph

_ENTRIES_PER_BLOCK = 1 << 21
_FEW_CHAINS = 8  # between looks at the clock, on graphs where each of them takes its time
_QUICK_NODES = 5000

Lap = Callable[[str], None]
"""Called with what the time since the last call was spent on: embedding, scoring, walking."""


def _no_lap(_kind: str) -> None:
    """Nobody is interested."""


def validation_metrics(
    model: Model,
    problem: TrainingGraph,
    max_hops: int,
    temperatures: Sequence[float] = (1.0,),
    lap: Lap = _no_lap,
    share: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """The exact oracle ratio and truncation rate of each seed's validation targets.

    Both are means over all sources, (num_temperatures, num_seeds, num_targets); the ratio's leaves
    out those further away than the limit. With a ``share`` below 1, of so many of the targets, at
    least one.

    Args:
        model: a stack of models, one per seed.
        problem: the graph as tensors.
        max_hops: the hop at which an episode is truncated.
        temperatures: by which scores are divided, one after another.
        lap: called after each part with its kind.
        share: of the validation targets, at least one.
    """
    targets = _part_of(problem.validation_targets, share)
    seeds, others = model.num_seeds, problem.num_nodes - 1
    ratios, truncation = [], []
    size = max(1, _ENTRIES_PER_BLOCK // (seeds * problem.num_nodes))
    with torch.no_grad():
        rows = model.embed(problem.egos)
        lap("embedding")
        for start in range(0, targets.shape[1], size):
            block = targets[:, start : start + size]
            masked = with_all_links(block, problem)
            scores = scores_towards(model, problem, rows, masked).flatten(0, 1)
            distances = distances_towards(problem, masked).double()
            sources = distances > 0
            near = sources & (distances <= max_hops)
            lap("scoring")
            for temperature in temperatures:
                scaled = scores / temperature
                hops, late = _hops_in_parts(scaled, block.flatten(), max_hops, problem, lap)
                shares = (hops / distances.clamp(min=1) * near).sum(dim=1) / near.sum(dim=1)
                # rounding alone takes a mean below 1
                ratios.append(shares.clamp(min=1.0).reshape(block.shape).cpu())
                late = (late * sources).sum(dim=1) / others
                truncation.append(late.reshape(block.shape).cpu())
                lap("walking")

    def gathered(parts: list[Tensor]) -> Tensor:
        count = len(temperatures)
        return torch.stack([torch.cat(parts[place::count], dim=1) for place in range(count)])

    return gathered(ratios), gathered(truncation)


def _part_of(targets: Tensor, share: float) -> Tensor:
    """So large a share of each seed's targets, spread evenly over the list."""
    count = targets.shape[1]
    few = max(1, int(share * count))
    return targets if few == count else targets[:, torch.arange(few) * count // few]


def _hops_in_parts(
    scores: Tensor, targets: Tensor, max_hops: int, problem: TrainingGraph, lap: Lap
) -> tuple[Tensor, Tensor]:
    """What ``validation_hops`` gives, with a look at the clock now and then on large graphs."""
    if scores.device.type != "cpu" or problem.num_nodes <= _QUICK_NODES:
        return validation_hops(scores, targets, max_hops, problem)
    parts = []
    for start in range(0, len(targets), _FEW_CHAINS):
        few = slice(start, start + _FEW_CHAINS)
        parts.append(validation_hops(scores[few], targets[few], max_hops, problem))
        lap("walking")
    return torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])
