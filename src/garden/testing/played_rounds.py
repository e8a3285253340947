"""Rounds as the checks play them: every agent begins, then all hear their neighbours.

Each row is looked at as it comes. Ego graphs say who hears whom, and in which order; their members
are numbers of nodes here.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.rounds import MIN_ROUNDS
from garden.strategies.base import Strategy
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations, differing_rows
from garden.testing.findings import Findings, StoppedError
from garden.testing.probes import copied
from garden.testing.represent_checks import represented, well_formed


@dataclass(frozen=True, eq=False)
class Network:
    """Agents with their keys, and whom each of them hears."""

    egos: EgoGraphs  # of all nodes, in their order
    keys: np.ndarray  # (num_nodes,) uint64

    @classmethod
    def of(cls, graph: Graph) -> Network:
        """The agents of a graph; a node has the same key whatever others there are."""
        return cls(ego_graphs(graph), node_keys(graph.num_nodes))

    @property
    def member_keys(self) -> np.ndarray:
        """The key of each member of each ego graph, as ``begin`` takes them."""
        return self.keys[self.egos.members]

    def heard_by(self, agents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The neighbours of some agents, one under another, and whose each is, both (num,)."""
        block = self.egos.take(agents)
        return block.members[~block.is_centre], block.owner[~block.is_centre]

    @property
    def listeners(self) -> np.ndarray:
        """The agents that have a neighbour."""
        return np.flatnonzero(self.egos.degrees > 0)

    def begun(self, strategy: GossipStrategy, found: Findings) -> Representations:
        """What ``begin`` gives for copies of these ego graphs and keys, if it is well formed.

        Args:
            strategy: The strategy.
            found: Where problems are noted.

        """
        egos, keys = copied(self.egos), self.member_keys
        rows = found.result_of("begin", lambda: strategy.begin(egos, keys))
        return well_formed("begin", rows, len(egos), found)

    def next_rows(
        self, strategy: GossipStrategy, rows: Representations, found: Findings
    ) -> Representations:
        """The rows after one more round.

        Args:
            strategy: The strategy.
            rows: Those of all agents so far.
            found: Where problems are noted.

        """
        agents = self.listeners
        if len(agents) == 0:
            return rows
        members, owner = self.heard_by(agents)
        new = heard(strategy, rows.take(agents), rows.take(members), owner, found)
        return rows.replaced(agents, new)


def node_keys(num_nodes: int) -> np.ndarray:
    """Keys for the nodes of a small graph, (num_nodes,) uint64."""
    rng = np.random.default_rng(11)
    return np.array([rng.integers(1 << 64, dtype=np.uint64) for _ in range(num_nodes)])


def heard(
    strategy: GossipStrategy,
    own: Representations,
    neighbours: Representations,
    owner: np.ndarray,
    found: Findings,
) -> Representations:
    """What ``hear`` gives for copies of these rows, if it is well formed and like its own rows.

    Args:
        strategy: The strategy.
        own: The rows of a block of agents.
        neighbours: Their neighbours' rows.
        owner: Whose each of those is.
        found: Where problems are noted.

    """
    given = copy.deepcopy((own, neighbours, owner))
    rows = found.result_of("hear", lambda: strategy.hear(*given))
    rows = well_formed("hear", rows, len(own), found)
    ours, theirs = _shapes(rows), _shapes(own)
    if ours != theirs:
        names = sorted(name for name, _ in ours.items() ^ theirs.items())
        raise found.stop(
            "hear arrays",
            f"hear and begin give different arrays ({', '.join(dict.fromkeys(names))}) "
            f"{found.where}: a row has the same ones, each of one width, in every round.",
        )
    return rows


def history(strategy: GossipStrategy, network: Network, found: Findings) -> list[Representations]:
    """All rows before the first round and after each, until none changes; the last are settled.

    Args:
        strategy: The strategy.
        network: The agents.
        found: Where problems are noted.

    """
    if "settles" in found:  # once is enough to wait for
        raise StoppedError
    rows = [network.begun(strategy, found)]
    while len(rows) <= MIN_ROUNDS:
        after = network.next_rows(strategy, rows[-1], found)
        if not differing_rows(rows[-1], after).any():
            return rows
        rows.append(after)
    raise found.stop(
        "settles",
        f"Its rows still change after {MIN_ROUNDS} rounds {found.where}: hear must come to an end, "
        "where the same rows give themselves again.",
    )


def rows_of(strategy: Strategy, egos: EgoGraphs, found: Findings) -> Representations:
    """The rows that agents with these ego graphs search with: settled where there are rounds.

    Args:
        strategy: The strategy, with rounds or without.
        egos: The ego graphs of all nodes of a graph.
        found: Where problems are noted.

    """
    if isinstance(strategy, GossipStrategy):
        return history(strategy, Network(egos, node_keys(len(egos))), found)[-1]
    return represented(strategy, egos, found)


def _shapes(rows: Representations) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The kind and the width of each array, by its name."""
    flat = {name: ("rows", array.shape[1:]) for name, array in rows.arrays.items()}
    ragged = {name: ("ragged", part.values.shape[1:]) for name, part in rows.ragged.items()}
    return {**flat, **ragged}
