"""A graph and its splits as tensors: everything that training reads and never writes.

Also what the graph decides of a training: the limit of hops, the size of the model, and whether its
tables fit into memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from garden.datasets.task import SearchTask
from garden.errors import SpecError, TaskError
from garden.graphs.distances import distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.graphs.identity import profile_keys
from garden.models.base import EgoTensors, ego_tensors, profile_tensor
from garden.models.registry import ModelConfig
from garden.process_settings import require_memory
from garden.random_streams import VALIDATION_TARGETS
from garden.search.config import PAPERS_LIMIT, limit_towards
from garden.training.methods.config import GuidedConfig, TrainingConfig

MAX_TABLE_NODES = 6000  # up to here all distances are held; beyond, rows are made when asked for
MAX_VALIDATION_TARGETS = 100
MAX_LONG_STEPS = 1e9  # edges × targets × hops of a validation where the limit is a long one
_FEWEST_LONG_TARGETS = 4
LARGE_NODES = 25_000  # beyond, validation makes do with fewer targets, each of many more sources
_LARGE_ENTRIES = 1_000_000  # targets × sources of a validation there
_FEWEST_TARGETS = 10
_BYTES_PER_ENTRY = 80  # of a target and a node: distances, their products, match indicators
MAX_KNOWN_PROFILES = 6000  # a policy for newcomers compares profiles with all of these


@dataclass(frozen=True, eq=False)
class Links:
    """The hops of one graph as tensors: all that chains and imitation read of it."""

    graph: Graph
    holders: Tensor  # (num_hops,) every directed edge: who holds the message
    neighbours: Tensor  # (num_hops,) and who gets it
    first_hop: Tensor  # (num_nodes + 1,) where a holder's edges start

    @property
    def num_nodes(self) -> int:
        """How many nodes the graph has."""
        return self.graph.num_nodes

    @property
    def device(self) -> torch.device:
        """The device that all tensors of the graph are on."""
        return self.holders.device

    def sum_neighbours(self, table: Tensor) -> Tensor:
        """The sum over each node's neighbours, (batch, num_nodes) → the same, float64."""
        return _NeighbourSum.apply(table, self._adjacency)  # type: ignore[no-untyped-call]

    @cached_property
    def _adjacency(self) -> Tensor:
        ones = torch.ones(len(self.neighbours), dtype=torch.float64, device=self.device)
        size = (self.num_nodes, self.num_nodes)
        with warnings.catch_warnings():  # torch calls its CSR layout a beta, once per process
            warnings.simplefilter("ignore", UserWarning)
            return torch.sparse_csr_tensor(self.first_hop, self.neighbours, ones, size)


@dataclass(frozen=True, eq=False)
class TrainingGraph(Links):
    """One graph, one split per seed. Training is centralised, so it may see the whole graph."""

    train_targets: Tensor  # (num_seeds, num_train)
    validation_targets: Tensor  # (num_seeds, num_validation)
    distance_table: Tensor | None  # (num_nodes, num_nodes) int32
    pair_counts: Tensor | None = None  # (num_seeds, num_validation, num_nodes): serialized pairs

    @property
    def num_seeds(self) -> int:
        """How many splits there are."""
        return len(self.train_targets)

    @cached_property
    def egos(self) -> EgoTensors:
        """The ego graphs of all nodes."""
        return ego_tensors(ego_graphs(self.graph), self.device)

    def members_around(self, nodes: Tensor) -> EgoTensors:
        """The ego graphs of these nodes without the links of their members.

        That is enough for models that read neighbours, and their memory goes by the neighbours of
        these nodes, whatever the size of the graph.

        Args:
            nodes: node numbers, (num_egos,), all different.
        """
        degrees = self.first_hop[nodes + 1] - self.first_hop[nodes]
        place = torch.arange(len(nodes), device=self.device)
        owner = torch.cat([place, torch.repeat_interleave(place, degrees)])
        around = torch.cat([nodes, self.neighbours[self.hops_of(nodes)]])
        used, members = torch.unique(around, return_inverse=True)
        is_centre = torch.arange(len(around), device=self.device) < len(nodes)
        none = members.new_zeros(0)
        return EgoTensors(
            profiles=profile_tensor(self.graph.attributes[used.cpu().numpy()]).to(self.device),
            members=members,
            is_centre=is_centre.float().unsqueeze(1),
            owner=owner,
            heads=none,
            tails=none,
            sizes=(degrees + 1).float().unsqueeze(1),
            log_degrees=degrees.float().log1p().unsqueeze(1),
            centres=members[: len(nodes)],
        )

    def distances_to(self, targets: Tensor) -> Tensor:
        """Hops from every node to each target, (num_targets, num_nodes) float32."""
        if self.distance_table is not None:
            return self.distance_table.index_select(0, targets).float()
        rows = distances(self.graph, targets.cpu().numpy())
        return torch.as_tensor(rows, dtype=torch.float32, device=self.device)

    def hops_of(self, nodes: Tensor) -> Tensor:
        """The hops from these nodes, node by node."""
        first = self.first_hop[nodes]
        degrees = self.first_hop[nodes + 1] - first
        before = degrees.cumsum(0) - degrees
        shift = torch.repeat_interleave(first - before, degrees)
        return torch.arange(len(shift), device=self.device) + shift

    @cached_property
    def profile_classes(self) -> Tensor:
        """A number per node, (num_nodes,): the same where profiles are."""
        _, classes = np.unique(self._keys, return_inverse=True)
        return torch.as_tensor(classes.ravel(), device=self.device)

    @cached_property
    def keys(self) -> Tensor:
        """The key of each node's profile, (num_nodes,) int64."""
        return torch.as_tensor(self._keys.view(np.int64), device=self.device)

    @cached_property
    def key_sums(self) -> Tensor:
        """The sum of each node's neighbours' keys, (num_nodes,) int64, modulo 2^64."""
        received = self.keys.index_select(0, self.neighbours)
        return torch.zeros_like(self.keys).index_add(0, self.holders, received)

    @cached_property
    def _keys(self) -> np.ndarray:
        return profile_keys(self.graph.attributes)

    def draw_targets(self, count: int, generator: torch.Generator) -> Tensor:
        """Different training targets for each seed, (num_seeds, ≤ count).

        Args:
            count: how many per seed; all that a seed has where those are fewer.
            generator: the stream of random numbers.
        """
        draws = torch.rand(self.train_targets.shape, generator=generator, device=self.device)
        chosen = draws.argsort(dim=1)[:, :count]
        return self.train_targets.gather(1, chosen)


class _NeighbourSum(torch.autograd.Function):
    """Adjacency times a table. The graph is symmetric, so the gradient is the same product."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, adjacency: Tensor) -> Tensor:
        ctx.adjacency, ctx.dtype = adjacency, table.dtype
        return (adjacency @ table.double().t()).t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (gradient,) = gradients
        return (ctx.adjacency @ gradient.double().t()).t().to(ctx.dtype), None


def make_links(graph: Graph, device: torch.device | str = "cpu") -> Links:
    """The hops of a graph as tensors.

    Args:
        graph: the graph, whose edges are hops in both directions.
        device: where the tensors lie.
    """
    return Links(
        graph=graph,
        holders=_whole_numbers(np.repeat(np.arange(graph.num_nodes), graph.degrees), device),
        neighbours=_whole_numbers(graph.indices, device),
        first_hop=_whole_numbers(graph.indptr, device),
    )


def make_training_graph(
    tasks: Sequence[SearchTask], device: torch.device | str = "cpu", serialized: bool = False
) -> TrainingGraph:
    """The training graph of several splits of one graph.

    Args:
        tasks: One per seed.
        device: Where the tensors live.
        serialized: Whether validation goes by the splits' own pairs alone.
    """
    graph = tasks[0].graph
    if any(task.graph.content_hash != graph.content_hash for task in tasks):
        raise TaskError("several seeds train as one batch only on one graph")

    def per_task(made: Callable[[SearchTask], np.ndarray]) -> Tensor:
        return _whole_numbers(np.stack([made(task) for task in tasks]), device)

    table = None
    if graph.num_nodes <= MAX_TABLE_NODES:
        table = torch.as_tensor(distances(graph), device=device)
    return TrainingGraph(
        **vars(make_links(graph, device)),
        train_targets=per_task(lambda task: task.train_targets),
        validation_targets=per_task(validation_targets_of),
        distance_table=table,
        pair_counts=per_task(_pair_counts) if serialized else None,
    )


def _whole_numbers(array: np.ndarray, device: torch.device | str) -> Tensor:
    return torch.as_tensor(np.array(array), dtype=torch.int64, device=device)


def _pair_counts(task: SearchTask) -> np.ndarray:
    """How often each source stands with each validation target, (num_targets, num_nodes)."""
    targets = validation_targets_of(task)
    pairs = task.validation_pairs[np.isin(task.validation_pairs[:, 1], targets)]
    counts = np.zeros((len(targets), task.graph.num_nodes), dtype=np.int64)
    order = np.argsort(targets)
    rows = order[np.searchsorted(targets[order], pairs[:, 1])]
    np.add.at(counts, (rows, pairs[:, 0]), 1)
    return counts


def validation_targets_of(task: SearchTask) -> np.ndarray:
    """The targets that a training is validated on: a fixed sample where there are many."""
    targets, most = task.validation_targets, _max_targets_in_time(task.graph)
    if len(targets) <= most:
        return targets
    draws = np.random.default_rng([task.seed, VALIDATION_TARGETS])
    return np.sort(draws.choice(targets, most, replace=False))


def max_validation_targets(num_nodes: int) -> int:
    """How many targets validation goes by, at most."""
    if num_nodes <= LARGE_NODES:
        return MAX_VALIDATION_TARGETS
    return max(_FEWEST_TARGETS, _LARGE_ENTRIES // num_nodes)


def _max_targets_in_time(graph: Graph) -> int:
    """The same, and fewer where a message may take thousands of hops.

    The limit is guessed from one node, so that every seed of a stack has as many targets.
    """
    most = max_validation_targets(graph.num_nodes)
    limit = limit_towards("auto", graph, np.array([0]))
    if limit <= PAPERS_LIMIT:
        return most
    affordable = int(MAX_LONG_STEPS / (len(graph.indices) * limit))
    return min(most, max(_FEWEST_LONG_TARGETS, affordable))


def with_limit(config: TrainingConfig, tasks: Sequence[SearchTask]) -> TrainingConfig:
    """The options with a number of hops in place of `auto`.

    It goes by the distances of all sources to the validation targets used, those of all seeds
    where several are trained as one stack.

    Args:
        config: whose ``max_hops`` may be ``auto``; a number stays as it is.
        tasks: one per seed, of the same graph.
    """
    targets = np.unique(np.concatenate([validation_targets_of(task) for task in tasks]))
    return replace(config, max_hops=limit_towards(config.max_hops, tasks[0].graph, targets))


def require_memory_for(config: TrainingConfig, num_nodes: int, num_seeds: int) -> None:
    """Refuse a training whose tables of targets and nodes would not fit into memory.

    Args:
        config: whose targets per update are counted.
        num_nodes: of the training graph.
        num_seeds: how many seeds train at once.
    """
    num_targets = num_seeds * config.targets_per_update
    require_memory(
        _BYTES_PER_ENTRY * num_targets * num_nodes,
        f"an update of {num_targets} targets on {num_nodes} nodes",
        f"lower `targets_per_update` (now {config.targets_per_update})",
    )


def sized_for(graph: Graph, config: TrainingConfig, size: ModelConfig) -> ModelConfig:
    """The model's size, with as many known profiles as the graph where it trains for newcomers.

    Args:
        graph: the training graph.
        config: whose share of hidden nodes decides.
        size: the size as it was asked for.
    """
    if not (isinstance(config, GuidedConfig) and config.hidden_node_rate > 0):
        return size
    if graph.num_nodes > MAX_KNOWN_PROFILES:
        raise SpecError(
            f"hidden_node_rate: {graph.name} has {graph.num_nodes} nodes, and a policy keeps the "
            f"profiles of at most {MAX_KNOWN_PROFILES}: leave it at 0"
        )
    return replace(size, known_profiles=graph.num_nodes)
