"""Hosts over real sockets: links, messages, and who may speak for whom."""

import time

import pytest

from garden.errors import DataError
from garden.peers.config import AgentConfig
from garden.peers.envelopes import Ack, encoded
from garden.peers.keys import HostKeys
from garden.peers.network.events import Passed
from garden.peers.network.host_folder import host_of, next_life
from garden.peers.network.sockets import HostSockets
from garden.peers.network.wire import ENVELOPE, LINK, Head, Part, link_content, packed, packed_part


def frame_of(*parts):
    """A frame of a host that has sent nothing before."""
    return packed(Head(1, 1, 0, 0), map(packed_part, parts))


def test_hosts__sign_their_links_settle_and_deliver(network_of, path_graph):
    network = network_of(path_graph, hosts=5)
    network.settle()
    ids = [network.send(0, 3), network.send(3, 0, b"back"), network.send(4, 0)]
    network.run_until(lambda: len(network.endings()) == 3)
    assert set(network.endings().values()) == {"delivered"}
    assert sorted(event.text for event in network.received()) == [b"back", b"hello", b"hello"]
    assert network.path(0, ids[0])[-1] == 3
    assert [host.counts.errors for host in network.hosts] == [0] * 5


def test_host__with_many_agents_hands_envelopes_between_them(network_of, path_graph):
    network = network_of(path_graph, hosts=1)
    network.settle()
    network.send(0, 3)
    network.run_until(lambda: network.endings())
    assert set(network.endings().values()) == {"delivered"}
    assert network.hosts[0].counts.sent == 0


def test_stranger__is_not_let_in(network_of, path_graph, free_addresses):
    network = network_of(path_graph, hosts=2)
    network.settle()
    host = network.hosts[0]
    before = host.counts.received + host.counts.dropped
    stranger = HostKeys.for_tests(9, "stranger")
    address, key = network.secrets[0].address, network.secrets[0].host_keys.public
    sockets = HostSockets(stranger, free_addresses(1)[0], {key: address})
    try:
        end = time.monotonic() + 60
        while host.sockets.refused == 0 and time.monotonic() < end:
            sockets.send(key, b"anything")
            network.run_for(0.05)
        for _ in range(20):
            assert not sockets.send(key, b"anything")  # there is no connection
            network.run_for(0.005)
        assert list(sockets.received()) == []
    finally:
        sockets.close()
    assert host.sockets.refused > 0
    assert host.counts.dropped == 0
    assert host.counts.received + host.counts.dropped - before < 50  # its neighbours' probes


def test_host__speaks_for_its_own_agents_alone(network_of, path_graph):
    network = network_of(path_graph, hosts=5)  # agent i lives on host i
    network.settle()
    liar, victim = network.hosts[0], network.hosts[1]
    before = victim.counts.dropped
    for claimed in (network.keys[2], network.keys[4], 7):  # neighbours of 1, and nobody
        body = encoded(Ack(b"i" * 16, 0, 1, True))
        frame = frame_of(Part(claimed, network.keys[1], ENVELOPE, body))
        assert liar.sockets.send(network.secrets[1].host_keys.public, frame)
    network.run_until(lambda: victim.counts.dropped == before + 3)


def test_host__drops_what_is_no_frame_or_envelope(network_of, path_graph):
    network = network_of(path_graph, hosts=5)
    network.settle()
    victim = network.hosts[1]
    keys = network.keys[0], network.keys[1]
    good = frame_of(Part(*keys, ENVELOPE, b""))
    contents = [(ENVELOPE, b""), (ENVELOPE, b"\1\xc1"), (7, b""), (LINK, b"short")]
    bad = [b"", b"x", b"\1" + good[1:], good[:-1], good + b"x"]
    bad += [frame_of(Part(*keys, *content)) for content in contents]
    for data in bad:
        assert network.hosts[0].sockets.send(network.secrets[1].host_keys.public, data)
    network.run_until(lambda: victim.counts.dropped == len(bad))
    assert victim.counts.errors == 0


def test_link__needs_the_signature_of_the_other_end(network_of, path_graph):
    network = network_of(path_graph, hosts=5)
    victim, liar = network.hosts[1], network.hosts[0]
    network.settle()
    link = victim._traffic.links.get(network.keys[1], network.keys[0])
    link.is_open = False
    own = liar.members[network.keys[0]].keys
    others = liar.members[network.keys[0]].contacts.neighbours[0]
    for signature in (bytes(64), own.sign(link_content(own.public, own.public))):
        assert not link.take(signature)
        frame = frame_of(Part(network.keys[0], network.keys[1], LINK, signature))
        liar.sockets.send(others.host_key, frame)
    network.run_until(lambda: victim.counts.dropped >= 2)
    false = Part(network.keys[0], network.keys[1], LINK, bytes(64))
    before = victim.counts.dropped
    liar.sockets.send(others.host_key, frame_of(*[false] * 1_000))  # checked once, not each
    network.run_until(lambda: victim.counts.dropped > before)
    network.run_for(0.1)
    assert victim.counts.dropped == before + 1
    assert not victim._traffic.links.is_open(network.keys[1], network.keys[0])
    assert link.take(own.sign(link_content(own.public, others.public)))


def test_message__to_a_host_that_is_gone_takes_another_way(network_of, path_graph):
    network = network_of(path_graph, hosts=5)
    network.settle()
    card = network.hosts[3].card_of(network.keys[3])
    network.hosts.pop(2).close()  # 1 – 2 – 3 is gone, 1 – 4 – 2 too
    gone = network.hosts[0].send_text(network.keys[0], card, b"x")
    message = network.send(0, 3)
    network.run_until(lambda: message in network.endings() and gone in network.endings())
    assert network.endings()[message] != "delivered"


def test_message__that_a_slow_host_has_not_read_is_not_sent_again(network_of, path_graph):
    network = network_of(path_graph, hosts=5, config=AgentConfig(receipt_wait=0))
    network.settle()
    slow = network.hosts.pop(1)  # the only neighbour of 0
    message = network.hosts[0].send_text(
        network.keys[0], network.hosts[2].card_of(network.keys[3]), b"x"
    )
    network.run_for(2)  # twice repeated by then, where nothing is known of the other host
    network.hosts.insert(1, slow)
    network.run_until(lambda: message in network.endings())
    assert network.endings()[message] == "delivered"
    first = [one for one in network.events if isinstance(one, Passed) and one.id == message]
    assert [one.holder for one in first].count(network.keys[0]) == 1


def test_restarted_host__refuses_what_was_sent_before(network_of, path_graph):
    network = network_of(path_graph, hosts=5)
    network.settle()
    network.hosts[3].close()
    network.hosts[3] = network.up(network.secrets[3])
    assert not next_life(network.folder, network.secrets[3]).is_first
    network.settle()
    message = network.send(0, 3)  # may be from before, as far as the target can tell
    network.run_until(lambda: message in network.endings())
    assert network.endings()[message] == "failed"


def test_address__that_is_taken_is_refused_in_one_line(network_of, path_graph):
    network = network_of(path_graph, hosts=1)
    with pytest.raises(DataError, match="cannot listen there"):
        host_of(network.folder, network.secrets[0])
