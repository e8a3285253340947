"""Checks that rows of ``begin`` and ``hear`` come of what an agent can have heard, of nothing else.

Not of the batch, the order of neighbours, nodes further away than news can have come, or how nodes
are numbered.
"""

from __future__ import annotations

import numpy as np

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations
from garden.testing.findings import Findings, counted
from garden.testing.played_rounds import Network, heard, history, node_keys
from garden.testing.probes import (
    changed_outside,
    reordered,
    some_in_another_order,
    some_nodes,
    within,
)

_MOST_ROUNDS = 4  # after which locality is looked at: no probe is much wider
_BLOCK_CAUSES = ("begin batch", "begin order", "hear batch", "hear order")


def check_locality(
    strategy: GossipStrategy, graph: Graph, rounds: list[Representations], found: Findings
) -> None:
    """Check the rows of every round, each in four ways.

    Args:
        strategy: The strategy, fitted and at a temperature.
        graph: Whose nodes the agents are.
        rounds: The rows of all agents, first after ``begin``, then after each round.
        found: Where problems are noted.
    """
    _check_begin_block(strategy, graph, rounds[0], found)
    _check_hear_block(strategy, graph, rounds, found)
    _check_reach(strategy, graph, rounds, found)
    _check_numbers(strategy, graph, rounds[-1], found)


def _check_begin_block(
    strategy: GossipStrategy, graph: Graph, rows: Representations, found: Findings
) -> None:
    """Check that ``begin`` gives an ego graph its row alone, among others and in another order."""
    network = Network.of(graph)
    blocks = [np.array([agent]) for agent in some_nodes(graph)]
    for agents in [some_in_another_order(graph.num_nodes), *blocks]:
        after = Network(network.egos.take(agents), network.keys).begun(strategy, found)
        if not found.expect_same(
            "begin batch",
            rows.take(agents),
            after,
            "begin depends on the batch: a row changes when the ego graphs come in another order "
            f"or with others beside them {found.where}.",
        ):
            return
    found.expect_same(
        "begin order",
        rows,
        Network(reordered(network.egos), network.keys).begun(strategy, found),
        "begin depends on the order in which an ego graph's neighbours or edges stand, which means "
        f"nothing {found.where}.",
    )


def _check_hear_block(
    strategy: GossipStrategy, graph: Graph, rounds: list[Representations], found: Findings
) -> None:
    """Check every round again: agents one by one, some of them, and neighbours in other orders."""
    network = Network.of(graph)
    listeners = network.listeners
    some = listeners[some_in_another_order(len(listeners))]
    blocks = [some, *(np.array([agent]) for agent in some_nodes(graph))]
    batch = (
        "hear depends on the block: an agent gets another row when others hear beside it, or in "
        f"another order {found.where}. Its row comes from its own and its neighbours' rows alone."
    )
    order = (
        "hear depends on the order in which neighbours are heard, which means nothing "
        f"{found.where}."
    )
    turned = Network(reordered(network.egos), network.keys)
    trials = [*(("hear batch", network, agents, batch) for agents in blocks)]
    trials.append(("hear order", turned, listeners, order))
    for before, after in zip(rounds, [*rounds[1:], rounds[-1]], strict=True):
        for kind, hearing, agents, sentence in trials:
            members, owner = hearing.heard_by(agents)
            new = heard(strategy, before.take(agents), before.take(members), owner, found)
            if not found.expect_same(kind, after.take(agents), new, sentence):
                return


def _check_reach(
    strategy: GossipStrategy, graph: Graph, rounds: list[Representations], found: Findings
) -> None:
    """Check that after r rounds nothing further than the ego graphs within r hops shows."""
    for agent in some_nodes(graph):
        for number in range(min(len(rounds), _MOST_ROUNDS + 1)):
            changed = _changed_beyond(graph, agent, number + 1)
            rows = changed.begun(strategy, found)
            for _ in range(number):
                rows = changed.next_rows(strategy, rows, found)
            row = np.array([agent])
            if not found.expect_same(
                "reach",
                rounds[number].take(row),
                rows.take(row),
                f"After {counted(number, 'round')} a row changes when something changes beyond the "
                f"ego graphs of agents within {counted(number, 'hop')} {found.where}: news travels "
                "one hop in a round.",
            ):
                return


def _changed_beyond(graph: Graph, agent: int, hops: int) -> Network:
    """Another network, the same for whom the agent sees within so many hops; others have changed.

    Keys, attributes and links differ, and nodes have joined.
    """
    changed = changed_outside(graph, agent, hops)
    kept = sorted(within(graph, agent, hops))
    before = node_keys(changed.num_nodes)
    keys = ~before
    keys[kept] = before[kept]
    return Network(ego_graphs(changed), keys)


def _check_numbers(
    strategy: GossipStrategy, graph: Graph, rows: Representations, found: Findings
) -> None:
    if any(cause in found for cause in _BLOCK_CAUSES):
        return  # other numbers mean another order of everything
    order = np.random.default_rng(6).permutation(graph.num_nodes)
    network = Network(ego_graphs(graph.subgraph(order)), node_keys(graph.num_nodes)[order])
    found.expect_same(
        "numbers",
        rows.take(order),
        history(strategy, network, found)[-1],
        f"Settled rows change when nodes are numbered otherwise {found.where}: numbers in "
        "egos.members say where profiles are stored, and nothing else.",
    )
