"""Random graphs of up to millions of nodes: power laws, small worlds, block models, geometric ones.

A seed determines the graph on every machine: whole numbers are drawn from one PCG64 stream and
nothing is rounded in floating point. No loop runs over nodes. Attributes are none unless an
:class:`~garden.datasets.generated_attributes.AttributeModel` asks for them; links do not depend on
them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from garden.datasets.generated_attributes import (
    AttributeModel,
    attribute_table,
    check_chance,
    resolved,
)
from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.process_settings import require_memory
from garden.random_streams import (
    BLOCK_MODEL_GRAPH,
    GEOMETRIC_GRAPH,
    POWER_LAW_GRAPH,
    SMALL_WORLD_GRAPH,
)

UNIFORM_ONE_IN = 10  # one link in ten of a power-law graph goes to a uniformly random node
_BYTES_PER_END = 70  # at the peak of making a graph, measured
_BYTES_PER_ATTRIBUTE = 16
_MAX_ENDS = 1 << 28  # n · degree; beyond it the links fill tens of gigabytes
_GRID = 1 << 26  # positions per axis of a geometric graph: squared distances stay below 2⁵³, exact
_NO_ATTRIBUTES = AttributeModel()


def power_law(
    n: int = 1000, degree: int = 16, seed: int = 0, model: AttributeModel = _NO_ATTRIBUTES
) -> Graph:
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
        model: How attributes are drawn; none by default.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    _check_parameters("power-law", n, degree, seed, model)
    rng = _stream(seed, POWER_LAW_GRAPH)
    newcomers = np.repeat(np.arange(degree // 2, n, dtype=np.int64), degree // 2)
    edges = np.stack([newcomers, _attached(rng, n, degree // 2)], axis=1)
    return _finished(edges, n, f"power-law:n={n},degree={degree}", seed, model)


def small_world(
    n: int = 1000,
    degree: int = 10,
    rewired: float = 0.05,
    seed: int = 0,
    model: AttributeModel = _NO_ATTRIBUTES,
) -> Graph:
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
        model: How attributes are drawn; none by default.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    _check_parameters("small-world", n, degree, seed, model)
    check_chance("small-world", "rewired", rewired)
    rng = _stream(seed, SMALL_WORLD_GRAPH)
    near = np.repeat(np.arange(n, dtype=np.int64), degree // 2)
    far = (near + np.tile(np.arange(1, degree // 2 + 1), n)) % n
    _rewire(rng, far, n, rewired)
    head = f"small-world:n={n},degree={degree},rewired={rewired}"
    return _finished(np.stack([near, far], axis=1), n, head, seed, model)


def block_model(
    n: int = 1000,
    degree: int = 16,
    within: float = 0.8,
    seed: int = 0,
    model: AttributeModel = _NO_ATTRIBUTES,
) -> Graph:
    """A graph of equal blocks whose links mostly stay inside them.

    Each node is put into one of ``model.blocks`` blocks, all with the same chance. It brings
    degree / 2 links; each goes, with chance ``within``, to a uniformly random node of its own
    block, and otherwise to a uniformly random node of all. A link is thus inside a block with
    chance ``within`` + (1 − ``within``) / blocks. Links to oneself are dropped and links that were
    drawn twice are one link; some nodes may lie outside the largest component.

    Reference: P. W. Holland, K. B. Laskey and S. Leinhardt, "Stochastic blockmodels: first steps",
    Social Networks 5, 109 (1983), who draw each pair by itself.

    Args:
        n: How many nodes.
        degree: The mean degree before links are dropped or merged; even.
        within: The chance that a link is drawn inside its block, from 0 to 1.
        seed: Determines the graph.
        model: How many blocks there are, and how attributes are drawn; none by default.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    _check_parameters("block-model", n, degree, seed, model)
    check_chance("block-model", "within", within)
    rng = _stream(seed, BLOCK_MODEL_GRAPH)
    blocks = rng.integers(model.blocks, size=n)
    near = np.repeat(np.arange(n, dtype=np.int64), degree // 2)
    inside = rng.random(len(near)) < within
    sizes = np.bincount(blocks, minlength=model.blocks)
    members, starts = np.argsort(blocks, kind="stable"), np.cumsum(sizes) - sizes
    home = blocks[near]
    drawn = rng.integers(np.where(inside, sizes[home], n))
    far = np.where(inside, members[np.where(inside, starts[home] + drawn, 0)], drawn)
    head = f"block-model:n={n},degree={degree},within={within}"
    head += "" if model.attributes else f",blocks={model.blocks}"
    return _finished(np.stack([near, far], axis=1), n, head, seed, model, blocks)


def geometric(
    n: int = 1000,
    degree: int = 16,
    rewired: float = 0.0,
    seed: int = 0,
    model: AttributeModel = _NO_ATTRIBUTES,
) -> Graph:
    r"""Random points of the unit square, linked where they are near each other.

    Two nodes are linked where their distance is at most :math:`r = \sqrt{degree / (π n)}`, so that
    a node far from the border has ``degree`` neighbours on average. The second end of each link is
    then, with chance ``rewired``, replaced by a uniformly random node. Points lie on a grid of
    2²⁶ × 2²⁶, where squared distances are exact. Nodes outside the largest component are many
    where ``degree`` is much below the logarithm of n.

    Reference: M. Penrose, "Random Geometric Graphs", Oxford University Press (2003).

    Args:
        n: How many nodes.
        degree: The mean degree without the border's effect; even.
        rewired: The chance that a link is rewired, from 0 to 1.
        seed: Determines the graph.
        model: How attributes are drawn; none by default.

    Raises:
        GraphError: If a parameter makes no sense.

    """
    from scipy.spatial import KDTree  # `import garden` does without

    _check_parameters("geometric", n, degree, seed, model)
    check_chance("geometric", "rewired", rewired)
    rng = _stream(seed, GEOMETRIC_GRAPH)
    positions = rng.integers(_GRID, size=(n, 2))
    # Squared distances are whole numbers: with half of one added to the limit, none lies on it.
    limit = math.sqrt(int(degree / (math.pi * n) * _GRID**2) + 0.5)
    edges = KDTree(positions.astype(np.float64)).query_pairs(limit, output_type="ndarray")
    if len(edges):
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    _rewire(rng, edges[:, 1], n, rewired)
    head = f"geometric:n={n},degree={degree},rewired={rewired}"
    return _finished(edges, n, head, seed, model)


def _finished(
    edges: np.ndarray,
    num_nodes: int,
    head: str,
    seed: int,
    model: AttributeModel,
    blocks: np.ndarray | None = None,
) -> Graph:
    """The graph of these edges with its attributes, called by its full spec."""
    name = f"{head}{model.suffix},seed={seed}"
    graph = Graph.from_edges(edges, num_nodes, name=name)
    if not model.attributes:
        return graph
    table, names = attribute_table(graph, model, seed, blocks)
    return replace(graph, attributes=table, attribute_names=tuple(names))


def _rewire(rng: np.random.Generator, far: np.ndarray, num_nodes: int, chance: float) -> None:
    """Replace some of these ends of links by random nodes, in place."""
    moved = np.flatnonzero(rng.random(len(far)) < chance)
    far[moved] = rng.integers(num_nodes, size=len(moved))


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
    uniform = rng.integers(UNIFORM_ONE_IN, size=len(newcomers)) == 0
    num_ends = 2 * num_links * (newcomers - num_links)  # of the links of all nodes before
    drawn = rng.integers(np.where(uniform, newcomers, num_ends))
    link, is_far_end = drawn >> 1, (drawn & 1).astype(bool)
    target = np.where(uniform, drawn, num_links + link // num_links)
    source = np.where(~uniform & is_far_end, link, -1)
    first = np.arange(num_links)
    return resolved(
        np.concatenate([first, target]), np.concatenate([np.full(num_links, -1), source])
    )


def _stream(seed: int, tag: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, tag]))


def _check_parameters(family: str, n: int, degree: int, seed: int, model: AttributeModel) -> None:
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
    model.check(family, n)
    num_bytes = n * (degree * _BYTES_PER_END + model.attributes * _BYTES_PER_ATTRIBUTE)
    what = f"{family}: a graph of n={n}, degree={degree}, attributes={model.attributes}"
    require_memory(num_bytes, what, "give a smaller n, degree or attributes")
