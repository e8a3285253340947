"""Kaiser–Hilgetag graphs: spatial growth, with positions as attributes.

Reference: M. Kaiser and C. C. Hilgetag, "Spatial growth of real-world networks",
Physical Review E 69, 036103 (2004).
"""

from __future__ import annotations

import logging
import math

import numpy as np

from garden.errors import GraphError
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

MAX_DRAWS = 1_000_000  # draws of one node's position, all in vain, before growth is given up
MAX_BLOCK = 1 << 20  # distances, or coordinates, computed at a time
MANY_NODES = 50_000  # beyond it growth takes minutes, and four times as long for twice as many
_MAX_COORDINATES = 1 << 28  # n · d; beyond it the positions alone fill gigabytes


def kaiser_hilgetag(
    n: int = 200, alpha: float = 30.0, beta: float = 0.1, d: int = 2, seed: int = 0
) -> Graph:
    r"""A graph grown node by node in the unit box :math:`[0, 1]^d`.

    The first node sits at the centre. Each new node is drawn uniformly and joins each present
    node at distance r with probability :math:`\min(1, β e^{-α r})`; one that joins none is drawn
    anew. The graph is therefore connected, and its attributes are the positions, (n, d). Time
    grows as n², and a warning says so above 50,000 nodes.

    Args:
        n: How many nodes.
        alpha: α, how fast the chance of a link falls with distance.
        beta: β, the chance of a link at distance 0; above 1 it is certain nearby.
        d: Dimensions of the box.
        seed: Determines the graph.

    Raises:
        GraphError: If a parameter makes no sense, or a node finds no partner in a million draws.

    """
    _check_parameters(n, alpha, beta, d)
    if n > MANY_NODES:
        _LOG.warning(
            "kaiser-hilgetag: every new node is compared with all before it, so that time grows "
            "as n²: n=%d takes at least %.2g comparisons; geometric:n=%d takes seconds",
            n,
            n * (n - 1) / 2,
            n,
        )
    rng = np.random.default_rng(seed)
    positions = np.empty((n, d))
    positions[0] = 0.5
    joined: list[np.ndarray] = []
    draws_per_node = 1.0
    for present in range(1, n):
        position, partners, draws = _draw_node(
            rng, positions[:present], alpha, beta, draws_per_node
        )
        if len(partners) == 0:
            raise GraphError(
                f"kaiser-hilgetag: node {present} found no partner in {MAX_DRAWS:,} draws with "
                f"alpha={alpha:g}, beta={beta:g}, d={d}: lower alpha or d, or raise beta"
            )
        draws_per_node = 0.5 * (draws_per_node + draws)
        positions[present] = position
        joined.append(np.stack([partners, np.full(len(partners), present)], axis=1))
    edges = np.concatenate(joined)
    axes = [f"position{axis}" for axis in range(d)]
    name = f"kaiser-hilgetag:n={n},alpha={alpha:g},beta={beta:g},d={d},seed={seed}"
    return Graph.from_edges(edges, n, attributes=positions, attribute_names=axes, name=name)


def _draw_node(
    rng: np.random.Generator, present: np.ndarray, alpha: float, beta: float, expected: float
) -> tuple[np.ndarray, np.ndarray, int]:
    """A position that joins somebody, its partners, and the draws it took.

    Draws are made in blocks of about the number that the last nodes needed; what follows the
    first success in a block is thrown away, so that blocks leave no trace in the distribution.
    """
    draws = 0
    block = math.ceil(2 * expected)
    while draws < MAX_DRAWS:
        size = max(1, min(block, MAX_BLOCK // max(present.shape), MAX_DRAWS - draws))
        positions = rng.random((size, present.shape[1]))
        squared = np.zeros((size, len(present)))
        for axis in range(present.shape[1]):
            squared += (positions[:, axis, None] - present[None, :, axis]) ** 2
        links = rng.random(squared.shape) < beta * np.exp(-alpha * np.sqrt(squared))
        successes = np.flatnonzero(links.any(axis=1))
        if len(successes):
            first = successes[0]
            return positions[first], np.flatnonzero(links[first]), draws + int(first) + 1
        draws += size
        block *= 2
    return present[0], np.empty(0, dtype=np.int64), draws


def _check_parameters(n: int, alpha: float, beta: float, d: int) -> None:
    if n < 2:
        raise GraphError(f"kaiser-hilgetag: n={n}, but a graph to search needs at least 2 nodes")
    if d < 1:
        raise GraphError(f"kaiser-hilgetag: d={d}, but the box needs at least 1 dimension")
    if n * d > _MAX_COORDINATES:
        raise GraphError(f"kaiser-hilgetag: n={n}, d={d} is too large to hold in memory")
    if not (math.isfinite(alpha) and alpha >= 0):
        raise GraphError(f"kaiser-hilgetag: alpha={alpha}, but it must be finite and not negative")
    if not (math.isfinite(beta) and beta > 0):
        raise GraphError(f"kaiser-hilgetag: beta={beta}, but it must be finite and positive")
