"""How often a model's export chooses another neighbour than torch does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.experiments.peers.report import PeerReport
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.policy import Policy
from garden.strategies.base import scores_at_holder
from garden.strategies.exported import Exported
from garden.strategies.selection import choice_weights, choose, hop_uniform


@dataclass(frozen=True)
class ChoiceGap(PeerReport):
    """Choices of torch and of its export, with the same random number for both."""

    graph: str
    model: str
    hops: int
    differing: int
    largest_score_difference: float
    """Of one candidate's score, over all hops."""

    gaps: tuple[float, ...]
    """Of each hop that differs: torch's score of its own choice less that of the export's."""

    differing_share: float
    """The share of all random numbers by which the choices differ, mean over hops."""


def compare_choices(
    graph: Graph, policy: Policy, exported: Exported, hops: int = 20_000, seed: int = 0
) -> ChoiceGap:
    """Choose at random holders and for random targets, with torch and with its export.

    Args:
        graph: The graph.
        policy: What torch runs; its rows are made of the whole batch.
        exported: Its export; each row is made of one ego graph alone.
        hops: How many choices.
        seed: What is random.
    """
    egos = ego_graphs(graph)
    of_torch, of_export = policy.represent(egos), exported.represent(egos)
    rng = np.random.default_rng(seed)
    gaps, largest, share = [], 0.0, 0.0
    neighbours = [graph.neighbours(node) for node in range(graph.num_nodes)]
    around = [(of_torch.take(one), of_export.take(one)) for one in neighbours]
    for number in range(hops):
        holder, target = rng.choice(graph.num_nodes, 2, replace=False)
        goal = np.array([target])
        ours = scores_at_holder(policy, around[holder][0], of_torch.take(goal))
        theirs = scores_at_holder(exported, around[holder][1], of_export.take(goal))
        largest = max(largest, float(np.abs(ours - theirs).max()))
        weights = choice_weights(ours, policy.selection), choice_weights(theirs, policy.selection)
        share += differing_share(*weights)
        one, other = (choose(each, hop_uniform(number, 0, 0)) for each in weights)
        if one != other:
            gaps.append(float(ours[one] - ours[other]))
    counts = hops, len(gaps), largest
    return ChoiceGap(graph.name, policy.name, *counts, tuple(gaps), share / hops)


def differing_share(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The share of random numbers in [0, 1) by which two weightings choose differently.

    Args:
        ours: Unnormalised probabilities of the candidates.
        theirs: Those of the other weighting, of the same candidates.
    """
    ends = [np.concatenate([[0.0], np.cumsum(one) / one.sum()]) for one in (ours, theirs)]
    alike = np.minimum(ends[0][1:], ends[1][1:]) - np.maximum(ends[0][:-1], ends[1][:-1])
    return max(0.0, 1.0 - float(alike.clip(min=0).sum()))
