"""Random graphs of up to millions of nodes, without attributes: power laws and small worlds.

A seed determines the graph on every machine: whole numbers are drawn from one PCG64 stream and
nothing is added up in floating point. No loop runs over nodes.
"""

from __future__ import annotations

import numpy as np

from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.random_streams import POWER_LAW_GRAPH, SMALL_WORLD_GRAPH

_UNIFORM_ONE_IN = 10  # one link in ten of a power-law graph goes to a uniformly random node
_MAX_ENDS = 1 << 28  # n · degree; beyond it the links fill tens of gigabytes


def power_law(n: int = 1000, degree: int = 16, seed: int = 0) -> Graph:
    """A graph grown by preferential attachment, whose degrees have a power-law tail.

    Let m = degree / 2. Nodes 0 … m − 1 come first, and node m links to each of them. Every later
    node v brings m links; each goes, with chance 9/10, to an end of a random link among those of
    the nodes before v (so to a node in proportion to its links), and with chance 1/10 to a
    uniformly random node before v. Links that were drawn twice are one link. The graph is
    connected; its mean degree is slightly below ``degree``. In the limit the share of nodes of
    degree k falls as k to the power −(1 + 2/0.9), about −3.2.

    Reference: A.-L. Barabási and R. Albert, "Emergence of scaling in random networks", Science
    286, 509 (1999); drawing the end of a random link is the method of V. Batagelj and U. Brandes,
    "Efficient generation of large random networks", Physical Review E 71, 036113 (2005).

    Args:
        n: How many nodes.
        degree: The mean degree before repeated links are merged; even.
        seed: Determines the graph.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    _check_parameters("power-law", n, degree, seed)
    rng = _stream(seed, POWER_LAW_GRAPH)
    newcomers = np.repeat(np.arange(degree // 2, n, dtype=np.int64), degree // 2)
    edges = np.stack([newcomers, _attached(rng, n, degree // 2)], axis=1)
    return Graph.from_edges(edges, n, name=f"power-law:n={n},degree={degree},seed={seed}")


def small_world(n: int = 1000, degree: int = 10, rewired: float = 0.05, seed: int = 0) -> Graph:
    """A ring lattice, some of whose links are rewired to random nodes.

    Node v links to v + 1, …, v + degree / 2 around the ring. The far end of each link is, with
    chance ``rewired``, replaced by a uniformly random node. Links to oneself are dropped and
    links that were drawn twice are one link, so that much rewiring makes the mean degree
    slightly smaller, and may leave a few nodes outside the largest component.

    Reference: D. J. Watts and S. H. Strogatz, "Collective dynamics of 'small-world' networks",
    Nature 393, 440 (1998), who draw anew where a link is lost here.

    Args:
        n: How many nodes.
        degree: The degree of every node of the lattice; even.
        rewired: The chance that a link is rewired, from 0 to 1.
        seed: Determines the graph.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    _check_parameters("small-world", n, degree, seed)
    if not 0 <= rewired <= 1:
        raise GraphError(f"small-world: rewired={rewired:g}, but a chance lies from 0 to 1")
    rng = _stream(seed, SMALL_WORLD_GRAPH)
    near = np.repeat(np.arange(n, dtype=np.int64), degree // 2)
    far = (near + np.tile(np.arange(1, degree // 2 + 1), n)) % n
    moved = np.flatnonzero(rng.random(len(far)) < rewired)
    far[moved] = rng.integers(n, size=len(moved))
    name = f"small-world:n={n},degree={degree},rewired={rewired},seed={seed}"
    return Graph.from_edges(np.stack([near, far], axis=1), n, name=name)


def _attached(rng: np.random.Generator, num_nodes: int, num_links: int) -> np.ndarray:
    """The node that each link of a power-law graph goes to, in the order of the newcomers.

    Args:
        rng: Where draws come from.
        num_nodes: How many nodes there are at the end.
        num_links: m, what each newcomer brings.

    Returns:
        ((num_nodes − m) · m,) int64: links of node m, then of node m + 1, and so on.

    """
    newcomers = np.repeat(np.arange(num_links + 1, num_nodes, dtype=np.int64), num_links)
    uniform = rng.integers(_UNIFORM_ONE_IN, size=len(newcomers)) == 0
    num_ends = 2 * num_links * (newcomers - num_links)  # of the links of all nodes before
    drawn = rng.integers(np.where(uniform, newcomers, num_ends))
    link, is_far_end = drawn >> 1, (drawn & 1).astype(bool)
    target = np.where(uniform, drawn, num_links + link // num_links)
    source = np.where(~uniform & is_far_end, link, -1)
    first = np.arange(num_links)
    return _resolved(
        np.concatenate([first, target]), np.concatenate([np.full(num_links, -1), source])
    )


def _resolved(value: np.ndarray, source: np.ndarray) -> np.ndarray:
    """The values, where entry i has that of entry ``source[i]`` < i, or its own where that is −1.

    Pointer jumping: as long as its source is undecided too, an entry takes over the source's
    source, so that each round at least halves the length of the longest chain.
    """
    undecided = np.flatnonzero(source >= 0)
    while len(undecided):
        before = source[undecided]
        value[undecided] = value[before]
        source[undecided] = source[before]
        undecided = undecided[source[undecided] >= 0]
    return value


def _stream(seed: int, tag: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, tag]))


def _check_parameters(family: str, n: int, degree: int, seed: int) -> None:
    if degree < 2 or degree % 2:
        raise GraphError(f"{family}: degree={degree}, but it must be even and at least 2")
    if n <= degree:
        raise GraphError(
            f"{family}: n={n}, but a mean degree of {degree} needs at least {degree + 1} nodes"
        )
    if n * degree > _MAX_ENDS:
        raise GraphError(
            f"{family}: n={n}, degree={degree} is too large to hold in memory: "
            f"n · degree may be {_MAX_ENDS} at most"
        )
    if seed < 0:
        raise GraphError(f"{family}: seed={seed}, but it must not be negative")
