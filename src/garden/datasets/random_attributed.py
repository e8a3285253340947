"""Random attributed graphs of many kinds, to train a policy that must work on unseen graphs.

A graph is drawn in three steps: a layout of links, with the groups or positions behind it;
attributes that depend on these, or on nothing; and perturbations of the attributes (flipped bits,
lost columns, missing profiles). A seed determines all three.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy.spatial import cKDTree

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.random_streams import ATTRIBUTED_GRAPH, POSITIONED_GRAPH

FEWEST_NODES, MOST_NODES = 80, 500


@dataclass(frozen=True, eq=False)
class Layout:
    """Links, and the groups or positions that they were drawn by, where there are any."""

    edges: np.ndarray  # (num_edges, 2)
    groups: np.ndarray | None = None  # (num_nodes, num_groups) bool: which groups a node is in
    positions: np.ndarray | None = None  # (num_nodes, num_axes) float

    def of(self, nodes: np.ndarray) -> Layout:
        """Groups and positions of these nodes; the links stay as they were."""
        return Layout(
            self.edges,
            None if self.groups is None else self.groups[nodes],
            None if self.positions is None else self.positions[nodes],
        )


def attributed(seed: int = 0) -> Graph:
    """A connected graph of at most 500 nodes, of a kind drawn at random.

    The kinds are Kaiser–Hilgetag growth, a block model, overlapping circles, caves, random
    geometric graphs, small worlds and preferential attachment. Sizes are log-uniform from 80 to
    500 nodes before the largest component is taken.

    Args:
        seed: Determines everything; the graph is called ``attributed:seed=SEED``.

    """
    rng = np.random.default_rng([seed, ATTRIBUTED_GRAPH])
    num_nodes = int(np.exp(rng.uniform(np.log(FEWEST_NODES), np.log(MOST_NODES))))
    kind = str(rng.choice(["growth", *_LAYOUTS], p=_CHANCES))
    name = f"attributed:seed={seed}"
    if kind == "growth":
        return _grown(rng, num_nodes, name)
    layout = _LAYOUTS[kind](rng, num_nodes)
    everyone = np.arange(num_nodes, dtype=np.float64)[:, None]
    graph = Graph.from_edges(layout.edges, num_nodes, everyone).largest_component()
    kept = np.asarray(graph.attributes)[:, 0].astype(np.int64)
    table = _attributes(rng, graph, layout.of(kept))
    return with_attributes(graph, table, name)


def positioned(
    num_nodes: int, degree: float = 10.0, num_axes: int = 2, scale: float = 1.0, seed: int = 0
) -> Graph:
    """The largest component of a random geometric graph in a unit cube, with positions.

    Greedy forwarding by position nearly always works on it, and no two profiles are equal: numbers
    as attributes in their plainest form.

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


def with_attributes(graph: Graph, table: np.ndarray, name: str) -> Graph:
    """The graph with other attributes, called ``attribute0``, …, and another name.

    Args:
        graph: The graph, whose nodes and links stay.
        table: Its attributes, (num_nodes, num_attributes).
        name: What it is called.

    """
    return Graph(
        graph.indptr,
        graph.indices,
        table.astype(np.float32),
        graph.node_names,
        tuple(f"attribute{column}" for column in range(table.shape[1])),
        name,
    )


def _grown(rng: np.random.Generator, num_nodes: int, name: str) -> Graph:
    """A Kaiser–Hilgetag graph; one that cannot grow is drawn anew."""
    while True:
        alpha, beta = float(rng.uniform(2, 40)), float(np.exp(rng.uniform(np.log(0.1), np.log(10))))
        axes, seed = int(rng.integers(1, 4)), int(rng.integers(1 << 31))
        try:
            grown = kaiser_hilgetag(num_nodes, alpha, beta, axes, seed)
        except GraphError:
            continue
        return with_attributes(grown, np.asarray(grown.attributes), name)


def _blocks(rng: np.random.Generator, num_nodes: int) -> Layout:
    """A block model with uneven blocks and power-law degrees."""
    count = int(rng.integers(3, 13))
    block = rng.choice(count, num_nodes, p=rng.dirichlet(np.full(count, rng.uniform(0.3, 2))))
    activity = 1 + rng.pareto(rng.uniform(2, 5), num_nodes)
    activity /= activity.mean()
    within = rng.uniform(4, 20)
    between = within * np.exp(rng.uniform(np.log(0.02), 0))
    size = np.bincount(block, minlength=count)[block]
    chance = np.where(block[:, None] == block, within / size[:, None], between / num_nodes)
    return Layout(_drawn(rng, chance * np.outer(activity, activity)), _membership(block))


def _circles(rng: np.random.Generator, num_nodes: int) -> Layout:
    """Overlapping circles with dense ties inside, and some ties across, as around one person."""
    count = int(rng.integers(4, 16))
    groups = np.zeros((num_nodes, count), dtype=bool)
    parts = [rng.integers(0, num_nodes, (int(num_nodes * _spread(rng, 0.02, 2)), 2))]
    for circle in range(count):
        size = int(np.clip(num_nodes * rng.beta(1, 6) + 5, 5, num_nodes))
        inside = rng.choice(num_nodes, size, replace=False)
        groups[inside, circle] = True
        tie = min(1.0, rng.uniform(6, 30) / size)
        parts.append(inside[_drawn(rng, np.full((size, size), tie))])
    return Layout(np.concatenate(parts), groups)


def _caves(rng: np.random.Generator, num_nodes: int) -> Layout:
    """Dense groups, each with one to three links to the groups before it."""
    count = int(rng.integers(4, 14))
    share = rng.dirichlet(np.full(count, rng.uniform(0.5, 2)))
    cave = np.sort(rng.choice(count, num_nodes, p=share))
    parts = [np.empty((0, 2), dtype=np.int64)]
    for number in range(count):
        inside, before = np.flatnonzero(cave == number), np.flatnonzero(cave < number)
        size = len(inside)
        if size == 0:
            continue
        tie = rng.choice([0.3, 0.6, 0.95]) if size < 40 else rng.uniform(8, 25) / size
        parts.append(inside[_drawn(rng, np.full((size, size), tie))])
        if len(before):
            num_links = int(rng.integers(1, 4))
            parts.append(
                np.stack([rng.choice(inside, num_links), rng.choice(before, num_links)], axis=1)
            )
    return Layout(np.concatenate(parts), _membership(cave))


def _geometric(rng: np.random.Generator, num_nodes: int) -> Layout:
    """Nodes in a box, linked by a chance that falls with distance, and some long links."""
    positions = rng.random((num_nodes, int(rng.integers(1, 4))))
    degree = rng.uniform(5, 20)
    apart = np.sqrt(((positions[:, None] - positions) ** 2).sum(axis=-1))
    nearest = int(min(num_nodes - 2, degree))
    reach = np.partition(apart, nearest, axis=1)[:, nearest].mean()
    chance = np.exp(-((apart / reach) ** rng.choice([1, 2, 4])))
    chance *= min(1.0, degree / (chance.sum(axis=1).mean() - 1))
    return Layout(
        _drawn(rng, np.maximum(chance, rng.choice([0, 0.002, 0.01]))), positions=positions
    )


def _small_world(rng: np.random.Generator, num_nodes: int) -> Layout:
    """A ring in which a share of links is rewired at random; positions lie on the unit circle."""
    links, rewired = int(2 * rng.integers(2, 8)), float(rng.choice([0.01, 0.05, 0.1, 0.3]))
    seed = int(rng.integers(1 << 31))
    ring = nx.watts_strogatz_graph(num_nodes, links, rewired, seed=seed)
    angle = np.arange(num_nodes) / num_nodes * 2 * np.pi
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Layout(np.array(ring.edges()), positions=circle)


def _power_law(rng: np.random.Generator, num_nodes: int) -> Layout:
    """Preferential attachment, with or without triangles."""
    links, closure = int(rng.integers(2, 9)), float(rng.choice([0.0, 0.3, 0.8]))
    grown = nx.powerlaw_cluster_graph(num_nodes, links, closure, seed=int(rng.integers(1 << 31)))
    return Layout(np.array(grown.edges()))


_LAYOUTS: Mapping[str, Callable[[np.random.Generator, int], Layout]] = {
    "blocks": _blocks,
    "circles": _circles,
    "caves": _caves,
    "geometric": _geometric,
    "small-world": _small_world,
    "power-law": _power_law,
}
_CHANCES = np.array([1, 1, 2, 2, 1, 1, 1]) / 9  # growth first, then the layouts in their order


def _attributes(rng: np.random.Generator, graph: Graph, layout: Layout) -> np.ndarray:
    """A perturbed table that depends on links, groups or positions, or at times on nothing."""
    kinds = ["words"]
    kinds += ["categories"] * 2 if layout.groups is not None else ["signals"]
    kinds += ["landmarks"] if layout.positions is not None else []
    kinds += ["independent"] if rng.random() < 0.3 else []
    kind = str(rng.choice(kinds))
    if kind == "signals":
        return _with_gaps(rng, _signals(rng, graph, layout.positions))
    if kind == "independent":
        width = int(rng.integers(20, 300))
        return (rng.random((graph.num_nodes, width)) < rng.uniform(0.01, 0.1)).astype(np.float64)
    if kind == "words":
        table = _words(rng, graph)
    elif layout.groups is not None:
        table = _categories(rng, layout.groups)
    else:
        assert layout.positions is not None
        table = _landmarks(rng, layout.positions)
    return _with_gaps(rng, _with_noise(rng, table))


def _words(rng: np.random.Generator, graph: Graph) -> np.ndarray:
    """Bags of words, some copied from neighbours: homophily from none to strong."""
    width, length = int(rng.integers(20, 300)), int(rng.integers(3, 20))
    frequency = 1 / np.arange(1, width + 1) ** rng.uniform(0.3, 1.2)
    shape = (graph.num_nodes, length)
    words = np.asarray(rng.choice(width, shape, p=frequency / frequency.sum()))
    copied = rng.choice([0.0, 0.3, 0.6, 0.85, 0.95])
    for _ in range(int(rng.integers(1, 4))):
        draws = rng.random(words.shape) * graph.degrees[:, None]
        origins = graph.indices[graph.indptr[:-1, None] + draws.astype(np.int64)]
        theirs = words[origins, rng.integers(0, length, words.shape)]
        words = np.where(rng.random(words.shape) < copied, theirs, words)
    table = np.zeros((graph.num_nodes, width))
    table[np.arange(graph.num_nodes)[:, None], words] = 1
    return table


def _categories(rng: np.random.Generator, groups: np.ndarray) -> np.ndarray:
    """One-hot fields: the value of one of the node's groups, or any value; some left empty."""
    num_nodes, count = groups.shape
    held, columns = rng.choice([0.4, 0.6, 0.8, 0.95]), []
    for _ in range(int(rng.integers(3, 12))):
        levels = int(rng.integers(2, 30))
        probabilities = rng.dirichlet(np.full(levels, 0.5))
        value = np.asarray(rng.choice(levels, num_nodes, p=probabilities))
        of_group = rng.integers(0, levels, size=(count,))
        chosen = np.argmax(rng.random(groups.shape) * groups, axis=1)  # one of its groups
        follows = groups.any(axis=1) & (rng.random(num_nodes) < held)
        value = np.where(follows, of_group[chosen], value)
        field = np.eye(levels)[value]
        field[rng.random(num_nodes) < rng.choice([0, 0.2, 0.6])] = 0
        columns.append(field)
    return np.concatenate(columns, axis=1)


def _signals(rng: np.random.Generator, graph: Graph, positions: np.ndarray | None) -> np.ndarray:
    """Real numbers in units of their own: noisy positions, or noise smoothed along links."""
    if positions is None:
        positions = rng.normal(size=(graph.num_nodes, int(rng.integers(2, 7))))
        for _ in range(int(rng.integers(1, 6))):
            mean = graph.adjacency() @ positions / graph.degrees[:, None]
            positions = 0.3 * positions + 0.7 * mean
    signals = positions / np.maximum(positions.std(axis=0), 1e-9)
    signals = signals + rng.choice([0, 0.02, 0.1, 0.3]) * rng.normal(size=signals.shape)
    axes = signals.shape[1]
    units = np.exp(rng.normal(size=axes) * rng.choice([0, 2]))
    return signals * units + rng.normal(size=axes)


def _landmarks(rng: np.random.Generator, positions: np.ndarray) -> np.ndarray:
    """Which of some random landmarks are nearest to a node's position, as 0 and 1."""
    num_nodes, count = len(positions), int(rng.integers(8, 60))
    landmarks = positions[rng.choice(num_nodes, count)]
    apart = ((positions[:, None] - landmarks) ** 2).sum(axis=-1)
    num_nearest = int(rng.integers(1, max(2, count // 4) + 1))
    nearest = np.argpartition(apart, num_nearest - 1, axis=1)[:, :num_nearest]
    table = np.zeros((num_nodes, count))
    table[np.arange(num_nodes)[:, None], nearest] = 1
    return table


def _with_noise(rng: np.random.Generator, table: np.ndarray) -> np.ndarray:
    """Some bits flipped, and some columns lost, so that profiles coincide."""
    if rng.random() < 0.5:
        table = np.where(rng.random(table.shape) < rng.choice([0.005, 0.02]), 1 - table, table)
    if rng.random() < 0.4:
        kept = np.asarray(rng.random(table.shape[1]) < rng.uniform(0.2, 1))
        table = table[:, kept] if kept.any() else table
    return table


def _with_gaps(rng: np.random.Generator, table: np.ndarray) -> np.ndarray:
    """Some nodes with a missing profile, all zeros."""
    if rng.random() < 0.35:
        table = table.copy()
        table[rng.random(len(table)) < rng.choice([0.05, 0.1, 0.3, 0.5])] = 0
    return table


def _drawn(rng: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    """Links drawn by their probabilities, each pair once."""
    return np.argwhere(np.triu(rng.random(chance.shape) < chance, 1))


def _membership(group: np.ndarray) -> np.ndarray:
    return np.eye(int(group.max()) + 1, dtype=bool)[group]


def _spread(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
