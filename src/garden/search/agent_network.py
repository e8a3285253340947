"""A network of agents that keep their sketches, in simulation.

:class:`AgentNetwork` holds agents (:mod:`garden.strategies.gossip.maintenance`) and the envelopes
under way among them, applies changes of links and nodes, delivers in synchronous rounds or in any
order that keeps each link's, and counts what is said.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

from garden.errors import GraphError
from garden.strategies.gossip.kept_paths import Paths
from garden.strategies.gossip.maintenance import Envelope, SketchKeeper
from garden.strategies.gossip.sketches import CLASS_OF_RANK, Row

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

    def __init__(self, links: Links, k: int, rank: str, num_paths: int = 0) -> None:
        """Agents that know their neighbours' keys and nothing else, their greetings under way.

        Args:
            links: The keys of each agent's neighbours, by its key.
            k: How many better-ranked beacons may be as near.
            rank: `degree` or `hash`.
            num_paths: To how many beacons an agent keeps paths.
        """
        self._k = k
        self._num_paths = num_paths
        self._class_of = CLASS_OF_RANK[rank]
        self._under_way: dict[tuple[int, int], deque[Envelope]] = {}
        self._counts: Counter[str] = Counter()  # by the fields of UpdateCost
        self._speakers: set[int] = set()
        self.agents = {key: self._agent(key, ends) for key, ends in links.items()}
        for agent in self.agents.values():
            self._send(agent.greeting())

    @classmethod
    def at_rest(cls, links: Links, k: int, rank: str, num_paths: int = 0) -> AgentNetwork:
        """Agents that have settled: nothing is under way.

        Args:
            links: the keys of each agent's neighbours, by its key.
            k: how many better-ranked beacons may be as near.
            rank: `degree` or `hash`.
            num_paths: to how many beacons an agent keeps paths.

        Returns:
            The settled network.
        """
        network = cls(links, k, rank, num_paths)
        network.settle()
        return network

    @property
    def is_silent(self) -> bool:
        """Whether nothing is under way."""
        return not self._under_way

    def links(self) -> dict[int, tuple[int, ...]]:
        """The keys of each agent's neighbours."""
        return {key: agent.neighbours for key, agent in self.agents.items()}

    def rows(self) -> dict[int, Row]:
        """The sketch of each agent as it stands."""
        return {key: agent.row for key, agent in self.agents.items()}

    def paths(self) -> dict[int, Paths]:
        """The paths of each agent as they stand."""
        return {key: agent.paths for key, agent in self.agents.items()}

    def add_link(self, one: int, other: int) -> None:
        """Link two agents, and put under way what they tell each other.

        Args:
            one: the key of an agent.
            other: the key of the other.
        """
        for agent, end in ((one, other), (other, one)):
            self._send(self.agents[agent].link_up(end))

    def remove_link(self, one: int, other: int) -> None:
        """Cut a link, and with it what is under way on it.

        Args:
            one: the key of an agent.
            other: the key of the other.
        """
        for agent, end in ((one, other), (other, one)):
            self._under_way.pop((agent, end), None)
            self._send(self.agents[agent].link_down(end))

    def join(self, key: int, neighbours: Iterable[int]) -> None:
        """A new agent comes and links itself to others.

        Args:
            key: the new agent's.
            neighbours: the keys of those it links itself to.
        """
        if key in self.agents:
            raise GraphError(f"two agents have the key {key}")
        ends = tuple(neighbours)
        agent = self.agents[key] = self._agent(key, ends)
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
            for (_, receiver), queue in self._under_way.items():
                arrived.setdefault(receiver, []).extend(queue)
            self._under_way = {}
            self._counts["rounds"] += 1
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

    def _agent(self, key: int, neighbours: Iterable[int]) -> SketchKeeper:
        return SketchKeeper(key, self._k, self._class_of, neighbours, self._num_paths)

    def _send(self, envelopes: Iterable[Envelope]) -> None:
        for envelope in envelopes:
            link = (envelope.sender, envelope.receiver)
            self._under_way.setdefault(link, deque()).append(envelope)
            self._speakers.add(envelope.sender)
            self._counts["entries"] += len(envelope.entries)
            self._counts["withdrawals"] += len(envelope.withdrawn)
            self._counts["acknowledgements"] += len(envelope.acknowledged)
            self._counts["bytes"] += envelope.num_bytes

    def _counted(self) -> UpdateCost:
        """What was said since this was asked last."""
        self._counts["agents"] = len(self._speakers)
        cost = UpdateCost(**{field.name: self._counts[field.name] for field in fields(UpdateCost)})
        self._counts.clear()
        self._speakers.clear()
        return cost
