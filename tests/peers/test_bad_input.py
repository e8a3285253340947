"""Bad input: no bytes make an agent fail, answer a stranger, or keep more than its limits."""

import random

import pytest

from garden.errors import GardenError
from garden.peers.config import AgentConfig
from garden.peers.envelopes import MAX_ENVELOPE, Envelope, decoded, encoded

LIMITS = AgentConfig(max_held=32, max_records=128)


def seen_envelopes(peers, num_messages=20):
    """Honest envelopes of a settled network, as bytes."""
    seen = []
    peers.network.watch(lambda _now, envelope: seen.append(encoded(envelope.body)))
    rng = random.Random(0)
    ids = [peers.send(*rng.sample(range(peers.graph.num_nodes), 2)) for _ in range(num_messages)]
    peers.network.finish(ids)
    peers.network.watch(None)
    return seen


def spoiled(rng, data):
    """An envelope cut short, with altered or further bytes, of noise, too large, or as it was."""
    kind = rng.randrange(8)
    if kind == 0:
        return data[: rng.randrange(len(data) + 1)]
    if kind == 1:
        return data + rng.randbytes(rng.randrange(1, 20))
    if kind == 2:
        return rng.randbytes(rng.randrange(200))
    if kind == 3 and rng.random() < 0.001:
        return data[:1] + bytes(MAX_ENVELOPE)
    if kind == 7:
        return data  # a replay
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def feed(peers, count, seed):
    """Hand spoiled envelopes to one agent, from neighbours and strangers; what was refused."""
    rng = random.Random(seed)
    agent = peers.agents[0]
    neighbours = list(agent.view.neighbours)
    honest = seen_envelopes(peers)
    now, refused, answered = peers.network.now, 0, 0
    for number in range(count):
        now += 1
        data = spoiled(rng, rng.choice(honest))
        try:
            body = decoded(data)
        except GardenError:
            refused += 1
            continue
        stranger = number % 4 == 0
        sender = rng.getrandbits(64) if stranger else rng.choice(neighbours)
        if stranger and sender in neighbours:
            continue
        actions = agent.receive(Envelope(sender, agent.key, body), now)
        if stranger:
            assert actions == [], "a stranger was answered"
        answered += bool(actions)
        delivery = agent._delivery
        assert delivery.num_held <= LIMITS.max_held + 1
        assert delivery.num_records <= LIMITS.max_records + 1
    return refused, answered


@pytest.mark.parametrize("name", ["greedy+backtrack", "beacons+backtrack"])
def test_agent__bears_a_hundred_thousand_spoiled_envelopes(peers_of, generated, name):
    peers = peers_of(generated, name, config=LIMITS)
    peers.agents[0]._admit = lambda _key: False
    peers.network.settle()
    refused, answered = feed(peers, 50_000, seed=1)
    assert refused > 10_000
    assert answered > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["greedy+frontier", "beacons+backtrack"])
def test_agent__bears_a_million_spoiled_envelopes(peers_of, generated, name):
    peers = peers_of(generated, name, config=LIMITS)
    peers.agents[0]._admit = lambda _key: False
    peers.network.settle()
    feed(peers, 500_000, seed=2)
