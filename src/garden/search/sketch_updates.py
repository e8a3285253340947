"""What it costs a network of agents to keep its sketches while links and nodes come and go.

:class:`AgentNetwork` simulates agents (:mod:`garden.strategies.gossip.maintenance`) that send each
other envelopes, in synchronous rounds or in any order that keeps each link's; :func:`update_costs`
measures single changes of a graph at rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from garden.errors import GraphError
from garden.graphs.graph import Graph
from garden.search.progress import Progress, silent
from garden.strategies.gossip.maintenance import (
    BYTES_PER_BEACON,
    BYTES_PER_ENTRY,
    CLASS_OF_RANK,
    Beacon,
    Envelope,
    Row,
    SketchKeeper,
    pruned_row,
)

Links: TypeAlias = Mapping[int, Sequence[int]]  # the keys of each agent's neighbours, by its key


@dataclass(frozen=True)
class UpdateCost:
    """What agents said until all was silent; items count once for each neighbour told."""

    agents: int
    """Agents that said anything."""

    entries: int
    """Entries told, new ones and nearer ones."""

    withdrawals: int
    """Entries withdrawn."""

    acknowledgements: int
    """Withdrawals acknowledged: each is, once, unless its link goes first."""

    bytes: int
    """The bytes of all of those."""

    rounds: int
    """Rounds in which something arrived; 0 for envelopes that arrived one by one."""


class AgentNetwork:
    """Agents that keep their sketches, by their keys, and the envelopes under way among them.

    A change puts envelopes under way; :meth:`settle` or :meth:`settle_one_by_one` delivers them and
    their answers until there are none. Several changes may come before, or between deliveries.
    """

    def __init__(self, agents: Iterable[SketchKeeper], k: int, rank: str) -> None:
        self.agents = {agent.key: agent for agent in agents}
        self._k = k
        self._class_of = CLASS_OF_RANK[rank]
        self._under_way: dict[tuple[int, int], deque[Envelope]] = {}
        self._count = _Count()

    @classmethod
    def starting(cls, links: Links, k: int, rank: str) -> AgentNetwork:
        """Agents that know their neighbours' keys and nothing else, their greetings under way."""
        class_of = CLASS_OF_RANK[rank]
        agents = [SketchKeeper(key, k, class_of, ends) for key, ends in links.items()]
        network = cls(agents, k, rank)
        for agent in agents:
            network._send(agent.greeting())
        return network

    @classmethod
    def at_rest(cls, links: Links, k: int, rank: str) -> AgentNetwork:
        """Agents that have settled: their rows are built at once, and nothing is under way."""
        class_of = CLASS_OF_RANK[rank]
        rows = fresh_rows(links, k, class_of)
        agents = [
            SketchKeeper.at_rest(key, k, class_of, rows[key], {end: rows[end] for end in ends})
            for key, ends in links.items()
        ]
        return cls(agents, k, rank)

    def links(self) -> dict[int, tuple[int, ...]]:
        """The keys of each agent's neighbours."""
        return {key: agent.neighbours for key, agent in self.agents.items()}

    def rows(self) -> dict[int, Row]:
        """The sketch of each agent as it stands."""
        return {key: agent.row for key, agent in self.agents.items()}

    def add_link(self, one: int, other: int) -> None:
        """Link two agents."""
        for agent, end in ((one, other), (other, one)):
            self._send(self.agents[agent].link_up(end))

    def remove_link(self, one: int, other: int) -> None:
        """Cut a link, and with it what is under way on it."""
        for agent, end in ((one, other), (other, one)):
            self._under_way.pop((agent, end), None)
            self._send(self.agents[agent].link_down(end))

    def join(self, key: int, neighbours: Iterable[int]) -> None:
        """A new agent comes and links itself to others."""
        if key in self.agents:
            raise GraphError(f"two agents have the key {key}")
        ends = tuple(neighbours)
        agent = self.agents[key] = SketchKeeper(key, self._k, self._class_of, ends)
        self._send(agent.greeting())
        for end in ends:
            self._send(self.agents[end].link_up(key))

    def leave(self, key: int) -> None:
        """An agent goes, and all of its links with it."""
        for end in self.agents.pop(key).neighbours:
            self._under_way.pop((key, end), None)
            self._under_way.pop((end, key), None)
            self._send(self.agents[end].link_down(key))

    def settle(self) -> UpdateCost:
        """Deliver all that is under way, round after round, until nobody speaks.

        Returns:
            What was said since the network last settled.

        """
        while self._under_way:
            arrived: dict[int, list[Envelope]] = {}
            for (_, receiver), envelopes in self._under_way.items():
                arrived.setdefault(receiver, []).extend(envelopes)
            self._under_way = {}
            self._count.rounds += 1
            for receiver, envelopes in arrived.items():
                self._send(self.agents[receiver].receive(envelopes))
        return self._counted()

    def settle_one_by_one(self, choose: Callable[[int], int]) -> UpdateCost:
        """Deliver one envelope after the other until nobody speaks.

        Args:
            choose: Given how many links have something under way, which of them delivers next.

        Returns:
            What was said since the network last settled.

        """
        while self._under_way:
            self.deliver_one(choose)
        return self._counted()

    def deliver_one(self, choose: Callable[[int], int]) -> None:
        """Deliver the envelope that has been under way longest on a chosen link."""
        links = list(self._under_way)
        link = links[choose(len(links))]
        envelope = self._under_way[link].popleft()
        if not self._under_way[link]:
            del self._under_way[link]
        self._send(self.agents[link[1]].receive([envelope]))

    def _send(self, envelopes: Iterable[Envelope]) -> None:
        for envelope in envelopes:
            link = (envelope.sender, envelope.receiver)
            self._under_way.setdefault(link, deque()).append(envelope)
            self._count.add(envelope)

    def _counted(self) -> UpdateCost:
        cost, self._count = self._count.cost(), _Count()
        return cost


class _Count:
    """A running count of what was said."""

    def __init__(self) -> None:
        self.rounds = self.entries = self.withdrawals = self.acknowledgements = 0
        self.agents: set[int] = set()

    def add(self, envelope: Envelope) -> None:
        self.agents.add(envelope.sender)
        self.entries += len(envelope.entries)
        self.withdrawals += len(envelope.withdrawn)
        self.acknowledgements += len(envelope.acknowledged)

    def cost(self) -> UpdateCost:
        named = self.withdrawals + self.acknowledgements
        return UpdateCost(
            agents=len(self.agents),
            entries=self.entries,
            withdrawals=self.withdrawals,
            acknowledgements=self.acknowledgements,
            bytes=BYTES_PER_ENTRY * self.entries + BYTES_PER_BEACON * named,
            rounds=self.rounds,
        )


def fresh_rows(links: Links, k: int, class_of: Callable[[int], int]) -> dict[int, Row]:
    """The settled sketch of each agent, by rounds in which all hear all at once."""
    beacons = {key: Beacon(-class_of(len(ends)), key) for key, ends in links.items()}
    rows: dict[int, dict[Beacon, int]] = {key: {beacons[key]: 0} for key in links}
    told = {key: [beacons[key]] for key in links}
    distance = 0
    while told:
        distance += 1
        told = {
            key: found
            for key, ends in links.items()
            if (found := _found(rows[key], [told[end] for end in ends if end in told], distance, k))
        }
        for key, found in told.items():
            rows[key].update(dict.fromkeys(found, distance))
    return dict(rows)


def _found(
    row: dict[Beacon, int], heard: Iterable[Iterable[Beacon]], distance: int, k: int
) -> list[Beacon]:
    """The beacons at a distance that belong in a row which holds all nearer ones."""
    new = {beacon for beacons in heard for beacon in beacons if beacon not in row}
    if not new:
        return []
    kept = pruned_row({**row, **dict.fromkeys(new, distance)}, k)
    return [beacon for beacon in new if beacon in kept]


def links_of(graph: Graph, keys: np.ndarray) -> dict[int, tuple[int, ...]]:
    """The keys of each node's neighbours, by its key; keys are (num_nodes,), all different."""
    names = [int(key) for key in keys]
    if len(set(names)) < graph.num_nodes:
        raise GraphError(f"{graph.name}: two nodes have the same key: choose another seed")
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
    num_changes: int = 300,
    seed: int = 0,
    progress: Progress = silent,
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
        num_changes: Changes of each kind.
        seed: What the links and nodes are drawn from.
        progress: Called after each change.

    Returns:
        ``num_changes`` costs each for "link removed", "link added", "node left", "node joined" and
        "link between strangers".

    """
    network = AgentNetwork.at_rest(links_of(graph, keys), k, rank)
    rng = np.random.default_rng(seed)
    costs: dict[str, list[UpdateCost]] = {}
    for change in range(num_changes):
        for kind, cost in _changes(network, graph, [int(key) for key in keys], rng):
            costs.setdefault(kind, []).append(cost)
        progress("changes", change + 1, num_changes)
    return costs


def _changes(
    network: AgentNetwork, graph: Graph, keys: list[int], rng: np.random.Generator
) -> Iterable[tuple[str, UpdateCost]]:
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


def cost_summary(costs: Sequence[UpdateCost]) -> dict[str, dict[str, Any]]:
    """The median and the largest of each figure of some costs: ``{"agents": {"median", "worst"}}``."""
    values = {field.name: [asdict(cost)[field.name] for cost in costs] for field in fields(UpdateCost)}
    return {
        name: {"median": float(np.median(column)), "worst": max(column)}
        for name, column in values.items()
    }
