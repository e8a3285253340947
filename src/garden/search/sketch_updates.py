"""What it costs to keep the sketches of a graph when single links or nodes come and go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np

from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.random_streams import MEASURED_CHANGES
from garden.search.agent_network import AgentNetwork, UpdateCost
from garden.search.rounds import different_keys


def links_of(graph: Graph, keys: np.ndarray) -> dict[int, tuple[int, ...]]:
    """Who is linked to whom, by keys.

    Args:
        graph: the graph.
        keys: of its nodes, (num_nodes,), all different.

    Returns:
        The keys of each node's neighbours, by its own.
    """
    names = different_keys(keys, graph.name).tolist()
    return {
        names[node]: tuple(names[end] for end in graph.neighbours(node))
        for node in range(graph.num_nodes)
    }


def update_costs(
    graph: Graph,
    keys: np.ndarray,
    *,
    k: int = 16,
    rank: str = "degree",
    num_paths: int = 0,
    num_changes: int = 300,
    seed: int = 0,
) -> dict[str, list[UpdateCost]]:
    """What single changes of a graph at rest cost, in synchronous rounds.

    Each change is undone by the next, so that all start from the same graph: a link is removed and
    added again, a node leaves and joins again with the links it had, two random nodes without a
    link get one (its removal is not counted).

    Args:
        graph: The graph.
        keys: (num_nodes,) uint64, all different.
        k: Entries at each distance, at most.
        rank: ``degree`` or ``hash``.
        num_paths: How many paths agents keep, as ``paths`` of ``beacons``.
        num_changes: Changes of each kind.
        seed: What the links and nodes are drawn from.

    Returns:
        ``num_changes`` costs each for "link removed", "link added", "node left", "node joined" and
        "link between strangers".

    """
    network = AgentNetwork.at_rest(links_of(graph, keys), k, rank, num_paths)
    rng = np.random.default_rng([seed, MEASURED_CHANGES])
    names = keys.tolist()
    costs: dict[str, list[UpdateCost]] = {}
    for _ in range(num_changes):
        for kind, cost in _changes(network, graph, names, rng):
            costs.setdefault(kind, []).append(cost)
    return costs


def _changes(
    network: AgentNetwork, graph: Graph, keys: list[int], rng: np.random.Generator
) -> Iterator[tuple[str, UpdateCost]]:
    """One change of each kind; afterwards the network is as it was."""
    slot = int(rng.integers(len(graph.indices)))
    source = int(np.searchsorted(graph.indptr, slot, side="right")) - 1
    one, other = keys[source], keys[graph.indices[slot]]
    network.remove_link(one, other)
    yield "link removed", network.settle()
    network.add_link(one, other)
    yield "link added", network.settle()
    node = int(rng.integers(graph.num_nodes))
    network.leave(keys[node])
    yield "node left", network.settle()
    network.join(keys[node], [keys[end] for end in graph.neighbours(node)])
    yield "node joined", network.settle()
    one, other = (keys[node] for node in _strangers(graph, rng))
    network.add_link(one, other)
    yield "link between strangers", network.settle()
    network.remove_link(one, other)
    network.settle()


def _strangers(graph: Graph, rng: np.random.Generator) -> tuple[int, int]:
    """Two random nodes that have no link."""
    if graph.density == 1:
        raise GraphError(f"{graph.name}: all nodes have links to each other already")
    while True:
        one, other = (int(node) for node in rng.integers(graph.num_nodes, size=2))
        if one != other and other not in graph.neighbours(one):
            return one, other


def cost_summary(costs: Sequence[UpdateCost]) -> dict[str, dict[str, float]]:
    """The ``median`` and the ``worst``, the largest, of each figure of some costs, by its name."""
    figures = {
        field.name: [getattr(cost, field.name) for cost in costs] for field in fields(UpdateCost)
    }
    return {
        name: {"median": float(np.median(column)), "worst": max(column)}
        for name, column in figures.items()
    }
