"""Estimates of how near a node is to a target: a learned value, a learned space, attributes.

Each guess at nearness is set against the distance in the graph, by Spearman's rank correlation
over all sources of a test target. Test targets were never trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import PolicyCache, task_of
from garden.graphs.distances import distances
from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.representations import Representations
from garden.strategies.walkers import DistanceWalker

if TYPE_CHECKING:
    from garden.models.policy import Policy

VALUE = "garden's value"
ATTRIBUTES = "attributes"
EMBEDDING = "garden's space"
UNTRAINED = "garden's space, untrained"
TRELLIS_EMBEDDINGS = "trellis' embeddings"
DEGREE = "degree"
GUESSES = (VALUE, EMBEDDING, TRELLIS_EMBEDDINGS, UNTRAINED, ATTRIBUTES, DEGREE)


@final
@dataclass(frozen=True)
class Closeness(Work):
    """All guesses on one split of one graph; ``mapped`` also keeps them for one target."""

    kind: ClassVar[str] = "closeness"

    graph: str
    seed: int
    garden: Training  # for its value and its embedding
    trellis: Training  # for its embeddings
    mapped: bool = False

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Correlations target by target, and over all pairs at once.

        Args:
            cache: Where both policies come from.

        Returns:
            By guess its correlations, the test targets whose distances differ, and for a unit that
            is mapped what the map shows.
        """
        task = task_of(self.graph, self.seed)
        hops = distances(task.graph, task.test_targets)
        targets = task.test_targets[_tells_apart(hops, task.test_targets)]
        hops = distances(task.graph, targets)
        garden, trellis = cache.policy(self.garden), cache.policy(self.trellis)
        guesses = nearness(task.graph, targets, garden, trellis, self.seed)
        sources = task.graph.num_nodes - 1
        result = {
            "task_hash": task.content_hash,
            "targets": targets.tolist(),
            "contenders": {
                name: {
                    "pairs": [sources] * len(targets),
                    "correlation": correlations(table, hops, targets).round(6).tolist(),
                    "correlation_of_all": round(correlation_of_all(table, hops, targets), 6),
                }
                for name, table in guesses.items()
            },
            "trained": {one.options.resolved().model: one.key for one in self.trainings()},
        }
        if self.mapped:
            result["map"] = _map(task.graph, targets, guesses, hops)
        return result


def nearness(
    graph: Graph, targets: np.ndarray, garden: Policy, trellis: Policy, seed: int
) -> dict[str, np.ndarray]:
    """Every guess at how near each node is to each target.

    Args:
        graph: The graph.
        targets: Node numbers, (T,).
        garden: A policy with a trained critic, whose value is a guess.
        trellis: A policy whose embeddings are a guess.
        seed: Of an untrained model, whose embedding is a guess too.

    Returns:
        By name, (T, num_nodes): higher is nearer.
    """
    egos = ego_graphs(graph)
    rows = garden.represent(egos)
    fresh = type(garden).untrained(graph.attribute_names, "garden", seed, profiles=graph.attributes)
    walker = DistanceWalker(temperature=1.0)
    profiles = walker.represent(egos)
    degrees = np.broadcast_to(graph.degrees.astype(np.float64), (len(targets), graph.num_nodes))
    return {
        VALUE: garden.value(rows, rows.take(targets)),
        EMBEDDING: _within(_numbers(rows), targets),
        TRELLIS_EMBEDDINGS: _within(_own_embeddings(trellis, egos), targets),
        UNTRAINED: _within(_numbers(fresh.represent(egos)), targets),
        ATTRIBUTES: walker.score(profiles, profiles.take(targets)),
        DEGREE: degrees,
    }


def correlations(guess: np.ndarray, hops: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Spearman's correlation of a guess with minus the distance, over the sources of each target.

    A guess that is the same for all sources has the correlation 0.

    Args:
        guess: Higher is nearer, (T, num_nodes).
        hops: Distances, (T, num_nodes).
        targets: Node numbers, (T,); a target is no source of its own.

    Returns:
        A correlation per target, (T,).
    """
    ours = rankdata(_without_targets(guess, targets), axis=1)
    theirs = rankdata(-_without_targets(hops, targets), axis=1)
    return _correlation(ours, theirs)


def correlation_of_all(guess: np.ndarray, hops: np.ndarray, targets: np.ndarray) -> float:
    """The same over all sources and targets at once, so that targets are compared as well.

    Args:
        guess: Higher is nearer, (T, num_nodes).
        hops: Distances, (T, num_nodes).
        targets: Node numbers, (T,).
    """
    ours = rankdata(_without_targets(guess, targets).ravel())
    theirs = rankdata(-_without_targets(hops, targets).ravel())
    return float(_correlation(ours[None], theirs[None])[0])


def median_target(graph: Graph, targets: np.ndarray) -> int:
    """The position among these targets of the one of median degree; of two, the lesser degree.

    Args:
        graph: The graph.
        targets: Node numbers, (T,).
    """
    order = np.argsort(graph.degrees[targets], kind="stable")
    return int(order[(len(order) - 1) // 2])


def _map(
    graph: Graph, targets: np.ndarray, guesses: Mapping[str, np.ndarray], hops: np.ndarray
) -> dict[str, Any]:
    number = median_target(graph, targets)
    return {
        "target": int(targets[number]),
        "value": guesses[VALUE][number].round(6).tolist(),
        "score": guesses[ATTRIBUTES][number].round(6).tolist(),
        "distance": hops[number].tolist(),
    }


def _tells_apart(hops: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Which targets have sources at more than one distance, (T,) bool."""
    away = _without_targets(hops, targets)
    return away.min(axis=1) < away.max(axis=1)


def _without_targets(table: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """A (T, num_nodes) table without each target's own entry, (T, num_nodes − 1)."""
    kept = np.ones(table.shape, dtype=bool)
    kept[np.arange(len(targets)), targets] = False
    return table[kept].reshape(len(targets), -1)


def _correlation(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Pearson's correlation of aligned rows, (rows,); 0 where one of them is constant."""
    ours = ours - ours.mean(axis=1, keepdims=True)
    theirs = theirs - theirs.mean(axis=1, keepdims=True)
    scale = np.sqrt((ours**2).sum(axis=1) * (theirs**2).sum(axis=1))
    return np.where(scale > 0, (ours * theirs).sum(axis=1) / np.where(scale > 0, scale, 1), 0.0)


def _numbers(rows: Representations) -> np.ndarray:
    """A policy's rows as numbers, (num_egos, row_width)."""
    return np.asarray(rows.arrays["row"])


def _own_embeddings(policy: Policy, egos: EgoGraphs) -> np.ndarray:
    """The embedding of each centre's own profile, (num_egos, width)."""
    import torch

    from garden.models.trellis.features import EMBEDDING as WIDTH

    rows = torch.as_tensor(_numbers(policy.represent(egos)))
    return policy.model.neighbour_values(rows)[:, :WIDTH].numpy()


def _within(rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Minus the Euclidean distance in a space, (T, num_nodes)."""
    return -cdist(rows[targets], rows)
