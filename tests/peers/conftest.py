"""Small networks of peers."""

from __future__ import annotations

import numpy as np
import pytest

import garden
from garden.experiments.peers.cut import keys_for, views_of
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.config import AgentConfig
from garden.peers.envelopes import Message
from garden.peers.virtual_time import VirtualNetwork
from garden.resolve import contender_named
from garden.search.temperature_tuning import prepare

GENERATED = "kaiser-hilgetag:n=60,beta=1,seed=0"


class Peers:
    """The peers of a graph, in virtual time."""

    def __init__(self, graph, name, seed=0, faults=None, digest=False, config=None):
        contender = contender_named(name)
        strategy = contender.strategy
        if name.startswith(("distance", "connection", "evn")):
            strategy = prepare(strategy, garden.SearchTask.split(graph, seed=0))
        self.graph, self.strategy, self.memory = graph, strategy, contender.memory
        self.config = config or AgentConfig()
        self.keys = keys_for(graph, strategy).tolist()
        self.position = {key: node for node, key in enumerate(self.keys)}
        self.views = list(views_of(graph, keys_for(graph, strategy)))
        self.agents = [self.agent(view) for view in self.views]
        self.network = VirtualNetwork(self.agents, seed, faults, digest)
        self.paths = {}  # (id, attempt) -> holders by hop
        self.network.watch(self._note)

    def agent(self, view, **options):
        options = {"config": self.config, "admit": lambda _key: True, **options}
        return Agent(view, self.strategy, self.memory, **options)

    def send(self, source, target, payload=b"hello", hop_limit=240):
        agent = self.network.agents[self.keys[target]]
        return self.network.send(self.keys[source], agent.card, payload, hop_limit)

    def path(self, source, message_id, attempt=0):
        """The positions of all holders of one attempt."""
        holders = self.paths.get((message_id, attempt), {})
        return (source, *(self.position[holders[hop]] for hop in sorted(holders)))

    def ending(self, message_id):
        (ended,) = self.network.endings[message_id]
        return ended

    def _note(self, _now, envelope):
        body = envelope.body
        if isinstance(body, Message):
            self.paths.setdefault((body.id, body.attempt), {})[body.hop] = envelope.receiver


@pytest.fixture(scope="session")
def generated():
    return garden.load(GENERATED)


@pytest.fixture(scope="session")
def path_graph():
    """a – b – c – d, and e beside b and c."""
    edges = np.array([[0, 1], [1, 2], [2, 3], [1, 4], [2, 4]])
    return Graph.from_edges(edges, 5, np.eye(5, dtype=np.float32), name="path")


@pytest.fixture
def peers_of():
    return Peers
