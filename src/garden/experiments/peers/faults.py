"""How many messages arrive where peers crash and envelopes are lost: `garden peers faults`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from garden.errors import SpecError, expect_count, expect_share
from garden.experiments.peers.cut import keys_for, ready_contender, views_of
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.envelopes import MAX_HOPS
from garden.peers.faults import Faults
from garden.peers.virtual_time import VirtualNetwork
from garden.random_streams import CRASHED_PEERS
from garden.search.progress import Progress, silent

SETTLING = 90_000  # ms in which lost neighbours are found, and sketches settle anew
PACE = 100  # ms between two messages
PER_STEP = 100  # messages between two calls of `progress`


@dataclass(frozen=True)
class FaultReport:
    """What became of the messages between peers that live and are joined by live peers."""

    graph: str
    strategy: str
    memory: str
    seed: int
    num_peers: int
    crashed: int
    loss: float
    settled_anew: bool
    """Whether messages were sent only after crashes had been found out."""

    messages: int
    delivered: int
    failed: int
    unknown: int
    handed_over_twice: int
    delivery_rate: float
    delivery_rate_ci: tuple[float, float]
    """Wilson's 95 % interval."""

    mean_hops: float
    """Of delivered messages, as their receipts say."""

    mean_tries: float
    """Sendings, those without an answer included."""

    mean_attempts: float
    envelopes: int
    envelope_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Its fields."""
        return asdict(self)


def measure_faults(
    graph: Graph,
    strategy: str = "beacons+backtrack",
    *,
    crashed: float = 0.1,
    loss: float = 0.0,
    settle_anew: bool = True,
    messages: int = 1_000,
    seed: int = 0,
    progress: Progress = silent,
) -> FaultReport:
    """Send messages through peers in virtual time, some of which have crashed.

    Args:
        graph: The graph that peers are cut from.
        strategy: What they run.
        crashed: The share of peers that crash once all have settled.
        loss: The share of envelopes that are lost, from the start.
        settle_anew: Send only after the crashes have been found out, not right after them.
        messages: How many; one every 100 ms.
        seed: What is random.
        progress: Called as messages end.
    """
    expect_share("crashed", crashed)
    expect_share("loss", loss)
    expect_count("messages", messages)
    contender = ready_contender(graph, strategy)
    keys = keys_for(graph, contender.strategy)
    agents = [Agent(view, contender.strategy, contender.memory) for view in views_of(graph, keys)]
    network = VirtualNetwork(agents, seed, Faults(loss=loss))
    _settle(network, loss)
    rng = np.random.default_rng([seed, CRASHED_PEERS])
    gone = rng.choice(graph.num_nodes, round(crashed * graph.num_nodes), replace=False)
    cards = {int(keys[node]): agents[node].card for node in range(graph.num_nodes)}
    for node in gone:
        network.crash(int(keys[node]))
    if settle_anew:
        network.run_until(network.now + SETTLING)
        _settle(network, loss)
        cards = {key: agent.card for key, agent in network.agents.items()}
    ids = []
    for number, (source, target) in enumerate(_pairs(graph, gone, messages, rng)):
        limit = min(4 * graph.num_nodes, MAX_HOPS)
        ids.append(network.send(int(keys[source]), cards[int(keys[target])], b"", limit))
        network.run_until(network.now + PACE)
        if (number + 1) % PER_STEP == 0:
            progress("messages", number + 1, messages)
    network.finish(ids)
    return _report(
        graph,
        contender.label,
        contender.memory.name,
        seed,
        len(gone),
        loss,
        settle_anew,
        network,
        ids,
    )


def _settle(network: VirtualNetwork, loss: float) -> None:
    """Run until all is silent; where envelopes are lost it may never be, and a time is given."""
    if loss:
        network.run_until(network.now + SETTLING)
    else:
        network.settle()


def _pairs(
    graph: Graph, gone: np.ndarray, count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Sources and targets that live and are joined by live nodes."""
    kept = np.setdiff1d(np.arange(graph.num_nodes), gone)
    labels = graph.subgraph(kept).components()
    sizes = np.bincount(labels)
    sources = np.flatnonzero(sizes[labels] > 1)
    if len(sources) == 0:
        raise SpecError(f"{graph.name}: no two living peers are joined: crash fewer")
    pairs = []
    for source in rng.choice(sources, count):
        others = np.flatnonzero(labels == labels[source])
        target = rng.choice(others[others != source])
        pairs.append((int(kept[source]), int(kept[target])))
    return pairs


def _report(
    graph: Graph,
    strategy: str,
    memory: str,
    seed: int,
    crashed: int,
    loss: float,
    settled_anew: bool,
    network: VirtualNetwork,
    ids: list[bytes],
) -> FaultReport:
    ended = [network.endings[one][0] for one in ids]
    counts = Counter(one.ending for one in ended)
    arrived = [one for one in ended if one.ending == "delivered"]
    return FaultReport(
        graph=graph.name,
        strategy=strategy,
        memory=memory,
        seed=seed,
        num_peers=graph.num_nodes,
        crashed=crashed,
        loss=loss,
        settled_anew=settled_anew,
        messages=len(ids),
        delivered=counts["delivered"],
        failed=counts["failed"],
        unknown=counts["unknown"],
        handed_over_twice=sum(times > 1 for times in network.handed_over.values()),
        delivery_rate=counts["delivered"] / len(ids),
        delivery_rate_ci=wilson_interval(counts["delivered"], len(ids)),
        mean_hops=_mean([one.hops for one in arrived]),
        mean_tries=_mean([one.tries for one in arrived]),
        mean_attempts=_mean([one.attempts for one in ended]),
        envelopes=network.traffic.envelopes,
        envelope_bytes=network.traffic.bytes,
    )


def wilson_interval(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval of a share, 95 % by default."""
    share, spread = successes / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _mean(values: list[int]) -> float:
    return float(np.mean(values)) if values else 0.0
