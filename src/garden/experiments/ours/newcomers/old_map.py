"""What newcomers cost whoever knows the old graph by heart, and each by its ego graph alone.

A newcomer is told apart by its old neighbours. Where all of them have profiles that several old
nodes share, it may hang on others as well, and no agent can know; where one has a profile of its
own, nothing but learning stands between a policy and the newcomer. The rule here knows every
distance between old nodes and has no memory. What it needs is within reach of a policy that learned
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.newcomers.worlds import Joined, world_of
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.graphs.identity import profile_keys
from garden.search.chain import chain_of_scores
from garden.search.config import PAPERS_LIMIT

PER_HOP = 20.0
UNKNOWN = 20.0
"""Hops to the target from a node without old neighbours."""


@final
@dataclass(frozen=True)
class OldMapTrial(Work):
    """The rule that knows the old graph, on one draw of newcomers."""

    kind: ClassVar[str] = "newcomers-old-map"

    graph: str
    seed: int

    @property
    def title(self) -> str:
        """The graph and the draw."""
        return f"{self.graph}, seed {self.seed}: the old graph by heart"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Count the newcomers that nothing tells apart, and play the rule exactly.

        Args:
            cache: Not needed.
        """
        world = world_of(graph_of(self.graph), self.seed, "a tenth")
        return outcomes_by_heart(world.training, world.test)


def outcomes_by_heart(old: Graph, joined: Joined) -> dict[str, Any]:
    """Ratios of the rule towards newcomers, and how many have no sure old neighbour.

    Args:
        old: The graph before they joined.
        joined: The graph with newcomers.

    Returns:
        ``targets``; ``unsure``, how many of them have no old neighbour with a profile that one old
        node has alone; and by target the mean ratio over all sources, ``old`` ones and ``other``.
    """
    graph, targets = joined.graph, np.sort(joined.attached)
    is_old = np.array([name in old for name in graph.node_names])
    reach = distances(graph, targets).astype(float)
    around = [shown_nodes(old, graph, int(target)) for target in targets]
    scores = np.stack(
        [
            -PER_HOP * hops_by_heart(old, graph, int(target), nodes)
            for target, (nodes, _) in zip(targets, around, strict=True)
        ]
    )
    expected, _ = chain_of_scores(graph, scores, "softmax", targets, PAPERS_LIMIT)
    ratios = np.divide(expected, reach, out=np.ones_like(reach), where=reach > 0)

    def means(chosen: np.ndarray) -> list[float]:
        kept = (reach > 0) & chosen
        sums = np.where(kept, ratios, 0).sum(axis=1)
        return [round(float(x), 4) for x in sums / np.maximum(kept.sum(axis=1), 1)]

    return {
        "targets": targets.tolist(),
        "unsure": sum(not sure for _, sure in around),
        "ratio": means(np.ones(graph.num_nodes, dtype=bool)),
        "old": means(is_old),
        "other": means(~is_old),
    }


def shown_nodes(old: Graph, graph: Graph, target: int) -> tuple[np.ndarray, bool]:
    """Old nodes with profiles that a newcomer's neighbours show, and whether that is sure.

    It is where one old node alone has such a profile; those that share theirs are left out then.

    Args:
        old: The graph before the newcomer joined.
        graph: The graph with it.
        target: The newcomer's position there.
    """
    of_old = profile_keys(old.attributes)
    keys, counts = np.unique(of_old, return_counts=True)
    shown = profile_keys(graph.attributes[graph.neighbours(target)])
    single = np.intersect1d(shown, keys[counts == 1])
    return np.flatnonzero(np.isin(of_old, single if len(single) else shown)), len(single) > 0


def hops_by_heart(old: Graph, graph: Graph, target: int, around: np.ndarray) -> np.ndarray:
    """Hops to a newcomer as whoever knows the old graph takes them to be, (num_nodes,).

    Args:
        old: The graph before it joined.
        graph: The graph with it.
        target: The newcomer's position there.
        around: Old nodes beside it, positions in the old graph.
    """
    hops = np.full(graph.num_nodes, UNKNOWN)
    if len(around):
        nearest = 1 + distances(old, around).min(axis=0)
        places = {name: place for place, name in enumerate(old.node_names)}
        for node, name in enumerate(graph.node_names):
            if name in places:
                hops[node] = nearest[places[name]]
    beside = np.array([hops[graph.neighbours(node)].min() for node in range(graph.num_nodes)])
    hops = np.minimum(hops, np.minimum(1 + beside, UNKNOWN))
    hops[graph.neighbours(target)] = 1
    hops[target] = 0
    return hops
