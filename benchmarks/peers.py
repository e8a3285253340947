"""Peers: one choice, and hops of a whole network in virtual time, on one core.

Times are CPU time of this process, so that other work on the machine counts less. A bare heap of
as many events, each of which encodes and decodes an envelope, stands beside virtual time: what
remains is the agents' own work.
"""

from __future__ import annotations

import heapq
import os
import time

import numpy as np

import garden
from _timing import report
from garden.experiments.peers.cut import keys_for, ready_contender, views_of
from garden.experiments.peers.speed import choice_microseconds
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.envelopes import Message, decoded, encoded
from garden.peers.messages import new_message
from garden.peers.virtual_time import VirtualNetwork

SPEC = "facebook:414" if os.environ.get("GARDEN_DATA") else "kaiser-hilgetag:n=148,beta=1,seed=0"
NAMES = ("random", "greedy+backtrack", "bidirectional+backtrack", "universal+backtrack",
         "beacons+backtrack")  # fmt: skip
CHOICES = 2_000
MESSAGES = {"random": 50}  # others: 1,000; unguided ones take hundreds of hops


def settled(graph: Graph, name: str) -> tuple[VirtualNetwork, list[Agent]]:
    contender = ready_contender(graph, name)
    views = views_of(graph, keys_for(graph, contender.strategy))
    agents = [Agent(view, contender.strategy, contender.memory) for view in views]
    network = VirtualNetwork(agents, seed=0)
    network.settle()
    return network, agents


def virtual_hops(
    network: VirtualNetwork, agents: list[Agent], messages: int
) -> tuple[float, float]:
    """Hops per second of CPU time, of messages that are all under way at once; events per hop."""
    rng = np.random.default_rng(1)
    hops, cards = 0, [agent.card for agent in agents]

    def count(_now: int, envelope: object) -> None:
        nonlocal hops
        hops += isinstance(envelope.body, Message)  # type: ignore[attr-defined]

    network.watch(count)
    events = network.traffic.events
    start = time.process_time()
    ids = []
    for _ in range(messages):
        source, target = rng.choice(len(agents), 2, replace=False)
        ids.append(network.send(agents[source].key, cards[target], b"", 4 * len(agents)))
    network.finish(ids)
    seconds = time.process_time() - start
    return hops / seconds, (network.traffic.events - events) / hops


def bare_events(agent: Agent, count: int = 20_000) -> float:
    """Events per second of a heap that encodes and decodes a message with each."""
    message = new_message(agent.card, b"", bytes(16), bytes(16))
    heap: list[tuple[int, int, bytes]] = []
    start = time.process_time()
    for number in range(count):
        heapq.heappush(heap, (number * 7919 % 50, number, encoded(message)))
        if number % 2:
            decoded(heapq.heappop(heap)[2])
            decoded(heapq.heappop(heap)[2])
    return count / (time.process_time() - start)


def main() -> None:
    graph = garden.load(SPEC)
    rows, content = [], {}
    for name in NAMES:
        network, agents = settled(graph, name)
        choose = float(np.median(choice_microseconds(agents, CHOICES)))
        hops, events = virtual_hops(network, agents, MESSAGES.get(name, 1_000))
        bare = bare_events(agents[0]) / events
        rows.append((name, f"{choose:.0f}", f"{hops:,.0f}", f"{bare:,.0f}", f"{bare / hops:.1f}"))
        content[name] = {"choose_us": choose, "hops_per_s": hops, "bare_hops_per_s": bare}
    columns = ("strategy", "choose, median µs", "virtual hops/s", "bare events, hops/s", "ratio")
    report(f"Peers of {SPEC}", columns, rows, {"graph": SPEC, "strategies": content})


if __name__ == "__main__":
    main()
