"""How many messages arrive where peers and links fail: `garden peers faults`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from garden.datasets.perturb import rewired
from garden.errors import SpecError, expect_count, expect_share
from garden.experiments.peers.cut import ready_contender
from garden.experiments.peers.liveness import Liveness, Trip
from garden.experiments.peers.report import PeerReport, endings_in_numbers, mean
from garden.experiments.peers.trial import PeerTrial, region, without_collector
from garden.graphs.graph import Graph
from garden.peers.faults import Faults, Partition
from garden.peers.messages import Card
from garden.random_streams import CRASHED_PEERS
from garden.search.compare import Contender
from garden.search.progress import Progress, silent

PER_STEP = 100  # messages between two calls of `progress`
MINUTE = 60_000  # ms, after which a peer that churned comes back


@dataclass(frozen=True)
class FaultPlan:
    """What goes wrong, and how many messages are sent meanwhile."""

    crashed: float = 0.0
    """The share of peers that crash once all have settled."""

    loss: float = 0.0
    """The share of envelopes that are lost, from the start."""

    stale_views: float = 0.0
    """The share of links that go once all have settled, while as many others come: nobody is told,
    and nobody sees those that came."""

    stale_cards: float = 0.0
    """The share of links that have changed since the cards were made that senders use."""

    parted: float = 0.0
    """The share of peers that are parted from the others for the middle third of the messages."""

    churn: float = 0.0
    """The share of peers that go each minute while messages are sent; each comes back after one
    minute. Every other one says goodbye."""

    settle_anew: bool = True
    """Send only after crashes and changed links have been found out, not right after them."""

    messages: int = 1_000
    """How many are sent."""

    pace: int = 100
    """Milliseconds between two messages."""

    seed: int = 0
    """What is random."""

    def __post_init__(self) -> None:
        for one in fields(self):
            if isinstance(getattr(self, one.name), float):
                expect_share(one.name, getattr(self, one.name))
        expect_count("messages", self.messages)
        expect_count("pace", self.pace)


@dataclass(frozen=True)
class FaultReport(PeerReport):
    """What became of the messages.

    Those count whose sender and target lived, joined by live peers, from sending to ending.
    """

    graph: str
    strategy: str
    memory: str
    num_peers: int
    plan: FaultPlan
    num_gone: int
    """Peers that crashed or left, each time counted."""

    counted: int
    delivered: int
    failed: int
    unknown: int
    reasons: dict[str, int]
    """Why messages that count failed or are unknown."""

    others_delivered: int
    """Messages that do not count, and arrived all the same."""

    handed_over_twice: int
    delivery_rate: float
    delivery_rate_ci: tuple[float, float]
    """Wilson's 95 % interval."""

    mean_hops: float
    """Of delivered messages, as their receipts say."""

    mean_extra_hops: float
    """Beyond the shortest path over peers that lived all the time."""

    mean_tries: float
    """Sendings, those without an answer included."""

    mean_attempts: float
    envelopes: int
    envelope_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Its fields, those of the plan among them."""
        content = super().to_json()
        return content.pop("plan") | content


def measure_faults(
    graph: Graph,
    strategy: str = "beacons+backtrack",
    plan: FaultPlan | None = None,
    progress: Progress = silent,
) -> FaultReport:
    """Send messages through peers in virtual time while something goes wrong.

    Args:
        graph: The graph that peers are cut from.
        strategy: What they run.
        plan: What goes wrong; nothing by default.
        progress: Called as messages are sent.
    """
    with without_collector():
        sending = _Sending(graph, strategy, plan or FaultPlan())
        sending.run(progress)
        return sending.report()


class _Sending:
    """One trial: peers that have settled, what goes wrong, and the messages."""

    def __init__(self, graph: Graph, strategy: str, plan: FaultPlan) -> None:
        contender = ready_contender(graph, strategy)
        self._plan = plan
        self._rng = np.random.default_rng([plan.seed, CRASHED_PEERS])
        present = rewired(graph, plan.stale_cards, plan.seed) if plan.stale_cards else graph
        self._trial = PeerTrial(present, contender, plan.seed, Faults(loss=plan.loss))
        self._trial.settle()
        self._old_cards = _cards_of(graph, contender, plan) if plan.stale_cards else None
        self._links = present
        self._num_gone = 0
        self._back: list[tuple[int, int]] = []  # when, who
        self._gone = self._break()
        self._liveness = self._liveness_from(self._trial.network.now)
        self._messages: list[tuple[bytes, int, int, int]] = []  # id, source, target, sent

    def run(self, progress: Progress) -> None:
        """Send all messages, let them end."""
        network, plan = self._trial.network, self._plan
        gone_at = network.now
        pairs = _pairs(self._links, self._gone, plan.messages, self._rng)
        for number, (source, target) in enumerate(pairs):
            if plan.churn:
                self._churn(network.now - gone_at)
                source, target = self._living(source, target)
            card = self._old_cards[target] if self._old_cards else self._trial.card(target)
            message_id = self._trial.send(source, card)
            self._messages.append((message_id, source, target, network.now))
            network.run_until(network.now + plan.pace)
            if (number + 1) % PER_STEP == 0:
                progress("messages", number + 1, plan.messages)
        network.finish(
            message_id
            for message_id, source, _, sent in self._messages
            if self._liveness.lived(source, sent, network.now)
        )

    def report(self) -> FaultReport:
        """What became of the messages."""
        network, contender = self._trial.network, self._trial.contender
        trips = {
            one: Trip(source, target, sent, network.ended_at.get(one, network.now))
            for one, source, target, sent in self._messages
        }
        endings = {one: network.endings[one][0] for one in trips if one in network.endings}
        counted = [one for one in trips if self._liveness.joined(trips[one])]
        ended = [endings[one] for one in counted if one in endings]
        arrived = [one for one in ended if one.ending == "delivered"]
        said = sum(one.ending == "delivered" for one in endings.values())
        shortest = self._liveness.distances([trips[one.id] for one in arrived])
        numbers = endings_in_numbers(ended, len(counted))
        numbers["unknown"] += len(counted) - len(ended)
        return FaultReport(
            graph=self._trial.graph.name,
            strategy=contender.label,
            memory=contender.memory.name,
            num_peers=len(self._trial.keys),
            plan=self._plan,
            num_gone=self._num_gone,
            counted=len(counted),
            others_delivered=said - len(arrived),
            handed_over_twice=sum(times > 1 for times in network.handed_over.values()),
            mean_extra_hops=numbers["mean_hops"] - mean(shortest.tolist()),
            envelopes=network.traffic.envelopes,
            envelope_bytes=network.traffic.bytes,
            **numbers,
        )

    def _break(self) -> np.ndarray:
        """Crash peers and take links away; the nodes that are gone."""
        plan, trial = self._plan, self._trial
        count = round(plan.crashed * self._links.num_nodes)
        gone = self._rng.choice(self._links.num_nodes, count, replace=False)
        if not plan.settle_anew and self._old_cards is None:
            self._old_cards = trial.cards()
        for node in gone.tolist():
            trial.take_down(node)
        self._num_gone = len(gone)
        if plan.stale_views:
            self._change_links()
        if plan.settle_anew and (len(gone) or plan.stale_views):
            trial.settle_anew()
        return gone

    def _change_links(self) -> None:
        """Take links away, as many as others come, which nobody sees."""
        before = self._links
        after = {tuple(one) for one in rewired(before, self._plan.stale_views, self._plan.seed)
                 .edges().tolist()}  # fmt: skip
        kept = np.array([tuple(one) in after for one in before.edges().tolist()])
        keys = self._trial.keys
        lost = [sorted((keys[one], keys[other])) for one, other in before.edges()[~kept].tolist()]
        faults = Faults(loss=self._plan.loss, gone_links=frozenset((a, b) for a, b in lost))
        self._trial.change_faults(faults)
        self._links = Graph.from_edges(before.edges()[kept], before.num_nodes, name=before.name)

    def _liveness_from(self, now: int) -> Liveness:
        plan, parting = self._plan, None
        if plan.parted:
            third = plan.messages * plan.pace // 3
            start = int(self._rng.integers(self._links.num_nodes))
            part = region(self._links, round(plan.parted * self._links.num_nodes), start)
            parting = Partition(now + third, now + 2 * third, part)
            keys = frozenset(self._trial.keys[node] for node in part)
            partition = replace(parting, part=keys)
            self._trial.change_faults(Faults(loss=plan.loss, partitions=(partition,)))
        liveness = Liveness(self._links, parting)
        for node in self._gone.tolist():
            liveness.went(node, 0)
        return liveness

    def _living(self, source: int, target: int) -> tuple[int, int]:
        """The pair, or another one if one of its ends is gone."""
        while not (self._trial.lives(source) and self._trial.lives(target)):
            source, target = self._rng.choice(self._links.num_nodes, 2, replace=False).tolist()
        return source, target

    def _churn(self, elapsed: int) -> None:
        """Take down as many peers as should have gone by now; bring others back."""
        now = self._trial.network.now
        while self._back and self._back[0][0] <= now:
            _, node = self._back.pop(0)
            self._trial.bring_back(node)
            self._liveness.came(node, now)
        while self._num_gone < self._plan.churn * self._links.num_nodes * elapsed / MINUTE:
            node = int(self._rng.integers(self._links.num_nodes))
            if self._trial.lives(node):
                self._trial.take_down(node, says_goodbye=self._num_gone % 2 == 1)
                self._liveness.went(node, now)
                self._back.append((now + MINUTE, node))
                self._num_gone += 1


def _cards_of(graph: Graph, contender: Contender, plan: FaultPlan) -> dict[int, Card]:
    """The cards of peers of a graph, once they have settled."""
    trial = PeerTrial(graph, contender, plan.seed)
    trial.settle()
    return trial.cards()


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
