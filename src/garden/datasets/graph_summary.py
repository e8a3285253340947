"""Statistics of a graph: size, distances, density, and how similar neighbours are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.graphs.distances import distance_sums
from garden.graphs.graph import Graph
from garden.graphs.identity import profile_keys

_MAX_SOURCES = 2000  # beyond it the mean distance is estimated from this many sources
MAX_STEPS = 4e9  # sources × ends of edges, some ten seconds; beyond it from fewer
_MIN_SOURCES = 64  # as many as one breadth-first search carries
EDGES_PER_BLOCK = 1 << 20
_NORMAL_95 = 1.96


def graph_statistics(graph: Graph) -> dict[str, Any]:
    """The statistics that ``garden data info`` prints, as plain values.

    Distances are exact up to 2,000 nodes. Beyond, ``distance_sources`` says from how many random
    nodes they were measured, fewer where there are very many edges; ``mean_distance_ci`` is a 95 %
    interval for the mean over all pairs (None where it is exact), and ``longest_distance_seen`` is
    a lower bound of the diameter.

    Args:
        graph: A connected graph.

    Returns:
        Counts, ``density``, degrees, distances in hops, ``distinct_profiles`` (how many different
        rows of attributes there are), the two cosines of :func:`homophily`, and ``content_hash``.

    """
    sources = _distance_sources(graph)
    sums = distance_sums(graph, sources)
    edge_cosine, pair_cosine = homophily(graph)
    return {
        "graph": graph.name,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_attributes": graph.num_attributes,
        "distinct_profiles": len(np.unique(profile_keys(graph.attributes))),
        "density": graph.density,
        "mean_degree": 2 * graph.num_edges / graph.num_nodes,
        "max_degree": int(graph.degrees.max()),
        "mean_distance": int(sums.totals.sum()) / max(1, sums.num_paths - len(sources)),
        "mean_distance_ci": _mean_interval(graph.num_nodes, sums.totals),
        "distance_sources": len(sources),
        "longest_distance_seen": sums.longest,
        "cosine_over_edges": edge_cosine,
        "cosine_over_pairs": pair_cosine,
        "content_hash": graph.content_hash,
    }


def homophily(graph: Graph) -> tuple[float, float]:
    r"""The mean cosine of profiles over edges, and over all pairs of different nodes.

    For profiles :math:`x_u` scaled to length 1 (an empty one stays 0), the second needs no table
    of pairs: :math:`\sum_{u \ne v} x_u \cdot x_v = \lVert \sum_u x_u \rVert^2 - \sum_u \lVert x_u
    \rVert^2`.
    """
    if graph.num_attributes == 0:
        return 0.0, 0.0
    table = sp.csr_array(graph.attributes, dtype=np.float64)
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    unit = sp.diags_array(1 / np.where(norms > 0, norms, 1)) @ table
    edges = graph.edges()
    cosines = [
        np.asarray(unit[block[:, 0]].multiply(unit[block[:, 1]]).sum(axis=1)).ravel()
        for block in np.split(edges, range(EDGES_PER_BLOCK, len(edges), EDGES_PER_BLOCK))
    ]
    over_edges = np.concatenate(cosines).mean()
    total = np.asarray(unit.sum(axis=0)).ravel()
    own = float((norms > 0).sum())
    pairs = graph.num_nodes * (graph.num_nodes - 1)
    return float(over_edges), float((total @ total - own) / pairs)


def _distance_sources(graph: Graph) -> np.ndarray:
    fitting = int(MAX_STEPS / max(1, len(graph.indices)))
    count = min(_MAX_SOURCES, max(_MIN_SOURCES, fitting))
    if graph.num_nodes <= count:
        return np.arange(graph.num_nodes)
    return np.sort(np.random.default_rng(0).choice(graph.num_nodes, count, replace=False))


def _mean_interval(num_nodes: int, totals: np.ndarray) -> tuple[float, float] | None:
    """A 95 % interval for the mean distance of all pairs; None where every node was a source.

    Each source's mean is one draw, without replacement, of the mean over all nodes.
    """
    if len(totals) == num_nodes:
        return None
    means = totals / (num_nodes - 1)
    variance = means.var(ddof=1) / len(means) * (1 - len(means) / num_nodes)
    margin = _NORMAL_95 * float(np.sqrt(variance))
    return float(means.mean()) - margin, float(means.mean()) + margin
