"""A graph before and after newcomers join it.

Nodes are taken out before training. Those that hung on them alone are lost as well: training sees
the largest component of what is left. Afterwards the test newcomers are put back with all of their
links among each other and to the rest. Validation newcomers are taken out beside them and put back
into a graph of their own, in which choices are made; no test newcomer is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from garden.datasets.task import SearchTask, every_source
from garden.graphs.graph import Graph
from garden.random_streams import NEWCOMERS

Removal = Literal["a tenth", "one"]
SHARE = 10  # one node in so many is a test newcomer
VALIDATION_SHARE = 20  # and one in so many a validation newcomer
_FEWEST_VALIDATING = 4
_SINGLE = 1  # tag of the stream of those that join alone


@final
@dataclass(frozen=True, eq=False)
class Joined:
    """A graph with newcomers, in two groups."""

    graph: Graph
    attached: np.ndarray  # newcomers with a neighbour in the training graph, positions
    detached: np.ndarray  # newcomers whose neighbours are all strangers to training


@final
@dataclass(frozen=True, eq=False)
class World:
    """What training sees, and the graphs on which newcomers are targets."""

    training: Graph
    test: Joined
    validation: Joined | None  # none where a node joins alone


def world_of(graph: Graph, seed: int, removal: Removal, index: int = 0) -> World:
    """Draw the newcomers and part the graph.

    Args:
        graph: A connected graph.
        seed: Determines who is taken out.
        removal: A tenth of all nodes at once, or one node.
        index: Which node, where it is one.
    """
    everyone = np.arange(graph.num_nodes)
    if removal == "one":
        draws = np.random.default_rng([seed, NEWCOMERS, _SINGLE])
        alone = draws.permutation(graph.num_nodes)[index : index + 1]
        training = _part(graph, np.setdiff1d(everyone, alone))
        return World(training, joined(graph, training, alone, everyone), None)
    order = np.random.default_rng([seed, NEWCOMERS]).permutation(graph.num_nodes)
    count = graph.num_nodes // SHARE
    more = max(_FEWEST_VALIDATING, graph.num_nodes // VALIDATION_SHARE)
    testing, validating = order[:count], order[count : count + more]
    rest = np.sort(order[count + more :])
    training = _part(graph, rest)
    return World(
        training,
        joined(graph, training, testing, np.union1d(rest, testing)),
        joined(graph, training, validating, np.union1d(rest, validating)),
    )


def joined(graph: Graph, training: Graph, newcomers: np.ndarray, nodes: np.ndarray) -> Joined:
    """The graph on some nodes, newcomers among them, and who of these has an old neighbour.

    Args:
        graph: The whole graph.
        training: What was trained on.
        newcomers: Positions in the whole graph.
        nodes: Positions of all that stand in the graph afterwards; its largest component counts.
    """
    whole = _part(graph, nodes)
    old = np.array([name in training for name in whole.node_names])
    names = {graph.node_names[node] for node in newcomers}
    places = np.array([i for i, name in enumerate(whole.node_names) if name in names], dtype=int)
    has_old = np.array([old[whole.neighbours(i)].any() for i in places], dtype=bool)
    return Joined(whole, places[has_old], places[~has_old])


def task_towards(graph: Graph, targets: np.ndarray, seed: int) -> SearchTask:
    """A task whose test targets are these; all other nodes are split for training and validation.

    Args:
        graph: The graph that messages travel on.
        targets: Positions of the test targets.
        seed: Of the split of the others, and of sampled walks.
    """
    others = np.setdiff1d(np.arange(graph.num_nodes), targets)
    others = np.random.default_rng(seed).permutation(others)
    validating = np.sort(others[: max(1, len(others) // 10)])
    return SearchTask(
        graph=graph,
        seed=seed,
        train_targets=np.sort(others[len(validating) :]),
        validation_targets=validating,
        test_targets=np.sort(targets),
        validation_pairs=every_source(validating[:1], graph.num_nodes),
        test_pairs=every_source(targets[:1], graph.num_nodes),
    )


def _part(graph: Graph, nodes: np.ndarray) -> Graph:
    return graph.subgraph(nodes).largest_component()
