"""Delivery: what holders, targets and senders do, envelope by envelope."""

import msgspec
import pytest

from garden.peers.actions import Deliver, Ended, Send, Wake
from garden.peers.config import AgentConfig
from garden.peers.envelopes import (
    Ack,
    AnswerAck,
    Envelope,
    EnvelopeError,
    Failure,
    Hello,
    Message,
    Receipt,
)
from garden.peers.faults import Faults

A, B, C, D, E = range(5)  # a – b – c – d, and e beside b and c


@pytest.fixture
def peers(peers_of, path_graph):
    quiet = AgentConfig(probe_interval=0)  # tests leap over time in which nobody would answer
    peers = peers_of(path_graph, "beacons+backtrack", faults=Faults(latency=(10, 10)), config=quiet)
    peers.network.settle()
    return peers


def message_to(peers, target, **fields):
    card = peers.agents[target].card
    message = Message(
        id=b"i" * 16, attempt=0, hop=1, hop_limit=100, ttl=60_000, age=0, tries=1, target=card.key,
        row=card.row, memory=b"", nonce=b"n" * 16, payload=b"hello",
    )  # fmt: skip
    return msgspec.structs.replace(message, **fields)


def hand(peers, sender, receiver, body, now=100_000):
    """What an agent sends when it is handed a body: (receiver, body) each."""
    agent = peers.agents[receiver]
    actions = agent.receive(Envelope(peers.keys[sender], agent.key, body), now)
    return sent(peers, actions), [one for one in actions if not isinstance(one, Send | Wake)]


def sent(peers, actions):
    envelopes = [one.envelope for one in actions if isinstance(one, Send)]
    return [(peers.position[one.receiver], one.body) for one in envelopes]


def bodies(actions, kind):
    return [body for _, body in actions if isinstance(body, kind)]


def wakes(peers, agent, since, until):
    """What an agent sends while it is woken every 100 ms."""
    found = []
    for now in range(since, until, 100):
        found += [(now, *one) for one in sent(peers, peers.agents[agent].wake(now))]
    return [one for one in found if isinstance(one[2], Message | Receipt | Failure)]


def test_message__ends_once_as_delivered_with_its_path(peers):
    message_id = peers.send(A, D)
    peers.network.finish([message_id])
    ended = peers.ending(message_id)
    assert (ended.ending, ended.hops, ended.tries, ended.attempts) == ("delivered", 3, 3, 1)
    assert [peers.position[key] for key in ended.path] == [A, B, C, D]
    assert peers.network.handed_over == {message_id: 1}


def test_holder__acknowledges_and_passes_on_with_one_hop_more_and_less_time(peers):
    actions, _ = hand(peers, A, B, message_to(peers, D))
    (ack,) = bodies(actions, Ack)
    assert (ack.hop, ack.taken) == (1, True)
    ((receiver, onward),) = [one for one in actions if isinstance(one[1], Message)]
    assert receiver == C
    assert (onward.hop, onward.ttl, onward.age, onward.tries) == (2, 59_999, 1, 2)


def test_holder__acknowledges_a_known_hop_and_drops_it(peers):
    hand(peers, A, B, message_to(peers, D))
    actions, _ = hand(peers, A, B, message_to(peers, D))
    assert bodies(actions, Ack)
    assert not bodies(actions, Message)


def test_holder__takes_the_same_id_at_another_hop_as_a_revisit(peers):
    hand(peers, A, B, message_to(peers, D))
    actions, _ = hand(peers, A, B, message_to(peers, D, hop=3))
    assert bodies(actions, Message)[0].hop == 4


def test_holder__repeats_twice_with_doubled_waits_and_takes_the_next_best(peers):
    now = 100_000
    hand(peers, A, B, message_to(peers, D), now)
    found = wakes(peers, B, now, now + 4_000)
    times = [(at - now, receiver) for at, receiver, _ in found]
    assert times == [(500, C), (1_500, C), (3_500, E)]
    assert [body.tries for *_, body in found] == [3, 4, 5]
    assert {body.hop for *_, body in found} == {2}


def test_holder__counts_busy_as_no(peers):
    hand(peers, A, B, message_to(peers, D))
    actions, _ = hand(peers, C, B, Ack(b"i" * 16, 0, 2, False))
    ((receiver, onward),) = [one for one in actions if isinstance(one[1], Message)]
    assert (receiver, onward.hop, onward.tries) == (E, 2, 3)


def test_holder__with_a_full_queue_answers_busy(peers_of, path_graph):
    peers = peers_of(path_graph, "beacons", config=AgentConfig(max_held=1))
    peers.network.settle()
    hand(peers, A, B, message_to(peers, D))
    actions, _ = hand(peers, A, B, message_to(peers, D, id=b"j" * 16))
    assert bodies(actions, Ack) == [Ack(b"j" * 16, 0, 1, False)]
    assert not bodies(actions, Message)


def test_holder__fails_at_the_hop_limit_and_says_so_to_the_one_before(peers):
    actions, _ = hand(peers, A, B, message_to(peers, D, hop=7, hop_limit=7))
    assert (A, Failure(b"i" * 16, 0, "hop limit")) in actions


def test_holder__fails_where_time_has_run_out(peers):
    actions, _ = hand(peers, A, B, message_to(peers, D, ttl=1))
    assert (A, Failure(b"i" * 16, 0, "time ran out")) in actions


def test_holder__fails_a_message_whose_memory_cannot_be_read(peers):
    actions, _ = hand(peers, A, B, message_to(peers, D, memory=b"nonsense"))
    assert bodies(actions, Failure)[0].reason == "the message's memory is no state of backtrack"


def test_holder__passes_a_receipt_back_and_repeats_it_until_acknowledged(peers):
    hand(peers, A, B, message_to(peers, D))
    receipt = Receipt(b"i" * 16, 0, b"n" * 16, b"d" * 32, b"", 3, 3, (peers.keys[D],))
    actions, _ = hand(peers, C, B, receipt)
    assert (C, AnswerAck(b"i" * 16, 0, True)) in actions
    ((receiver, passed),) = [one for one in actions if isinstance(one[1], Receipt)]
    assert (receiver, passed.path) == (A, (peers.keys[D], peers.keys[B]))
    assert [one[1] for one in wakes(peers, B, 100_000, 100_600) if isinstance(one[2], Receipt)] == [
        A
    ]
    hand(peers, A, B, AnswerAck(b"i" * 16, 0, True), 100_600)
    later = wakes(peers, B, 100_700, 104_000)
    assert not [one for one in later if isinstance(one[2], Receipt)]


def test_holder__takes_no_receipt_from_one_it_did_not_send_to(peers):
    hand(peers, A, B, message_to(peers, D))
    receipt = Receipt(b"i" * 16, 0, b"n" * 16, b"d" * 32, b"", 3, 3, ())
    assert hand(peers, E, B, receipt) == ([], [])


def test_target__hands_an_id_over_once_and_answers_every_copy(peers):
    first, done = hand(peers, C, D, message_to(peers, D, hop=3))
    assert done == [Deliver(b"i" * 16, b"hello")]
    hand(peers, C, D, AnswerAck(b"i" * 16, 0, True))
    again, done = hand(peers, C, D, message_to(peers, D, hop=3, attempt=1))
    assert done == []
    assert [body.attempt for body in bodies(first, Receipt) + bodies(again, Receipt)] == [0, 1]


def test_target__after_a_restart_refuses_what_was_sent_before_it(peers):
    view = peers.views[D]
    peers.agents[D] = peers.agent(view, incarnation=1, restarted_at=100_000)
    actions, done = hand(peers, C, D, message_to(peers, D, hop=3, age=30_000), now=120_000)
    assert done == []
    assert bodies(actions, Failure)[0].reason == "the target was restarted"
    _, done = hand(peers, C, D, message_to(peers, D, hop=3, id=b"k" * 16), now=120_000)
    assert done == [Deliver(b"k" * 16, b"hello")]


def test_sender__takes_no_receipt_that_does_not_fit(peers):
    card = peers.agents[D].card
    peers.agents[A].send(card, b"hello", b"i" * 16, b"n" * 16, 100_000)
    forged = Receipt(b"i" * 16, 0, b"x" * 16, b"d" * 32, b"", 1, 1, ())
    _, done = hand(peers, B, A, forged)
    assert done == []


def test_sender__refuses_itself_as_target_long_payloads_and_ids_under_way(peers):
    agent, card = peers.agents[A], peers.agents[D].card
    with pytest.raises(EnvelopeError, match="its own sender"):
        agent.send(agent.card, b"", b"i" * 16, b"n" * 16, 0)
    with pytest.raises(EnvelopeError, match="4096 are allowed"):
        agent.send(card, b"x" * 4_097, b"i" * 16, b"n" * 16, 0)
    agent.send(card, b"", b"i" * 16, b"n" * 16, 0)
    with pytest.raises(EnvelopeError, match="under way"):
        agent.send(card, b"", b"i" * 16, b"n" * 16, 0)


def test_sender__makes_three_attempts_over_other_neighbours_and_ends_as_unknown(peers):
    agent, card, now = peers.agents[B], peers.agents[D].card, 100_000
    done = agent.send(card, b"", b"i" * 16, b"n" * 16, now)
    firsts = []
    while not any(isinstance(one, Ended) for one in done):
        for receiver, body in sent(peers, done):
            if isinstance(body, Message):  # it is taken, and nothing comes back
                firsts.append((body.attempt, receiver))
                hand(peers, receiver, B, Ack(body.id, body.attempt, 1, True), now)
        now += 1_000
        done = agent.wake(now)
    (ended,) = [one for one in done if isinstance(one, Ended)]
    assert (ended.ending, ended.attempts, ended.reason) == ("unknown", 3, "no answer came back")
    assert [attempt for attempt, _ in firsts] == [0, 1, 2]
    assert len({receiver for _, receiver in firsts}) == 3


def test_sender__ends_as_failed_and_says_why(peers_of, path_graph):
    peers = peers_of(path_graph, "beacons+backtrack")
    peers.network.settle()
    message_id = peers.send(A, D, hop_limit=1)
    peers.network.finish([message_id])
    ended = peers.ending(message_id)
    assert (ended.ending, ended.reason, ended.attempts) == ("failed", "hop limit", 3)


def test_agent__answers_no_stranger(peers):
    for body in (message_to(peers, D), Hello(1, 0, None), Ack(b"i" * 16, 0, 1, True)):
        assert hand(peers, D, A, body) == ([], [])


def test_sender__waits_before_its_last_attempt_after_word_of_a_failure(peers):
    network = peers.network
    for agent in (C, E):
        network.crash(peers.keys[agent])
    sent_at = network.now
    message_id = peers.send(A, D)
    network.finish([message_id])
    ended = peers.ending(message_id)
    assert (ended.ending, ended.attempts) == ("failed", 3)
    assert network.ended_at[message_id] - sent_at > AgentConfig().last_wait


def test_holder__sends_again_over_another_where_nobody_answers(peers_of, path_graph):
    config = AgentConfig(probe_interval=0, max_repairs=1)
    peers = peers_of(
        path_graph, "beacons+backtrack", faults=Faults(latency=(10, 10)), config=config
    )
    peers.network.settle()
    now = 100_000
    actions, _ = hand(peers, A, B, message_to(peers, D), now)
    assert [one for one, body in actions if isinstance(body, Message)] == [C]
    hand(peers, C, B, Ack(b"i" * 16, 0, 2, True), now + 20)  # and then nothing
    found = wakes(peers, B, now + 100, now + 20_000)
    (again,) = [one for one in found if isinstance(one[2], Message)][:1]
    assert again[1] == E
    assert 15_000 < again[0] - now < 20_000  # before the sender loses patience
    assert (again[2].hop, again[2].tries) == (2, 3)


def test_holder__that_saw_an_answer_sends_nothing_again(peers_of, path_graph):
    config = AgentConfig(probe_interval=0, max_repairs=1)
    peers = peers_of(
        path_graph, "beacons+backtrack", faults=Faults(latency=(10, 10)), config=config
    )
    peers.network.settle()
    message_id = peers.send(A, D)
    peers.network.finish([message_id])
    seen = []
    peers.network.watch(lambda _now, envelope: seen.append(envelope.body))
    peers.network.run_until(peers.network.now + 60_000)
    assert not [one for one in seen if isinstance(one, Message)]


def test_holder__is_busy_for_a_neighbour_that_floods_and_for_no_other(peers_of, path_graph):
    config = AgentConfig(probe_interval=0, max_per_neighbour=3)
    peers = peers_of(path_graph, "beacons+backtrack", config=config)
    peers.network.settle()

    def taken(sender, number):
        message = message_to(peers, D, id=number.to_bytes(16, "little"))
        actions, _ = hand(peers, sender, B, message)
        return bodies(actions, Ack)[0].taken

    assert [taken(A, number) for number in range(5)] == [True] * 3 + [False] * 2
    assert taken(E, 9)
    peers.agents[B].wake(100_000 + 130_000)  # what it brought is forgotten
    late = message_to(peers, D, id=b"l" * 16)
    actions, _ = hand(peers, A, B, late, 240_000)
    assert bodies(actions, Ack)[0].taken


def test_stranger__delivers_reads_and_injects_nothing(peers):
    stranger, victim = 12_345, peers.agents[D]
    message_id = peers.send(A, D)
    spoken = [
        message_to(peers, D),
        message_to(peers, A),
        Ack(message_id, 0, 1, True),
        Receipt(message_id, 0, b"n" * 16, bytes(32), b"", 1, 1, ()),
        Failure(message_id, 0, "no"),
        AnswerAck(message_id, 0, True),
        Hello(1, 0, None),
    ]
    rows = [agent.card for agent in peers.agents]
    for body in spoken:
        assert victim.receive(Envelope(stranger, victim.key, body), peers.network.now) == []
    assert (victim.num_held, [agent.card for agent in peers.agents]) == (0, rows)
    peers.network.finish([message_id])
    assert peers.ending(message_id).ending == "delivered"
    assert peers.network.handed_over == {message_id: 1}
