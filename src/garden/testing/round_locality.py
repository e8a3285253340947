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
from garden.testing.equality import differing_row
from garden.testing.findings import Findings, counted
from garden.testing.played_rounds import (
    Network,
    begun,
    heard,
    history,
    next_rows,
    node_keys,
)
from garden.testing.probes import (
    Probe,
    changed_outside,
    reordered,
    within,
)

_MOST_ROUNDS = 4  # after which locality is looked at: no probe is much wider
_BLOCK_CAUSES = ("begin batch", "begin order", "hear batch", "hear order")


def check_locality(
    strategy: GossipStrategy,
    network: Network,
    rounds: list[Representations],
    probe: Probe,
    found: Findings,
) -> None:
    """Check the rows of every round, each in four ways.

    Args:
        strategy: The strategy, fitted and at a temperature.
        network: Who hears whom on the probe.
        rounds: The rows of all agents, first after ``begin``, then after each round.
        probe: The graph.
        found: Where problems are noted.
    """
    _check_begin_block(strategy, network, rounds[0], probe, found)
    _check_hear_block(strategy, network, rounds, probe, found)
    _check_reach(strategy, rounds, probe, found)
    _check_numbers(strategy, rounds, probe, found)


def _check_begin_block(
    strategy: GossipStrategy,
    network: Network,
    rows: Representations,
    probe: Probe,
    found: Findings,
) -> None:
    """Check that ``begin`` gives an ego graph its row alone, among others and in another order."""
    egos = network.egos
    blocks = [np.array([agent]) for agent in _some_agents(probe.graph)]
    for agents in [_other_order(len(egos)), *blocks]:
        some = egos.take(agents)
        after = begun(strategy, some, network.keys[some.members], probe.where, found)
        if differing_row(rows.take(agents), after, found.exact) is not None:
            found.add(
                "begin batch",
                "begin depends on the batch: a row changes when the ego graphs come in another "
                f"order or with others beside them {probe.where}.",
            )
            return
    turned = reordered(egos)
    after = begun(strategy, turned, network.keys[turned.members], probe.where, found)
    if differing_row(rows, after, found.exact) is not None:
        found.add(
            "begin order",
            "begin depends on the order in which an ego graph's neighbours or edges stand, which "
            f"means nothing {probe.where}.",
        )


def _check_hear_block(
    strategy: GossipStrategy,
    network: Network,
    rounds: list[Representations],
    probe: Probe,
    found: Findings,
) -> None:
    """Check every round again: agents one by one, some of them, and neighbours in other orders."""
    expected = [*rounds[1:], rounds[-1]]
    turned = Network(reordered(network.egos), network.keys)
    listeners = network.listeners
    some = listeners[_other_order(len(listeners))]
    blocks = [some, *(np.array([agent]) for agent in _some_agents(probe.graph))]
    for before, after in zip(rounds, expected, strict=True):
        for agents in blocks:
            if not _hear_alike(strategy, network, agents, before, after, probe, found):
                found.add(
                    "hear batch",
                    "hear depends on the block: an agent gets another row when others hear beside "
                    f"it, or in another order {probe.where}. Its row comes from its own and its "
                    "neighbours' rows alone.",
                )
                return
        if not _hear_alike(strategy, turned, listeners, before, after, probe, found):
            found.add(
                "hear order",
                "hear depends on the order in which neighbours are heard, which means nothing "
                f"{probe.where}.",
            )
            return


def _hear_alike(
    strategy: GossipStrategy,
    network: Network,
    agents: np.ndarray,
    before: Representations,
    after: Representations,
    probe: Probe,
    found: Findings,
) -> bool:
    members, owner = network.heard_by(agents)
    new = heard(strategy, before.take(agents), before.take(members), owner, probe.where, found)
    return differing_row(after.take(agents), new, found.exact) is None


def _check_reach(
    strategy: GossipStrategy, rounds: list[Representations], probe: Probe, found: Findings
) -> None:
    """Check that after r rounds nothing further than the ego graphs within r hops shows."""
    for agent in _some_agents(probe.graph):
        for number in range(min(len(rounds), _MOST_ROUNDS + 1)):
            changed = _changed_beyond(probe.graph, agent, number + 1)
            rows = begun(strategy, changed.egos, changed.member_keys, probe.where, found)
            for _ in range(number):
                rows = next_rows(strategy, changed, rows, probe.where, found)
            row = np.array([agent])
            if differing_row(rounds[number].take(row), rows.take(row), found.exact) is not None:
                found.add(
                    "reach",
                    f"After {counted(number, 'round')} a row changes when something changes beyond "
                    f"the ego graphs of agents within {counted(number, 'hop')} {probe.where}: news "
                    "travels one hop in a round.",
                )
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
    strategy: GossipStrategy, rounds: list[Representations], probe: Probe, found: Findings
) -> None:
    if any(cause in found for cause in _BLOCK_CAUSES):
        return  # other numbers mean another order of everything
    order = np.random.default_rng(6).permutation(probe.graph.num_nodes)
    network = Network(
        ego_graphs(probe.graph.subgraph(order)), node_keys(probe.graph.num_nodes)[order]
    )
    rows = history(strategy, network, probe.where, found)[-1]
    if differing_row(rounds[-1].take(order), rows, found.exact) is not None:
        found.add(
            "numbers",
            f"Settled rows change when nodes are numbered otherwise {probe.where}: numbers in "
            "egos.members say where profiles are stored, and nothing else.",
        )


def _some_agents(graph: Graph) -> list[int]:
    degrees = graph.degrees
    return sorted({int(degrees.argmin()), int(degrees.argmax()), len(degrees) - 1})


def _other_order(count: int) -> np.ndarray:
    """Two thirds of so many positions in another order."""
    return np.random.default_rng(1).permutation(count)[: 2 * count // 3 + 1]
