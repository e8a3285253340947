"""Simulator and peers side by side: do they take the same paths, and how large are envelopes?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.errors import expect_count
from garden.experiments.peers.cut import ready_contender
from garden.experiments.peers.report import PeerReport
from garden.experiments.peers.trial import PeerTrial, without_collector
from garden.graphs.graph import Graph
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_HOPS, Envelope, Message, encoded
from garden.random_streams import COMPARED_PATHS
from garden.search.progress import Progress, silent
from garden.search.walk import walk_by_keys
from garden.strategies.representations import concatenated

PER_STEP = 100  # messages between two calls of `progress`

_ONCE = AgentConfig(
    attempts=1, receipt_wait=0, max_records=1 << 24, max_per_neighbour=1 << 24, max_held=1 << 24
)
"""First attempts are compared, all messages at once. A walk of more than twenty seconds would else
speak against the neighbours it went to, and a thousand walks to and fro between two agents fill
what these remember."""


@dataclass(frozen=True)
class PathReport(PeerReport):
    """Paths of peers in virtual time beside the simulator's, and the envelopes of messages."""

    graph: str
    strategy: str
    memory: str
    seed: int
    messages: int
    differing: int
    """Messages whose path is another one than the simulator's."""

    delivered: int
    """By the first attempt, within the hop limit."""

    hops: int
    """Of all messages together."""

    mean_envelope_bytes: float
    """Of a message on its way: its fields, the target's row and its memory, without a payload."""

    largest_envelope_bytes: int
    mean_card_bytes: float
    """Of the row in a card."""

    largest_card_bytes: int


class _Paths:
    """The holders of each message, and how large its envelopes are."""

    def __init__(self) -> None:
        self.holders: dict[bytes, dict[int, int]] = {}
        self.sizes: list[int] = []

    def __call__(self, now: int, envelope: Envelope) -> None:
        body = envelope.body
        if isinstance(body, Message):
            self.holders.setdefault(body.id, {})[body.hop] = envelope.receiver
            self.sizes.append(len(encoded(body)))


def compare_paths(
    graph: Graph,
    strategy: str = "beacons+backtrack",
    messages: int = 1_000,
    seed: int = 0,
    progress: Progress = silent,
) -> PathReport:
    """Send messages through peers without faults, and walk the same ones in the simulator.

    The simulator is handed the peers' keys and rows.

    Args:
        graph: The graph that peers are cut from.
        strategy: What they run, with a memory or without.
        messages: How many.
        seed: What is random.
        progress: Called as messages are compared.
    """
    expect_count("messages", messages)
    contender = ready_contender(graph, strategy)
    with without_collector():
        trial = PeerTrial(graph, contender, seed, config=_ONCE)
        trial.settle()
        cards = trial.cards()
        pairs = _pairs(graph, messages, seed)
        paths = _Paths()
        trial.network.watch(paths)
        ids = [trial.send(source, cards[target]) for source, target in pairs]
        trial.network.finish(ids)
        differing = _differing(trial, pairs, ids, paths, progress)
    endings = [trial.network.endings[one][0].ending for one in ids]
    card_bytes = [len(card.row) for card in cards.values()]
    return PathReport(
        graph=graph.name,
        strategy=contender.label,
        memory=contender.memory.name,
        seed=seed,
        messages=messages,
        differing=differing,
        delivered=endings.count("delivered"),
        hops=len(paths.sizes),
        mean_envelope_bytes=float(np.mean(paths.sizes)),
        largest_envelope_bytes=max(paths.sizes),
        mean_card_bytes=float(np.mean(card_bytes)),
        largest_card_bytes=max(card_bytes),
    )


def _pairs(graph: Graph, count: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng([seed, COMPARED_PATHS])
    pairs = [rng.choice(graph.num_nodes, 2, replace=False).tolist() for _ in range(count)]
    return [(source, target) for source, target in pairs]


def _differing(
    trial: PeerTrial,
    pairs: list[tuple[int, int]],
    ids: list[bytes],
    paths: _Paths,
    progress: Progress,
) -> int:
    """How many messages the simulator sends another way."""
    graph, contender = trial.graph, trial.contender
    rows = concatenated([trial.network.agents[key].row for key in trial.keys])
    keys = np.array(trial.keys, dtype=np.uint64)
    node_of = {key: node for node, key in enumerate(trial.keys)}
    limit = min(4 * graph.num_nodes, MAX_HOPS)
    differing = 0
    for number, ((source, target), message_id) in enumerate(zip(pairs, ids, strict=True)):
        walk = walk_by_keys(
            graph, contender.strategy, rows, source, target, contender.memory, limit, keys,
            int.from_bytes(message_id, "little"),
        )  # fmt: skip
        held = paths.holders.get(message_id, {})
        differing += (source, *(node_of[held[hop]] for hop in sorted(held))) != walk.nodes
        if (number + 1) % PER_STEP == 0:
            progress("messages", number + 1, len(ids))
    return differing
