"""How many messages arrive where a share of the peers lies: `garden peers attacks`.

Signatures are made with keys derived from agents' keys: they protect nobody outside a simulation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from garden.errors import SpecError, expect_choice, expect_count, expect_share
from garden.experiments.peers.attackers import ATTACKS, Attacker
from garden.experiments.peers.cut import keys_for, ready_contender, views_of
from garden.experiments.peers.report import PeerReport, mean, wilson_interval
from garden.experiments.peers.trial import SETTLING
from garden.graphs.graph import Graph
from garden.peers.actions import Ended
from garden.peers.agent import Agent
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_HOPS, Envelope, Message
from garden.peers.keys import AgentKeys
from garden.peers.signing import Signer, Unsigned
from garden.peers.virtual_time import VirtualNetwork
from garden.random_streams import ATTACKED_PAIRS
from garden.search.progress import Progress, silent

UNDEFENDED = AgentConfig(attempts=1, receipt_wait=0)
DEFENDED = AgentConfig(max_repairs=3)
PACE = 100  # ms between two messages
WARMING = 200  # messages before those that count, from which agents learn whom to avoid


@dataclass(frozen=True)
class AttackReport(PeerReport):
    """What became of messages between honest peers that are joined by honest peers."""

    graph: str
    strategy: str
    attack: str
    share: float
    attackers: int
    defended: bool
    seed: int
    messages: int
    delivered: int
    """Ended as delivered, and handed to the target's owner."""

    delivery_rate: float
    delivery_rate_ci: tuple[float, float]
    false_deliveries: int
    """Ended as delivered, and never handed over."""

    handed_over_twice: int
    mean_attempts: float
    envelopes_per_message: float
    touched: float
    """The share of messages that an attacker saw: it reads the target's key in each."""

    source_named: float
    """The share of all messages whose source an attacker names who takes the first one that
    handed it the message for the source."""


@final
class _RosterSigner:
    """Signs with an agent's derived secret, and checks against a roster's public keys."""

    def __init__(self, key: int, roster: Mapping[int, AgentKeys]) -> None:
        self._own = roster[key]
        self._roster = roster

    def sign(self, content: bytes) -> bytes:
        """The Ed25519 signature of the content, 64 bytes."""
        return self._own.sign(content)

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether an agent of the roster signed the content.

        Args:
            agent: Its key.
            content: What it should have signed.
            signature: 64 bytes, where it is one.
        """
        return agent in self._roster and self._roster[agent].public.has_signed(content, signature)


class _Eyes:
    """What attackers see: the neighbour that handed each message to the first of them."""

    def __init__(self, attackers: set[int]) -> None:
        self.attackers = attackers
        self.guesses: dict[bytes, int] = {}

    def __call__(self, now: int, envelope: Envelope) -> None:
        body = envelope.body
        seen = isinstance(body, Message) and envelope.receiver in self.attackers
        if seen and envelope.sender not in self.attackers:
            self.guesses.setdefault(body.id, envelope.sender)  # type: ignore[union-attr]


def measure_attack(
    graph: Graph,
    attack: str = "drop",
    strategy: str = "beacons+backtrack",
    *,
    share: float = 0.05,
    defended: bool = True,
    messages: int = 1_000,
    seed: int = 0,
    progress: Progress = silent,
) -> AttackReport:
    """Send messages through peers in virtual time, a share of whom attack.

    Args:
        graph: The graph that peers are cut from.
        attack: One of :data:`ATTACKS`.
        strategy: What honest peers run.
        share: Of all peers, who attack.
        defended: Three attempts, a record of receipts and signatures; else one attempt, and none.
        messages: How many count; :data:`WARMING` are sent before them.
        seed: What is random.
        progress: Called as messages are sent.
    """
    expect_choice("attack", attack, tuple(ATTACKS))
    expect_share("share", share)
    expect_count("messages", messages)
    rng = np.random.default_rng([seed, ATTACKED_PAIRS])
    victim = int(rng.integers(graph.num_nodes)) if attack == "eclipse" else None
    count = max(1, round(share * graph.num_nodes)) if share else 0
    bad = _attackers(graph, count, victim, rng)
    contender = ready_contender(graph, strategy)
    keys = keys_for(graph, contender.strategy)
    agents = _agents(graph, contender.strategy, contender.memory, keys, bad, attack, defended)
    network = VirtualNetwork(agents, seed)
    network.run_until(SETTLING)
    eyes = _Eyes({int(keys[node]) for node in bad})
    pairs = _honest_pairs(graph, bad, victim, WARMING + messages, rng)
    cards = [agent.card for agent in agents]
    limit = min(4 * graph.num_nodes, MAX_HOPS)
    ids: list[bytes] = []
    envelopes = 0
    for number, (source, target) in enumerate(pairs):
        if number == WARMING:
            network.run_until(network.now + DEFENDED.receipt_wait)
            network.watch(eyes)
            envelopes = network.traffic.envelopes
        ids.append(network.send(int(keys[source]), cards[target], b"", limit))
        network.run_until(network.now + PACE)
        if number % 100 == 0:
            progress("messages", number, len(pairs))
    network.finish(ids)
    sources = [int(keys[source]) for source, _ in pairs]
    spent = (network.traffic.envelopes - envelopes) / messages
    outcome = _outcome(network, eyes, ids[WARMING:], sources[WARMING:])
    return AttackReport(
        graph=graph.name,
        strategy=f"{contender.label}+{contender.memory.name}",
        attack=attack,
        share=share,
        attackers=count,
        defended=defended,
        seed=seed,
        envelopes_per_message=spent,
        **outcome,
    )


def _outcome(
    network: VirtualNetwork, eyes: _Eyes, ids: Sequence[bytes], sources: Sequence[int]
) -> dict[str, Any]:
    ended: list[Ended] = [network.endings[one][0] for one in ids if one in network.endings]
    said = [one for one in ended if one.ending == "delivered"]
    true = [one for one in said if network.handed_over.get(one.id)]
    guesses = eyes.guesses
    named = sum(guesses.get(one) == source for one, source in zip(ids, sources, strict=True))
    return {
        "messages": len(ids),
        "delivered": len(true),
        "delivery_rate": len(true) / len(ids),
        "delivery_rate_ci": wilson_interval(len(true), len(ids)),
        "false_deliveries": len(said) - len(true),
        "handed_over_twice": sum(network.handed_over.get(one, 0) > 1 for one in ids),
        "mean_attempts": mean([one.attempts for one in ended]),
        "touched": sum(one in guesses for one in ids) / len(ids),
        "source_named": named / len(ids),
    }


def _attackers(graph: Graph, count: int, victim: int | None, rng: np.random.Generator) -> set[int]:
    """Drawn at random; around a victim, its neighbours first, all but one."""
    if victim is None:
        return set(rng.choice(graph.num_nodes, count, replace=False).tolist())
    around = rng.permutation(graph.neighbours(victim)).tolist()[1:]
    others = [one for one in rng.permutation(graph.num_nodes).tolist() if one not in around]
    kept = {victim, *graph.neighbours(victim).tolist()} - set(around)
    return set([*around, *(one for one in others if one not in kept)][:count])


def _agents(
    graph: Graph, strategy: Any, memory: Any, keys: np.ndarray, bad: set[int], attack: str,
    defended: bool,
) -> list[Agent]:  # fmt: skip
    config = DEFENDED if defended else UNDEFENDED
    roster = _secrets_of(keys.tolist()) if defended else None
    agents: list[Agent] = []
    for node, view in enumerate(views_of(graph, keys)):
        kind = ATTACKS[attack] if node in bad else Agent
        signer: Signer = Unsigned() if roster is None else _RosterSigner(view.key, roster)
        agents.append(kind(view, strategy, memory, config=config, signer=signer))
    honest = [node for node in range(len(agents)) if node not in bad]
    for node in sorted(bad):
        if isinstance(agents[node], Attacker):
            other = honest[node % len(honest)] if honest else node
            agents[node].bait = agents[other].card.row  # type: ignore[attr-defined]
            if roster is not None:
                agents[node].own_signer = _RosterSigner(agents[node].key, roster)  # type: ignore[attr-defined]
    return agents


def _secrets_of(keys: Iterable[int]) -> Mapping[int, AgentKeys]:
    """The secrets of each agent, by its key, which anybody can derive."""
    secrets = {key: hashlib.sha256(b"garden simulation %d" % key).digest() for key in keys}
    return {key: AgentKeys(secret, secret) for key, secret in secrets.items()}


def _honest_pairs(
    graph: Graph, bad: set[int], victim: int | None, count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Honest sources and targets that honest peers join; one end is the victim, where there is."""
    kept = np.setdiff1d(np.arange(graph.num_nodes), np.array(sorted(bad), dtype=np.int64))
    labels = graph.subgraph(kept).components()
    biggest = np.argmax(np.bincount(labels))
    joined = kept[labels == biggest]
    if victim is not None:
        joined = kept[labels == labels[np.searchsorted(kept, victim)]]
    if len(joined) < 2:
        raise SpecError(f"{graph.name}: no two honest peers are joined by honest ones: lower share")
    pairs = [rng.choice(joined, 2, replace=False).tolist() for _ in range(count)]
    if victim is None:
        return [(source, target) for source, target in pairs]
    others = [pair[0] if pair[0] != victim else pair[1] for pair in pairs]
    return [(victim, one) if n % 2 else (one, victim) for n, one in enumerate(others)]
