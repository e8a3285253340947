"""What training targets show of themselves: all of their neighbours, or a random part.

A target that shows only some neighbours is a new target: a node with those links alone. Its
distances and its chain are those of the graph without the links that it hides, so that every
training target stands for very many, most of all for the hard ones with few neighbours. Its code,
where a model learns ranges, stays that of the whole ego graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from garden.models.base import Model, Surroundings
from garden.training.training_graph import Problem


@dataclass(frozen=True, eq=False)
class Shown:
    """Targets and the links that they show, as a flat list of places among all S·T and of nodes."""

    targets: Tensor  # (S, T)
    owner: Tensor  # (num_links,) which target, in order
    members: Tensor  # (num_links,) a neighbour of its

    def whole(self, problem: Problem) -> Tensor:
        """Which targets show all of their links, (S, T) bool."""
        flat = self.targets.flatten()
        degrees = problem.first_hop[flat + 1] - problem.first_hop[flat]
        shown = torch.zeros_like(flat).index_add(0, self.owner, torch.ones_like(self.owner))
        return (shown == degrees).reshape(self.targets.shape)

    def table(self, num_nodes: int) -> Tensor:
        """From where each target is reached, (S·T, num_nodes) bool."""
        shown = torch.zeros(
            self.targets.numel(), num_nodes, dtype=torch.bool, device=self.owner.device
        )
        shown[self.owner, self.members] = True
        return shown


def neighbours_of(targets: Tensor, problem: Problem) -> Shown:
    """The targets with all of their neighbours."""
    flat = targets.flatten()
    degrees = problem.first_hop[flat + 1] - problem.first_hop[flat]
    owner = torch.repeat_interleave(torch.arange(len(flat), device=flat.device), degrees)
    return Shown(targets, owner, problem.neighbours[problem.hops_of(flat)])


def some_neighbours_of(
    targets: Tensor, part_rate: float, problem: Problem, generator: torch.Generator
) -> Shown:
    """The targets, of which some show a part of their neighbours.

    The part is drawn anew for each, from next to nothing to everything, and holds at least one.
    """
    everything = neighbours_of(targets, problem)
    if part_rate == 0:
        return everything
    count, device = targets.numel(), targets.device
    share = torch.rand(count, generator=generator, device=device)
    partial = torch.rand(count, generator=generator, device=device) < part_rate
    draws = torch.rand(len(everything.owner), generator=generator, device=device)
    least = torch.full((count,), torch.inf, device=device).scatter_reduce(
        0, everything.owner, draws, "amin"
    )
    owner = everything.owner
    kept = (draws < share[owner]) | (draws == least[owner]) | ~partial[owner]
    return Shown(targets, owner[kept], everything.members[kept])


def surroundings_of(
    model: Model, problem: Problem, rows: Tensor, shown: Shown, candidates: Tensor | None = None
) -> Surroundings | None:
    """What the model reads of these targets, from the rows of all nodes, for some candidates."""
    if not model.uses_surroundings:
        return None
    seeds, count = shown.targets.shape
    nodes, column = torch.unique(shown.members, return_inverse=True)
    table = torch.zeros(seeds * count, len(nodes), device=rows.device)
    table[shown.owner, column] = 1
    facts = shown_facts(problem, shown)
    if candidates is not None:
        facts = facts.index_select(1, candidates)
    return Surroundings(
        places=model.places_in(rows.index_select(1, nodes)),
        shown=table.reshape(seeds, count, len(nodes)),
        facts=facts.reshape(seeds, count, *facts.shape[1:]),
    )


def shown_facts(problem: Problem, shown: Shown) -> Tensor:
    """What every node and each target have in common, (S·T, num_nodes, 4) float32.

    Whether the node can be the target, can be its neighbour, looks like a neighbour and is none,
    and how many members of its ego graph look like neighbours of the target.
    """
    classes, flat = problem.profile_classes, shown.targets.flatten()
    wanted = torch.zeros(len(flat), int(classes.max()) + 1, device=classes.device)
    wanted[shown.owner, classes[shown.members]] = 1
    beside = wanted.index_select(1, classes)
    own = classes == classes[flat].unsqueeze(1)
    told = torch.zeros_like(flat).index_add(0, shown.owner, problem.keys[shown.members])
    itself = torch.zeros_like(own).scatter(1, flat.unsqueeze(1), True)
    same = (own & (problem.key_sums == told.unsqueeze(1))) | itself
    linked = beside * (problem.sum_neighbours(own) > 0)
    common = beside + problem.sum_neighbours(beside).float()
    return torch.stack([same.float(), linked, beside - linked, common], dim=-1)


def shown_distances(problem: Problem, shown: Shown) -> Tensor:
    """Hops from every node to each target over shown links, (S·T, num_nodes) float32.

    Where hidden links cut a node off, the distance is infinite.
    """
    flat = shown.targets.flatten()
    distances = torch.full((len(flat), problem.num_nodes), torch.inf, device=flat.device)
    distances.scatter_(1, flat.unsqueeze(1), 0.0)
    front = shown.table(problem.num_nodes)
    hops = 0
    while bool(front.any()):
        hops += 1
        distances = distances.masked_fill(front, hops)
        front = (problem.sum_neighbours(front) > 0) & distances.isinf()
    return distances


def distances_towards(problem: Problem, shown: Shown) -> Tensor:
    """The same for targets that show all neighbours: read off a table, or searched for."""
    if problem.distance_table is not None or problem.device.type == "cpu":
        return problem.distances_to(shown.targets.flatten())
    return shown_distances(problem, shown)
