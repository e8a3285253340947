"""A network of peers in virtual time that a trial crashes, parts and restarts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from scipy.sparse.csgraph import breadth_first_order

from garden.experiments.peers.cut import keys_for, views_of
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.config import AgentConfig
from garden.peers.faults import Faults
from garden.peers.messages import Card
from garden.peers.virtual_time import VirtualNetwork
from garden.search.compare import Contender

SETTLING = 90_000  # ms in which lost neighbours are found, and sketches settle anew


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the collector of cyclic garbage, of which agents make none.

    Among a hundred million objects it takes half of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class PeerTrial:
    """The peers of a graph in virtual time, by the positions of their nodes."""

    def __init__(
        self,
        graph: Graph,
        contender: Contender,
        seed: int,
        faults: Faults | None = None,
        config: AgentConfig | None = None,
    ) -> None:
        """Cut the peers, start them.

        Args:
            graph: Whose nodes the peers are.
            contender: What they run.
            seed: What is random in the network.
            faults: What goes wrong from the start.
            config: The peers' patience and limits.
        """
        self.graph = graph
        self.contender = contender
        self.keys: list[int] = keys_for(graph, contender.strategy).tolist()
        self._config = config
        self._views = list(views_of(graph, keys_for(graph, contender.strategy)))
        self._lives = dict.fromkeys(range(graph.num_nodes), 0)
        self._left: set[int] = set()
        self.faults = faults or Faults()
        self.network = VirtualNetwork(
            [self._agent(node) for node in range(graph.num_nodes)], seed, self.faults
        )

    def settle(self) -> None:
        """Run until all is silent; where envelopes are lost it may never be: for a time."""
        if self.faults.loss:
            self.network.run_until(self.network.now + SETTLING)
        else:
            self.network.settle()

    def settle_anew(self) -> None:
        """Run until lost neighbours have been found out, and all is silent."""
        self.network.run_until(self.network.now + SETTLING)
        self.settle()

    def change_faults(self, faults: Faults) -> None:
        """From now on, something else goes wrong."""
        self.faults = faults
        self.network.change_faults(faults)

    def lives(self, node: int) -> bool:
        """Whether the peer of a node is up."""
        return self.keys[node] in self.network.agents

    def card(self, node: int) -> Card:
        """The card of a peer that is up, as it is now."""
        return self.network.agents[self.keys[node]].card

    def cards(self) -> dict[int, Card]:
        """The cards of all peers that are up, as they are now, by node."""
        return {node: self.card(node) for node in range(len(self.keys)) if self.lives(node)}

    def send(self, source: int, card: Card) -> bytes:
        """Send an empty message; its id.

        Args:
            source: The position of the sender's node.
            card: The target's.
        """
        limit = min(4 * self.graph.num_nodes, 4_096)
        return self.network.send(self.keys[source], card, b"", limit)

    def take_down(self, node: int, says_goodbye: bool = False) -> None:
        """A peer crashes, or leaves.

        Args:
            node: Its position.
            says_goodbye: Whether it leaves, so that its neighbours forget it.
        """
        if says_goodbye:
            self._left.add(node)
            self.network.leave(self.keys[node])
        else:
            self.network.crash(self.keys[node])

    def bring_back(self, node: int) -> None:
        """A peer comes back, built anew: one that crashed restarts, one that left joins."""
        self._lives[node] += 1
        agent = self._agent(node, self.network.clock_of(self.keys[node]))
        if node in self._left:
            self._left.discard(node)
            self.network.join(agent)
        else:
            self.network.restart(agent)

    def _agent(self, node: int, restarted_at: int | None = None) -> Agent:
        return Agent(
            self._views[node],
            self.contender.strategy,
            self.contender.memory,
            config=self._config,
            admit=lambda _key: True,
            incarnation=self._lives[node],
            restarted_at=restarted_at,
        )


def region(graph: Graph, size: int, start: int) -> frozenset[int]:
    """The nodes that a breadth-first search meets first.

    Args:
        graph: The graph.
        size: How many, the first included; fewer where no more are joined to it.
        start: The first.
    """
    met = breadth_first_order(graph.adjacency(), start, return_predecessors=False)
    return frozenset(met[:size].tolist())
