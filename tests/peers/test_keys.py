"""Keys: signed receipts and cards, sealed payloads, and what is refused."""

import msgspec
import numpy as np
import pytest

from garden.experiments.peers.cut import views_of
from garden.peers.agent import Agent
from garden.peers.envelopes import EnvelopeError, Message, Receipt
from garden.peers.keys import MAX_SEALED_TEXT, AgentKeys, PublicKeys
from garden.peers.signed_cards import KeySigner, decoded_card, encoded_card, signed_card
from garden.peers.virtual_time import VirtualNetwork
from garden.resolve import contender_named

ID, OTHER_ID = b"i" * 16, b"j" * 16


@pytest.fixture
def keys():
    return AgentKeys.for_tests(0, "a")


@pytest.fixture
def others():
    return AgentKeys.for_tests(0, "b")


def signed_network(graph, impostor=None):
    """Agents whose keys come from their public keys; an impostor signs with keys not its own."""
    contender = contender_named("beacons+backtrack")
    secrets = [AgentKeys.for_tests(1, str(node)) for node in range(graph.num_nodes)]
    addresses = np.array([one.public.agent for one in secrets], dtype=np.uint64)
    agents = []
    for node, view in enumerate(views_of(graph, addresses)):
        own = AgentKeys.for_tests(2, "liar") if node == impostor else secrets[node]
        signer = KeySigner(own)
        for one in secrets:
            signer.learn(one.public)
        agents.append(Agent(view, contender.strategy, contender.memory, signer=signer))
    network = VirtualNetwork(agents, seed=0)
    network.settle()
    return network, agents, secrets


def test_keys__of_a_test_depend_on_seed_and_name(keys, others):
    assert AgentKeys.for_tests(0, "a").public == keys.public
    assert len({keys.public, others.public, AgentKeys.for_tests(1, "a").public}) == 3


def test_key__of_an_agent_is_a_hash_of_both_public_keys(keys, others):
    mixed = PublicKeys(keys.public.signing, others.public.sealing)
    assert len({keys.public.agent, others.public.agent, mixed.agent}) == 3
    assert 0 <= keys.public.agent < 1 << 64


def test_payload__opens_for_its_agent_and_its_message_alone(keys, others):
    sealed = keys.public.sealed(b"hello", ID)
    assert b"hello" not in sealed
    assert keys.opened(sealed, ID) == b"hello"
    for who, data, message_id in (
        (others, sealed, ID),
        (keys, sealed, OTHER_ID),
        (keys, sealed[:-1] + bytes([sealed[-1] ^ 1]), ID),
        (keys, bytes(32) + sealed[32:], ID),
        (keys, sealed[:20], ID),
        (keys, b"", ID),
    ):
        with pytest.raises(EnvelopeError, match="not sealed to this agent"):
            who.opened(data, message_id)


def test_payload__is_sealed_anew_each_time_and_has_a_limit(keys):
    assert keys.public.sealed(b"hello", ID) != keys.public.sealed(b"hello", ID)
    assert len(keys.public.sealed(bytes(MAX_SEALED_TEXT), ID)) == 4_096
    with pytest.raises(EnvelopeError, match="4048 are allowed"):
        keys.public.sealed(bytes(MAX_SEALED_TEXT + 1), ID)


def test_card__goes_to_bytes_and_back(keys):
    card = signed_card(keys, b"row")
    assert decoded_card(encoded_card(card)) == card
    assert (card.card.key, card.card.row) == (keys.public.agent, b"row")


def test_card__with_another_row_keys_or_version_is_refused(keys, others):
    card = signed_card(keys, b"row")
    for changes in ({"row": b"attractive"}, {"public": others.public}, {"signature": bytes(64)}):
        with pytest.raises(EnvelopeError, match="has not signed"):
            decoded_card(encoded_card(msgspec.structs.replace(card, **changes)))
    for data in (encoded_card(msgspec.structs.replace(card, version=2)), b"", b"\xc0", b"x" * 99):
        with pytest.raises(EnvelopeError, match="no card"):
            decoded_card(data)


def test_signer__believes_agents_whose_public_keys_it_knows(keys, others):
    signer, signature = KeySigner(others), keys.sign(b"content")
    agent = keys.public.agent
    assert not signer.verify(agent, b"content", signature)
    signer.learn(keys.public)
    assert signer.verify(agent, b"content", signature)
    assert not signer.verify(agent, b"another", signature)
    assert not signer.verify(agent, b"content", others.sign(b"content"))
    assert not signer.verify(agent, b"content", b"")


def test_network__with_keys_delivers_a_sealed_payload_and_believes_the_receipt(path_graph):
    network, agents, secrets = signed_network(path_graph)
    receipts, bodies = [], []

    def note(_now, envelope):
        bodies.append(envelope.body)
        if isinstance(envelope.body, Receipt):
            receipts.append(envelope.body)

    network.watch(note)
    sealed = secrets[3].public.sealed(b"secret words", ID)
    sent = network.send(agents[0].key, agents[3].card, sealed)
    network.finish([sent])
    assert network.endings[sent][0].ending == "delivered"
    assert {len(one.signature) for one in receipts} == {64}
    assert not any(b"secret words" in msgspec.msgpack.encode(body) for body in bodies)
    arrived = [body.payload for body in bodies if isinstance(body, Message)][-1]
    assert secrets[3].opened(arrived, ID) == b"secret words"


def test_network__does_not_believe_a_receipt_that_another_has_signed(path_graph):
    network, agents, _ = signed_network(path_graph, impostor=3)
    sent = network.send(agents[0].key, agents[3].card, b"")
    network.finish([sent])
    assert network.endings[sent][0].ending == "unknown"
