"""Random geometric graphs whose attributes are the positions of their nodes.

Greedy forwarding by position nearly always works on them, and no two profiles are equal: numbers
as attributes in their plainest form.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from garden.datasets.random_attributed import with_attributes
from garden.graphs.graph import Graph
from garden.random_streams import POSITIONED_GRAPH


def positioned(
    num_nodes: int, degree: float = 10.0, num_axes: int = 2, scale: float = 1.0, seed: int = 0
) -> Graph:
    """The largest component of a random geometric graph in a unit cube, with positions.

    Args:
        num_nodes: Before the largest component is taken.
        degree: The mean degree, but for what the border takes from it.
        num_axes: Dimensions of the cube, 1 to 3.
        scale: By which positions are multiplied in the attributes.
        seed: Determines the positions.

    """
    rng = np.random.default_rng([seed, POSITIONED_GRAPH])
    positions = rng.random((num_nodes, num_axes))
    ball = (2.0, math.pi, 4 * math.pi / 3)[num_axes - 1]
    radius = (degree / (ball * num_nodes)) ** (1 / num_axes)
    edges = cKDTree(positions).query_pairs(radius, output_type="ndarray")
    graph = Graph.from_edges(edges, num_nodes, positions * scale).largest_component()
    return with_attributes(
        graph, np.asarray(graph.attributes), f"positioned:n={num_nodes},seed={seed}"
    )
