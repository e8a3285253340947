"""Frames between hosts: in turns, acknowledged, asked for, refused."""

import pytest

from garden.peers.network.exchange import ASK_WAIT, WORD_WAIT, Exchange
from garden.peers.network.wire import ENVELOPE, Part, unpacked
from garden.peers.timers import Timers

OTHER, PATIENCE = b"other", 4_000


class Sockets:
    """A connection that keeps what is sent."""

    def __init__(self):
        self.sent, self.is_connected = [], True

    def send(self, _host_key, data):
        if self.is_connected:
            self.sent.append(data)
        return self.is_connected


class Host:
    """One end of a connection, without agents."""

    def __init__(self):
        self.sockets, self.timers, self.refused = Sockets(), Timers(), []
        self.exchange = Exchange(self.sockets, self.timers, PATIENCE, self.refused.append)

    def post(self, content=b"x", message=None):
        return self.exchange.post(OTHER, Part(1, 2, ENVELOPE, content), message)

    def sent(self):
        sent, self.sockets.sent = self.sockets.sent, []
        return sent

    def read(self, frames, now=0):
        return [one.content for data in frames for one in self.exchange.take(OTHER, data, now)]


@pytest.fixture
def hosts():
    return Host(), Host()


def test_parts__go_when_the_turn_ends_in_one_frame(hosts):
    one, other = hosts
    for content in (b"a", b"b", b"c"):
        one.post(content)
    assert one.sent() == []
    one.exchange.flush(0)
    frames = one.sent()
    assert len(frames) == 1
    assert other.read(frames) == [b"a", b"b", b"c"]


def test_frame__is_acknowledged_by_the_next_one_or_by_its_own_after_a_while(hosts):
    one, other = hosts
    ticket = one.post()
    one.exchange.flush(0)
    other.read(one.sent())
    other.timers.run(WORD_WAIT - 1)
    assert other.sent() == []
    other.timers.run(WORD_WAIT)
    (word,) = other.sent()
    assert unpacked(word)[1] == []
    assert one.exchange.is_under_way(OTHER, ticket, 1)
    one.read([word])
    assert not one.exchange.is_under_way(OTHER, ticket, 1)
    one.timers.run(WORD_WAIT)
    assert one.sent() == []  # word is not answered with word

    one.post()
    one.exchange.flush(WORD_WAIT)
    other.read(one.sent(), WORD_WAIT)
    other.post(b"answer")
    other.exchange.flush(WORD_WAIT)
    assert len(other.sent()) == 1
    other.timers.run(3 * WORD_WAIT)
    assert other.sent() == []


def test_host__that_acknowledges_nothing_is_asked_until_it_does(hosts):
    one, other = hosts
    ticket = one.post()
    one.exchange.flush(0)
    one.sent()  # lost
    one.timers.run(ASK_WAIT)
    one.timers.run(2 * ASK_WAIT)
    questions = one.sent()
    assert [unpacked(data)[1] for data in questions] == [[], []]
    other.read(questions[1:])
    other.timers.run(WORD_WAIT)
    one.read(other.sent(), 2 * ASK_WAIT)
    assert not one.exchange.is_under_way(OTHER, ticket, 2 * ASK_WAIT)
    one.timers.run(4 * ASK_WAIT)
    assert one.sent() == []


def test_message__without_a_connection_is_refused_at_once(hosts):
    one, _ = hosts
    one.sockets.is_connected = False
    one.post(message="first")
    one.post(message="second")
    one.exchange.flush(0)
    assert one.refused == ["first", "second"]


def test_message__that_waits_for_a_connection_that_breaks_is_refused(hosts):
    one, _ = hosts
    one.post(message="out")
    one.exchange.flush(0)
    ticket = one.post(message="waits")
    one.sockets.is_connected = False
    one.timers.run(ASK_WAIT)
    assert one.refused == ["waits"]
    assert not one.exchange.is_under_way(OTHER, ticket, ASK_WAIT)


def test_host__that_is_silent_is_asked_once_for_all_agents(hosts):
    one, other = hosts
    other.post()
    other.exchange.flush(0)
    one.read(other.sent(), now=100)
    assert one.exchange.is_heard(OTHER, 100)
    assert not one.exchange.is_heard(OTHER, 101)
    one.timers.run(PATIENCE)
    (word,) = one.sent()
    one.timers.run(2 * PATIENCE)
    (question,) = one.sent()
    other.read([word, question], now=2 * PATIENCE)
    other.timers.run(2 * PATIENCE + WORD_WAIT)
    one.read(other.sent()[-1:], now=2 * PATIENCE + WORD_WAIT)
    assert one.exchange.is_heard(OTHER, 2 * PATIENCE)
    assert not one.exchange.is_heard(b"another", 0)
