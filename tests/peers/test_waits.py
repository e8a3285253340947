"""What was not read yet is not sent again; what was read and not answered is."""

import pytest

from garden.peers.actions import Send
from garden.peers.config import AgentConfig
from garden.peers.envelopes import Announcement, Envelope, Hello, Message, Receipt
from garden.peers.faults import Faults

A, B, C = range(3)  # a – b – c – d, and e beside b and c
LONG = 100_000


class Reading:
    """Neighbours that have read nothing yet, or everything."""

    def __init__(self, is_under_way=True):
        self.under_way = is_under_way

    def ack_wait(self, _neighbour):
        return 500

    @property
    def pace(self):
        return 0

    def is_under_way(self, _neighbour):
        return self.under_way

    def is_unread(self, _neighbour):
        return self.under_way

    def is_there(self, _neighbour, _since):
        return self.under_way


@pytest.fixture
def peers(peers_of, path_graph):
    config = AgentConfig(probe_interval=0, receipt_wait=0)
    return peers_of(path_graph, "beacons+backtrack", faults=Faults(latency=(10, 10)), config=config)


def bodies(actions, kind):
    return [
        one.envelope.body
        for one in actions
        if isinstance(one, Send) and isinstance(one.envelope.body, kind)
    ]


def woken(agent, since, until):
    return [action for now in range(since, until, 100) for action in agent.wake(now)]


def test_greeting__is_not_repeated_while_it_is_under_way(peers):
    waits = Reading()
    agent = peers.agent(peers.views[B], waits=waits)
    greeted = bodies(agent.start(0), Hello)
    assert len(greeted) == len(agent.view.neighbours)
    assert bodies(woken(agent, 0, LONG), Hello) == []
    assert agent._links._links[peers.keys[A]].expected  # it may well be there
    waits.under_way = False
    assert len(bodies(woken(agent, LONG, 2 * LONG), Hello)) > len(greeted)


def test_announcement__is_not_repeated_while_it_is_under_way_and_its_neighbour_not_lost(peers):
    waits = Reading()
    agent, neighbour = peers.agent(peers.views[B], waits=waits), peers.keys[A]
    agent.start(0)
    session = agent._links._links[neighbour].session
    actions = agent.receive(Envelope(neighbour, agent.key, Hello(7, session, None)), 0)
    actions += woken(agent, 0, LONG)
    assert len(bodies(actions, Announcement)) == 1
    assert neighbour in agent.sessions
    waits.under_way = False
    repeated = bodies(woken(agent, LONG, 2 * LONG), Announcement)
    assert len(repeated) == AgentConfig().link_repeats
    assert neighbour not in agent.sessions


def test_neighbour__that_is_known_to_be_there_is_not_asked(peers_of, path_graph):
    config = AgentConfig(receipt_wait=0)
    peers = peers_of(path_graph, "beacons+backtrack", config=config)
    peers.network.settle()
    agent, now = peers.agents[B], peers.network.now
    agent._links._waits = waits = Reading()
    assert bodies(woken(agent, now, now + 30_000), Announcement) == []
    waits.under_way = False
    assert bodies(woken(agent, now + 30_000, now + 42_000), Announcement) != []


def test_message_and_receipt__are_not_repeated_while_they_are_under_way(peers):
    peers.network.settle()
    agent, now = peers.agents[B], peers.network.now
    agent._delivery._waits = agent._delivery._answers.waits = waits = Reading()
    card = peers.agents[C].card
    own = agent.send(card, b"x", b"i" * 16, b"n" * 16, now)
    first = bodies(own, Message)
    ids = b"j" * 16, 0, 1, 9, 60_000, 0, 1
    brought = Message(*ids, agent.key, agent.card.row, b"", b"n" * 16, b"y")
    answered = agent.receive(Envelope(peers.keys[A], agent.key, brought), now)
    assert len(first) == len(bodies(answered, Receipt)) == 1
    later = woken(agent, now, now + 20_000)
    assert bodies(later, Message) == bodies(later, Receipt) == []
    waits.under_way = False
    later = woken(agent, now + 20_000, now + 40_000)
    assert len(bodies(later, Message)) > 1
    assert len(bodies(later, Receipt)) == AgentConfig().repeats


def test_message__that_nobody_reads_fails_when_its_time_is_over(peers):
    peers.network.settle()
    agent, now = peers.agents[B], peers.network.now
    agent._delivery._waits = Reading()
    agent.send(peers.agents[C].card, b"x", b"i" * 16, b"n" * 16, now)
    woken(agent, now, now + 3 * AgentConfig().ttl)
    assert agent.num_held <= 1  # further attempts, no heap of sendings


def test_announcements__come_at_the_pace_at_which_neighbours_answer(peers):
    class Slow(Reading):
        pace = 500

    class Slower(Reading):
        pace = 3_000

    found = {}
    for waits in (Reading(False), Slow(False), Slower(False)):
        agent, neighbour = peers.agent(peers.views[B], waits=waits), peers.keys[A]
        agent.start(0)
        session = agent._links._links[neighbour].session
        actions = agent.receive(Envelope(neighbour, agent.key, Hello(7, session, None)), 0)
        times = [
            now for now in range(0, 5_000, 100) if bodies(actions + agent.wake(now), Announcement)
        ]
        found[waits.pace] = times[0]
    assert found == {0: 200, 500: 500, 3_000: 800}
