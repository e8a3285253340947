"""A graph and its splits as tensors: everything that training reads and never writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from garden.datasets.task import SearchTask
from garden.errors import TaskError
from garden.graphs.graph import Graph
from garden.graphs.paths import distances
from garden.graphs.views import ego_graphs
from garden.models.inputs import EgoTensors, ego_tensors
from garden.strategies.base import Representations, target_blocks
from garden.strategies.matching import matched_table
from garden.strategies.profiles import key_representations

MAX_TABLE_NODES = 6000  # up to here all distances are held; beyond, rows are made when asked for
MAX_VALIDATION_TARGETS = 100


@dataclass(frozen=True, eq=False)
class Problem:
    """One graph, one split per seed. Training is centralised, so it may see the whole graph."""

    graph: Graph
    egos: EgoTensors
    holders: Tensor  # (num_hops,) every directed edge: who holds the message
    neighbours: Tensor  # (num_hops,) and who gets it
    first_hop: Tensor  # (num_nodes + 1,) where a holder's edges start
    train_targets: Tensor  # (num_seeds, num_train)
    validation_targets: Tensor  # (num_seeds, num_validation)
    distance_table: Tensor | None  # (num_nodes, num_nodes) int32

    @property
    def num_seeds(self) -> int:
        """How many splits there are."""
        return len(self.train_targets)

    @property
    def num_nodes(self) -> int:
        """How many nodes the graph has."""
        return self.graph.num_nodes

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.holders.device

    def distances_to(self, targets: Tensor) -> Tensor:
        """Hops from every node to each target, (num_targets, num_nodes) float32."""
        if self.distance_table is not None:
            return self.distance_table.index_select(0, targets).float()
        rows = distances(self.graph, targets.cpu().numpy())
        return torch.as_tensor(rows, dtype=torch.float32, device=self.device)

    def matches(self, targets: Tensor) -> Tensor:
        """What every ego graph has in common with each target's, (S, T, num_nodes, 4) float32."""
        flat = targets.flatten()
        if self._match_table is not None:
            found = self._match_table.index_select(0, flat).float()
        else:
            found = self._matches_of(flat.cpu().numpy()).to(self.device)
        return found.reshape(*targets.shape, self.num_nodes, 4)

    @cached_property
    def _keys(self) -> Representations:
        return key_representations(ego_graphs(self.graph))

    @cached_property
    def _match_table(self) -> Tensor | None:
        """All of them at once on a small graph, (num_nodes, num_nodes, 4) float16."""
        if self.num_nodes > MAX_TABLE_NODES:
            return None
        blocks = target_blocks(self.num_nodes, self.num_nodes, 1 << 22)
        parts = [self._matches_of(np.arange(block.start, block.stop)).half() for block in blocks]
        return torch.cat(parts).to(self.device)

    def _matches_of(self, targets: np.ndarray) -> Tensor:
        found = matched_table(self._keys, self._keys.take(targets))
        return torch.as_tensor(np.stack(found, axis=-1), dtype=torch.float32)

    def draw_targets(self, count: int, generator: torch.Generator) -> Tensor:
        """Different training targets for each seed, (num_seeds, ≤ count)."""
        draws = torch.rand(self.train_targets.shape, generator=generator, device=self.device)
        chosen = draws.argsort(dim=1)[:, :count]
        return self.train_targets.gather(1, chosen)


def make_problem(tasks: Sequence[SearchTask], device: torch.device | str = "cpu") -> Problem:
    """The problem of several splits of one graph."""
    graph = tasks[0].graph
    if any(task.graph.content_hash != graph.content_hash for task in tasks):
        raise TaskError("several seeds train as one batch only on one graph")

    def tensor(array: np.ndarray) -> Tensor:
        return torch.as_tensor(np.array(array), dtype=torch.int64, device=device)

    table = None
    if graph.num_nodes <= MAX_TABLE_NODES:
        table = torch.as_tensor(distances(graph), device=device)
    return Problem(
        graph=graph,
        egos=ego_tensors(ego_graphs(graph), device),
        holders=tensor(np.repeat(np.arange(graph.num_nodes), graph.degrees)),
        neighbours=tensor(graph.indices),
        first_hop=tensor(graph.indptr),
        train_targets=tensor(np.stack([task.train_targets for task in tasks])),
        validation_targets=tensor(np.stack([_validation_targets(task) for task in tasks])),
        distance_table=table,
    )


def _validation_targets(task: SearchTask) -> np.ndarray:
    targets = task.validation_targets
    if len(targets) <= MAX_VALIDATION_TARGETS:
        return targets
    draws = np.random.default_rng([task.seed, 6])
    return np.sort(draws.choice(targets, MAX_VALIDATION_TARGETS, replace=False))
