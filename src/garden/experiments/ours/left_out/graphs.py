"""The graphs of the experiment: real ones, generated ones, and ones whose profiles say nothing.

Real graphs are those of :mod:`garden.training.universal.training_set`, as many as the data folder
has. Generated ones come from seeds that no training uses.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from garden.datasets.random_attributed import positioned, with_attributes
from garden.datasets.spec import load
from garden.datasets.task import draw_pairs, every_source
from garden.graphs.graph import Graph
from garden.random_streams import ALL_PAIRS
from garden.training.universal.kin import folds_of, kin_groups
from garden.training.universal.training_set import (
    GENERATED,
    NUM_GENERATED,
    Source,
    graph_of_source,
    sources,
)

NUM_FOLDS = 10
EVERY_PAIR, MANY = 600, 6000  # nodes up to which every pair is played, or MANY_PAIRS of them
MANY_PAIRS, FEW_PAIRS = 20_000, 2_000
POSITIONS = "positions"
NUM_FRESH, FIRST_FRESH = 10, 500  # generated graphs of each kind, by seed
_BARE = ("facebook:414", "small-world:n=300,degree=6,seed=5", "power-law:n=300,degree=6,seed=5")


def generated_specs() -> list[str]:
    """The generated graphs: with profiles that say nothing, with positions, and of every kind."""
    bare = [f"{what}:{spec}" for what in ("alike", "zero") for spec in _BARE]
    fresh = [
        f"{GENERATED}:{kind},seed={seed}"
        for kind in NUM_GENERATED
        for seed in range(FIRST_FRESH, FIRST_FRESH + NUM_FRESH)
    ]
    return [*bare, POSITIONS, *fresh]


def real_sources() -> list[Source]:
    """The real graphs of the data folder."""
    return [source for source in sources() if source.family != GENERATED]


@lru_cache(maxsize=4)
def graph_named(spec: str) -> Graph:
    """A graph of the experiment."""
    what, _, rest = spec.partition(":")
    if what in ("alike", "zero"):
        graph = load(rest)
        fill = 1.0 if what == "alike" else 0.0
        return with_attributes(graph, np.full((graph.num_nodes, 8), fill), spec)
    if what == POSITIONS:
        return positioned(5000, 10, 2, 1.0, 900_001)
    if what == GENERATED:
        return graph_of_source(Source(spec, GENERATED))
    return load(spec)


def pairs_of(graph: Graph) -> np.ndarray:
    """Source and target of each pair that is played, (num_pairs, 2): every node may be a target."""
    nodes = np.arange(graph.num_nodes)
    if graph.num_nodes <= EVERY_PAIR:
        return every_source(nodes, graph.num_nodes)
    count = MANY_PAIRS if graph.num_nodes <= MANY else FEW_PAIRS
    return draw_pairs(nodes, graph.num_nodes, count, [0, ALL_PAIRS])


@lru_cache(maxsize=1)
def folds() -> tuple[tuple[str, ...], ...]:
    """The real graphs in ten folds, kin together."""
    graphs = {source.spec: load(source.spec) for source in real_sources()}
    return tuple(folds_of(kin_groups(graphs), NUM_FOLDS))
