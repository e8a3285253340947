"""Views of the training graph in which some nodes pass for newcomers.

A newcomer's links are seen, its profile was never trained on. Where a graph loses nodes before
training, those that hung on them alone are lost as well: here too, whatever the hidden nodes cut
off from the rest is hidden with them, so that training meets whole pockets of newcomers, out of
which a message must find its way.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from garden.models.base import EgoTensors
from garden.training.training_graph import Links, TrainingGraph

_ORDINARY = 0.5  # share of updates that see the graph as it is
_HIDDEN_TARGETS = 0.3  # share of the targets that are hidden in the others


def with_hidden_nodes(
    graph: TrainingGraph, targets: Tensor, most: float, generator: torch.Generator
) -> EgoTensors:
    """The ego graphs of an update: in about every other one, some nodes pass for newcomers.

    A fixed share of the update's targets is among them.

    Args:
        graph: the graph as tensors.
        targets: of the update, (S, T).
        most: the largest share of nodes that are hidden; their share is uniform below it. 0 hides
            none, and draws nothing.
        generator: the stream of random numbers.
    """
    if most == 0:
        return graph.egos
    device = graph.device
    ordinary, share = torch.rand(2, generator=generator, device=device).tolist()
    if ordinary < _ORDINARY:
        return graph.egos
    draws = torch.rand(graph.num_nodes, generator=generator, device=device)
    least = torch.full_like(draws, most * share)
    least[targets.flatten()] = max(_HIDDEN_TARGETS, most * share)
    shown = still_connected(graph, draws >= least)
    return replace(graph.egos, hidden=~has_known_profile(graph, shown))


def still_connected(links: Links, shown: Tensor) -> Tensor:
    """Which of the shown nodes, (num_nodes,) bool, the best linked of them reaches without others.

    Args:
        links: the graph as tensors.
        shown: which nodes are not hidden, (num_nodes,) bool.
    """
    degrees = links.first_hop.diff() * shown
    reached = torch.zeros_like(shown)
    reached[degrees.argmax()] = True
    while True:
        beside = links.sum_neighbours(reached.unsqueeze(0))[0] > 0
        wider = reached | (beside & shown)
        if bool((wider == reached).all()):
            return reached
        reached = wider


def has_known_profile(graph: TrainingGraph, shown: Tensor) -> Tensor:
    """Which nodes share their profile with a shown node, (num_nodes,) bool.

    Args:
        graph: whose profiles are compared.
        shown: which nodes are not hidden, (num_nodes,) bool.
    """
    classes = graph.profile_classes
    count = torch.zeros(graph.num_nodes, dtype=torch.int64, device=shown.device)
    count = count.index_add(0, classes, shown.long())
    return count.index_select(0, classes) > 0
