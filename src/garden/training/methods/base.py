"""What every method does: targets and what they show, their scores, the loss of an update.

A batch row is one target (of one seed).

Target masking: a training target may hide links. It is then a new target, a node with the visible
links alone. Its distances and its chain are those of the graph without the hidden links, so that
each training target stands for very many, most of all for the hard ones with few neighbours. Its
row, distance code included, stays that of the whole ego graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from garden.models.base import Model, TargetContext
from garden.models.layers import KEEP_ALL, Dropout
from garden.training.training_graph import LARGE_NODES, TrainingGraph

NODES_AT_ONCE = 16_384  # ego graphs that a block embeds without gradients
_WIDEST_SPREAD = 600.0  # float64 still tells exp(−600), and a sum of such, from zero


@dataclass(frozen=True)
class UpdateLoss:
    """What one update minimises, and what is worth knowing about it, per seed."""

    loss: Tensor  # (num_seeds,)
    stats: dict[str, Tensor]  # (num_seeds,) each

    def with_auxiliary(self, auxiliary: tuple[str, Tensor] | None) -> UpdateLoss:
        """The same and the model's own loss, where it has one."""
        if auxiliary is None:
            return self
        name, loss = auxiliary
        return UpdateLoss(self.loss + loss, {**self.stats, name: loss.detach()})


@dataclass(frozen=True, eq=False)
class MaskedTargets:
    """Targets and their visible links, as a flat list."""

    targets: Tensor  # (S, T)
    owner: Tensor  # (num_links,) the target, as a row of the S · T
    members: Tensor  # (num_links,) the neighbour at the other end

    def unmasked(self, graph: TrainingGraph) -> Tensor:
        """Which targets show all of their links, (S, T) bool."""
        flat = self.targets.flatten()
        degrees = graph.first_hop[flat + 1] - graph.first_hop[flat]
        visible = torch.zeros_like(flat).index_add(0, self.owner, torch.ones_like(self.owner))
        return (visible == degrees).reshape(self.targets.shape)

    def table(self, num_nodes: int) -> Tensor:
        """From where each target is reached, (S·T, num_nodes) bool."""
        visible = torch.zeros(
            self.targets.numel(), num_nodes, dtype=torch.bool, device=self.owner.device
        )
        visible[self.owner, self.members] = True
        return visible


def with_all_links(targets: Tensor, graph: TrainingGraph) -> MaskedTargets:
    """The targets with all of their neighbours.

    Args:
        targets: node numbers, (S, T).
        graph: says who their neighbours are.
    """
    flat = targets.flatten()
    degrees = graph.first_hop[flat + 1] - graph.first_hop[flat]
    owner = torch.repeat_interleave(torch.arange(len(flat), device=flat.device), degrees)
    return MaskedTargets(targets, owner, graph.neighbours[graph.hops_of(flat)])


def mask_links(
    targets: Tensor, rate: float, graph: TrainingGraph, generator: torch.Generator
) -> MaskedTargets:
    """The targets, a share ``rate`` of which hides some of its links.

    The visible share is uniform for each, and at least one link stays visible.

    Args:
        targets: node numbers, (S, T).
        rate: the share of targets that hide links.
        graph: the graph as tensors.
        generator: the stream of random numbers.
    """
    everything = with_all_links(targets, graph)
    if rate == 0:
        return everything
    count, device = targets.numel(), targets.device
    share = torch.rand(count, generator=generator, device=device)
    partial = torch.rand(count, generator=generator, device=device) < rate
    draws = torch.rand(len(everything.owner), generator=generator, device=device)
    least = torch.full((count,), torch.inf, device=device).scatter_reduce(
        0, everything.owner, draws, "amin"
    )
    owner = everything.owner
    kept = (draws < share[owner]) | (draws == least[owner]) | ~partial[owner]
    return MaskedTargets(targets, owner[kept], everything.members[kept])


def embedded_rows(
    model: Model,
    graph: TrainingGraph,
    dropout: Dropout = KEEP_ALL,
    needed: Tensor | None = None,
) -> Tensor:
    """The rows of all nodes, (S, num_nodes, row_width).

    On graphs beyond :data:`~garden.training.training_graph.LARGE_NODES`, a model that reads
    neighbours embeds the nodes that are needed alone, and other rows are 0; without gradients it
    embeds all of them block by block. Memory then goes by what is embedded at once.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        dropout: what training drops at random.
        needed: the nodes whose rows are read; all by default.
    """
    if not model.reads_neighbours or graph.num_nodes <= LARGE_NODES:
        return model.embed(graph.egos, dropout)
    if needed is None:
        everything = torch.arange(graph.num_nodes, device=graph.device)
        blocks = torch.split(everything, NODES_AT_ONCE)
    else:
        blocks = (needed,)
    shape = (model.num_seeds, graph.num_nodes, model.row_width)
    rows = torch.zeros(shape, device=graph.device)
    for nodes in blocks:
        rows.index_copy_(1, nodes, model.embed(graph.members_around(nodes), dropout))
    return rows


def scores_towards(
    model: Model,
    graph: TrainingGraph,
    rows: Tensor,
    masked: MaskedTargets,
    dropout: Dropout = KEEP_ALL,
    candidates: Tensor | None = None,
    embedding_dropout: float = 0.0,
) -> Tensor:
    """Scores of all nodes, or of some candidates, for each seed's targets, (S, T, nodes).

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        rows: of all nodes, (S, num_nodes, width).
        masked: the targets with their visible links.
        dropout: what training drops at random.
        candidates: node numbers; all nodes by default.
        embedding_dropout: the share of targets that lose their own embedding.
    """
    context = target_context_of(model, graph, rows, masked, candidates)
    target_rows = model.target_rows(rows, masked.targets, dropout, embedding_dropout)
    if candidates is not None:
        rows = rows.index_select(1, candidates)
    return model.score_table(rows, target_rows, dropout, context)


def target_context_of(
    model: Model,
    graph: TrainingGraph,
    rows: Tensor,
    masked: MaskedTargets,
    candidates: Tensor | None = None,
) -> TargetContext | None:
    """What the model reads of these targets, from the rows of all nodes, for some candidates.

    Args:
        model: a stack of models, one per seed.
        graph: the graph as tensors.
        rows: of all nodes, (S, num_nodes, width).
        masked: the targets with their visible links.
        candidates: node numbers; all nodes by default.
    """
    if not model.reads_neighbours:
        return None
    seeds, count = masked.targets.shape
    nodes, column = torch.unique(masked.members, return_inverse=True)
    visible = torch.zeros(seeds * count, len(nodes), device=rows.device)
    visible[masked.owner, column] = 1
    indicators = match_indicator_table(graph, masked)
    if candidates is not None:
        indicators = indicators.index_select(1, candidates)
    return TargetContext(
        neighbours=model.neighbour_values(rows.index_select(1, nodes)),
        visible=visible.reshape(seeds, count, len(nodes)),
        indicators=indicators.reshape(seeds, count, *indicators.shape[1:]),
    )


def match_indicator_table(graph: TrainingGraph, masked: MaskedTargets) -> Tensor:
    """Match indicators of every node and each target, (S·T, num_nodes, 4) float32.

    Whether the node can be the target, can be its neighbour, looks like a neighbour and is none,
    and how many members of its ego graph look like neighbours of the target.

    Args:
        graph: the graph as tensors; the keys of its profiles are compared.
        masked: the targets, of whose links only visible ones count.
    """
    classes, flat = graph.profile_classes, masked.targets.flatten()
    wanted = torch.zeros(len(flat), int(classes.max()) + 1, device=classes.device)
    wanted[masked.owner, classes[masked.members]] = 1
    beside = wanted.index_select(1, classes)
    own = classes == classes[flat].unsqueeze(1)
    key_sums = torch.zeros_like(flat).index_add(0, masked.owner, graph.keys[masked.members])
    itself = torch.zeros_like(own).scatter(1, flat.unsqueeze(1), True)
    same = (own & (graph.key_sums == key_sums.unsqueeze(1))) | itself
    linked = beside * (graph.sum_neighbours(own) > 0)
    common = beside + graph.sum_neighbours(beside).float()
    return torch.stack([same.float(), linked, beside - linked, common], dim=-1)


def masked_distances(graph: TrainingGraph, masked: MaskedTargets) -> Tensor:
    """Hops from every node to each target over visible links, (S·T, num_nodes) float32.

    Where hidden links cut a node off, the distance is infinite.

    Args:
        graph: the graph as tensors.
        masked: the targets, which are reached over their visible links alone.
    """
    flat = masked.targets.flatten()
    distances = torch.full((len(flat), graph.num_nodes), torch.inf, device=flat.device)
    distances.scatter_(1, flat.unsqueeze(1), 0.0)
    front = masked.table(graph.num_nodes)
    hops = 0
    while bool(front.any()):
        hops += 1
        distances = distances.masked_fill(front, hops)
        front = (graph.sum_neighbours(front) > 0) & distances.isinf()
    return distances


def distances_towards(graph: TrainingGraph, masked: MaskedTargets) -> Tensor:
    """The same for targets that hide nothing: read off a table, or searched for.

    Args:
        graph: the graph as tensors; its table is read where it has one.
        masked: the targets, none of which may hide a link.

    Returns:
        (S·T, num_nodes) float32.
    """
    if graph.distance_table is not None or graph.device.type == "cpu":
        return graph.distances_to(masked.targets.flatten())
    return masked_distances(graph, masked)


def is_wide(scores: Tensor) -> bool:
    """Whether some row's scores lie too far apart to be exponentiated around its highest.

    They are then shifted holder by holder, which costs a gather per hop.
    """
    detached = scores.detach()
    return bool((detached.amax(dim=1) - detached.amin(dim=1) > _WIDEST_SPREAD).any())


def energies_of(scores: Tensor, highest: Tensor) -> Tensor:
    """exp(score − highest) in float64, above zero.

    Args:
        scores: such that :func:`is_wide` is false, (batch, num_nodes).
        highest: the largest of each row, (batch, 1).
    """
    return (scores.double() - highest).exp()


def mean_per_seed(values: Tensor, num_seeds: int) -> Tensor:
    """The mean of each seed's values, (S,).

    Args:
        values: those of the first seed, then those of the second, …, in any shape.
        num_seeds: S; each seed has as many values.
    """
    return values.reshape(num_seeds, -1).mean(dim=1)


def clip_each_seed(model: Model, largest: float) -> None:
    """Scale down the gradient of each seed where it is too large.

    Args:
        model: a stack whose gradients are there; they are changed.
        largest: the norm, over all of a seed's parameters, that none exceeds afterwards.
    """
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    squares = torch.stack([g.square().flatten(1).sum(dim=1) for g in gradients]).sum(dim=0)
    factors = (largest / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factors.reshape(-1, *[1] * (gradient.dim() - 1)))
