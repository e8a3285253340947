"""How long a host waits for others."""

import pytest

from garden.peers.config import AgentConfig
from garden.peers.envelopes import Ack, Announcement, Envelope, Heard, Message
from garden.peers.network.round_trips import MOST_TIMES, RoundTrips

SLOW, QUICK = b"slow", b"quick"
USUAL = 500


def announced(number):
    return Envelope(1, 2, Announcement(7, 9, number, None, (), None))


def heard(number):
    return Envelope(2, 1, Heard(9, 7, number))


def message(hop):
    body = Message(bytes(16), 0, hop, 100, 1_000, 0, 1, 2, b"", b"", bytes(16), b"")
    return Envelope(1, 2, body)


@pytest.fixture
def trips():
    return RoundTrips(USUAL)


def timed(trips, host, taken, number=0, now=0):
    trips.sent(host, announced(number), now)
    trips.received(host, heard(number), now + taken)


def test_wait__is_the_usual_one_until_a_host_is_slow(trips):
    assert trips.wait(SLOW) == USUAL
    timed(trips, SLOW, 100)
    assert trips.wait(SLOW) == USUAL


def test_wait__is_twice_as_long_as_a_slow_host_takes_and_other_hosts_are_not_waited_for(trips):
    timed(trips, SLOW, 900)
    assert trips.wait(SLOW) == 1_800
    assert trips.wait(QUICK) == USUAL


def test_wait__is_bounded_however_late_a_host_answers(trips):
    timed(trips, SLOW, 50_000)
    assert trips.wait(SLOW) == MOST_TIMES * USUAL


def test_wait__falls_again(trips):
    for number in range(60):
        timed(trips, SLOW, 2_000 if number < 5 else 1, number, number * 10_000)
    assert trips.wait(SLOW) == USUAL


def test_round_trip__counts_from_the_first_sending(trips):
    trips.sent(SLOW, announced(0), 0)
    trips.sent(SLOW, announced(0), 500)
    trips.received(SLOW, heard(0), 1_000)
    assert trips.wait(SLOW) == 2_000


def test_round_trip__of_a_message_ends_with_its_own_acknowledgement(trips):
    trips.sent(SLOW, message(3), 0)
    trips.received(SLOW, Envelope(2, 1, Ack(bytes(16), 0, 2, True)), 10)
    trips.received(SLOW, Envelope(5, 1, Ack(bytes(16), 0, 3, True)), 10)
    trips.received(SLOW, Envelope(2, 1, Ack(bytes(16), 0, 3, True)), 800)
    assert trips.wait(SLOW) == 1_600


def test_round_trip__that_never_ends_gives_way_to_another(trips):
    trips.sent(SLOW, announced(0), 0)
    trips.sent(SLOW, announced(1), 90_000)
    trips.received(SLOW, heard(1), 91_000)
    assert trips.wait(SLOW) == 2_000


def test_mean__is_over_hosts_and_bounded(trips):
    assert trips.mean == 0
    timed(trips, SLOW, 900)
    timed(trips, QUICK, 100)
    assert trips.mean == 500
    timed(trips, SLOW, 90_000, 1)
    assert trips.mean == MOST_TIMES * USUAL


def test_host__waits_longer_for_a_host_that_answers_late(network_of, path_graph):
    config = AgentConfig(ack_wait=100, receipt_wait=0)
    network = network_of(path_graph, hosts=5, config=config)
    network.settle()
    host, key = network.hosts[0], network.keys[0]
    usual = host._traffic.round_trips.wait(network.secrets[1].host_keys.public)
    slow = announced(0)
    host._traffic.round_trips._timed.clear()
    host._traffic.round_trips.sent(network.secrets[1].host_keys.public, slow, 0)
    host._traffic.round_trips.received(network.secrets[1].host_keys.public, heard(0), 5_000)
    (neighbour,) = host.agents[key].view.neighbours
    assert host.agents[key]._links._waits.ack_wait(neighbour) == 8 * config.ack_wait > usual
