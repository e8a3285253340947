"""Validation: exact oracle ratios on a split's validation targets, and what is chosen by them.

A training that ran to its end hands over what validation called best. One that was stopped also
weighs the weights that it stopped at, which may be better than all that was validated before; this
concerns the policy handed over only, and what the training would continue from stays as it is.
Resumed and stopped again, it hands that policy over until a better one is validated; one that ends
by itself hands over what it would have without a stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from garden.models.base import Model
from garden.models.policy import write_tensors
from garden.models.policy_files import read_tensors
from garden.search.chain import chain_of_scores
from garden.storage import WEIGHTS_FILE
from garden.training.chain_solvers import DENSE_NODES
from garden.training.methods.base import (
    distances_towards,
    embedded_rows,
    scores_towards,
    with_all_links,
)
from garden.training.methods.hop_policy import log_policy
from garden.training.state import SeedProgress, TrainingState, slice_of, weights_of
from garden.training.training_graph import LARGE_NODES, Links, TrainingGraph

_ENTRIES_PER_BLOCK = 1 << 21  # scores of a block of targets
DENSE_ENTRIES = 1 << 28  # of one batch of dense systems, on a GPU
FEW_CHAINS = 8  # between looks at the clock, on graphs where each of them takes its time
QUICK_NODES = 5000

Lap = Callable[[str], None]
"""Called with what the time since the last call was spent on: embedding, scoring, walking."""

HANDOVER_TEMPERATURES = (0.2, 0.25, 0.35, 0.5, 0.7, 1.0)
_LEAST_ERROR = 0.005  # of a validation ratio

Measure = Callable[[Sequence[float]], Tensor]
"""Validation ratios of the state's model, (num_temperatures, num_seeds, num_targets)."""


def _no_lap(_kind: str) -> None:
    """What is called between the parts of a validation that nobody times."""


def validation_metrics(
    model: Model,
    graph: TrainingGraph,
    max_hops: int,
    temperatures: Sequence[float] = (1.0,),
    lap: Lap = _no_lap,
    share: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """The exact oracle ratio and truncation rate of each seed's validation targets.

    Both are means over all sources, (num_temperatures, num_seeds, num_targets); the ratio's leaves
    out those further away than the limit. With a ``share`` below 1, of so many of the targets, at
    least one. Where validation goes by serialized pairs, means are over those, and scaled so that
    the mean over targets is the mean over pairs.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        max_hops: the hop at which an episode is truncated.
        temperatures: by which scores are divided, one after another.
        lap: called after each part with its kind.
        share: of the validation targets, at least one.
    """
    targets = _part_of(graph.validation_targets, share)
    pairs = None if graph.pair_counts is None else _part_of(graph.pair_counts, share)
    seeds = model.num_seeds
    ratios, truncation, counts = [], [], []
    size = _targets_per_block(seeds, graph)
    with torch.no_grad():
        rows = embedded_rows(model, graph)
        lap("embedding")
        for start in range(0, targets.shape[1], size):
            block = targets[:, start : start + size]
            masked = with_all_links(block, graph)
            scores = scores_towards(model, graph, rows, masked).flatten(0, 1)
            distances = distances_towards(graph, masked).double()
            sources = (distances > 0).double()
            if pairs is not None:
                sources = pairs[:, start : start + size].flatten(0, 1).double()
            near = sources * (distances <= max_hops)
            counts.append(sources.sum(dim=1).reshape(block.shape).cpu())
            lap("scoring")
            for temperature in temperatures:
                scaled = scores / temperature
                hops, late = _hops_in_parts(scaled, block.flatten(), max_hops, graph, lap)
                shares = (hops / distances.clamp(min=1) * near).sum(dim=1)
                shares = shares / near.sum(dim=1).clamp(min=1)
                # rounding alone takes a mean below 1
                ratios.append(shares.clamp(min=1.0).reshape(block.shape).cpu())
                late = (late * sources).sum(dim=1) / sources.sum(dim=1).clamp(min=1)
                truncation.append(late.reshape(block.shape).cpu())
                lap("walking")

    of_targets = torch.cat(counts, dim=1)
    weights = of_targets / of_targets.mean(dim=1, keepdim=True)

    def gathered(parts: list[Tensor]) -> Tensor:
        count = len(temperatures)
        tables = [torch.cat(parts[place::count], dim=1) for place in range(count)]
        return torch.stack(tables) * weights

    return gathered(ratios), gathered(truncation)


def _targets_per_block(num_seeds: int, graph: TrainingGraph) -> int:
    """How many targets are scored at once: on large graphs and a CPU one, to keep a time limit."""
    if graph.device.type == "cpu" and graph.num_nodes > LARGE_NODES:
        return 1
    return max(1, _ENTRIES_PER_BLOCK // (num_seeds * graph.num_nodes))


def _part_of(targets: Tensor, share: float) -> Tensor:
    """So large a share of each seed's targets, spread evenly over the list."""
    count = targets.shape[1]
    few = max(1, int(share * count))
    return targets if few == count else targets[:, torch.arange(few) * count // few]


def _hops_in_parts(
    scores: Tensor, targets: Tensor, max_hops: int, graph: TrainingGraph, lap: Lap
) -> tuple[Tensor, Tensor]:
    """What ``validation_hops`` gives, with a look at the clock now and then on large graphs."""
    if scores.device.type != "cpu" or graph.num_nodes <= QUICK_NODES:
        return validation_hops(scores, targets, max_hops, graph)
    parts = []
    for start in range(0, len(targets), FEW_CHAINS):
        few = slice(start, start + FEW_CHAINS)
        parts.append(validation_hops(scores[few], targets[few], max_hops, graph))
        lap("walking")
    return torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])


def validation_hops(
    scores: Tensor, targets: Tensor, max_hops: int, links: Links
) -> tuple[Tensor, Tensor]:
    """Expected min(hops, max_hops) and truncation of every source, (batch, num_nodes) each.

    Args:
        scores: (batch, num_nodes).
        targets: node numbers, (batch,).
        max_hops: the hop at which an episode is truncated.
        links: the graph as tensors.
    """
    if scores.device.type == "cpu":
        expected, truncation = chain_of_scores(
            links.graph, scores.double().numpy(), "softmax", targets.numpy(), max_hops
        )
        return torch.as_tensor(expected), torch.as_tensor(truncation)
    parts = [
        hops_by_products(scores[block], targets[block], max_hops, links)
        for block in _blocks(len(targets), links.num_nodes)
    ]
    return torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])


def hops_by_products(
    scores: Tensor, targets: Tensor, max_hops: int, links: Links
) -> tuple[Tensor, Tensor]:
    """The same by products of tensors, as a GPU takes it; all targets at once.

    Args:
        scores: (batch, num_nodes).
        targets: node numbers, (batch,).
        max_hops: the hop at which an episode is truncated.
        links: the graph as tensors.
    """
    probabilities = log_policy(scores.double(), links).exp()
    probabilities = probabilities * (links.holders != targets[:, None])
    on_way = torch.ones_like(scores, dtype=torch.float64).scatter(1, targets[:, None], 0.0)
    expected = torch.zeros_like(on_way)
    dense = links.num_nodes <= DENSE_NODES
    if dense:
        n = links.num_nodes
        moves = torch.zeros(len(targets), n * n, dtype=torch.float64, device=scores.device)
        moves.index_copy_(1, links.holders * n + links.neighbours, probabilities)
        moves = moves.reshape(-1, n, n)
    for _ in range(max_hops):
        expected += on_way
        if dense:
            on_way = torch.bmm(moves, on_way.unsqueeze(-1)).squeeze(-1)
        else:
            moved = probabilities * on_way.index_select(1, links.neighbours)
            on_way = torch.zeros_like(on_way).index_add(1, links.holders, moved)
    return expected, on_way


def _blocks(count: int, num_nodes: int) -> list[slice]:
    size = max(1, DENSE_ENTRIES // min(num_nodes, DENSE_NODES) ** 2)
    return [slice(start, start + size) for start in range(0, count, size)]


@dataclass(frozen=True, eq=False)
class HandedOver:
    """A stack of policies and how each came about."""

    weights: dict[str, Tensor]  # stacked, as in the state
    seeds: list[SeedProgress]

    @classmethod
    def best_of(cls, state: TrainingState) -> HandedOver:
        """What validation called best, in the state itself: a choice made here is stored there."""
        return cls(state.best, state.seeds)

    def copied(self) -> HandedOver:
        """The same apart from the state, so that nothing is changed there."""
        weights = {name: tensor.clone() for name, tensor in self.weights.items()}
        return HandedOver(weights, [replace(progress) for progress in self.seeds])

    def take(self, seed: int, weights: Mapping[str, Tensor], progress: SeedProgress) -> None:
        """Put another policy in the place of a seed's.

        Args:
            seed: its place in the stack.
            weights: of that seed, as a stack of one.
            progress: how they came about.
        """
        for name, tensor in weights.items():
            slice_of(name, self.weights[name], seed).copy_(tensor)
        self.seeds[seed] = progress

    def take_earlier(self, earlier: Sequence[Stored | None]) -> None:
        """Take the policies that a training handed over when it was last stopped, where better.

        Args:
            earlier: One per seed, or none at all.
        """
        for seed, stored in enumerate(earlier):
            if stored is not None and stored[1].best_ratio < self.seeds[seed].best_ratio:
                self.take(seed, *stored)

    def weigh_last(self, state: TrainingState, measure: Measure) -> None:
        """Take a seed's last weights where they score better than its best.

        Args:
            state: the training as it stands.
            measure: gives validation ratios at some temperatures.
        """
        ratios = measure((1.0,))[0].mean(dim=1)
        for seed, progress in enumerate(self.seeds):
            if float(ratios[seed]) >= progress.best_ratio:
                continue
            last = SeedProgress(best_ratio=float(ratios[seed]), best_update=state.update)
            self.take(seed, weights_of(state.model.state_dict(), seed), last)

    def choose_temperature(self, state: TrainingState, measure: Measure) -> None:
        """Give each policy the temperature that validation asks for, where it can have one.

        Args:
            state: the training as it stands; its model is lent to the policies meanwhile.
            measure: gives validation ratios at some temperatures.
        """
        chosen = all(progress.tempered_ratio is not None for progress in self.seeds)
        if chosen or "temperature" not in self.weights:
            return
        plain = torch.ones_like(self.weights["temperature"])
        last = {name: tensor.clone() for name, tensor in state.model.state_dict().items()}
        state.model.load_state_dict({**self.weights, "temperature": plain})
        try:
            ratios = measure(HANDOVER_TEMPERATURES)
        finally:
            state.model.load_state_dict(last)
        for seed, progress in enumerate(self.seeds):
            if progress.tempered_ratio is not None:
                continue
            place = best_temperature(ratios[:, seed])
            progress.temperature = HANDOVER_TEMPERATURES[place]
            progress.tempered_ratio = float(ratios[place, seed].mean())
            self.weights["temperature"][seed] = progress.temperature

    def save(self, folders: Sequence[Path]) -> None:
        """Write each seed's policy, and how it came about, into its folder."""
        for seed, folder in enumerate(folders):
            record = {"progress": vars(self.seeds[seed])}
            write_tensors(folder / WEIGHTS_FILE, weights_of(self.weights, seed), record)


Stored = tuple[dict[str, Tensor], SeedProgress]
"""A seed's weights, as a stack of one, and how they came about."""


def handed_over_before(folders: Sequence[Path]) -> list[Stored | None]:
    """The policies that lie in run folders, one per seed; None where none or an older one lies.

    Args:
        folders: one per seed.
    """
    found: list[Stored | None] = []
    for folder in folders:
        path = folder / WEIGHTS_FILE
        weights, record = read_tensors(path) if path.exists() else ({}, {})
        found.append((weights, SeedProgress(**record["progress"])) if record else None)
    return found


def best_temperature(ratios: Tensor) -> int:
    """The place of the temperature to use, from ratios (num_temperatures, num_targets).

    The highest within a standard error of the best: validation targets are few, and a policy that
    is too sure of itself walks in circles where it is wrong. An error below half a percent, as
    where all of them were reached without a detour, is taken for half a percent.
    """
    means = ratios.mean(dim=1)
    best = int(means.argmin())
    error = float(ratios[best].std(correction=0)) / math.sqrt(ratios.shape[1])
    error = max(error, _LEAST_ERROR)
    return int((means <= means[best] + error).nonzero().max())
