"""One agent that keeps its sketch: what it answers, by hand."""

import pytest

from garden.errors import StrategyError
from garden.strategies.gossip.maintenance import Envelope, SketchKeeper
from garden.strategies.gossip.sketches import Beacon, degree_class, equal_class, pruned_row

LOST = Beacon(0, 1)  # ranks above all others here, by its key
ME, LEFT, RIGHT = 10, 20, 30


def told(sender, *entries, withdrawn=(), acknowledged=()):
    return Envelope(sender, ME, entries, tuple(withdrawn), tuple(acknowledged))


def agent_between(left, right):
    """An agent at rest between two others, whose distances to LOST are these (None: none)."""
    rows = {
        neighbour: {Beacon(0, neighbour): 0} | ({} if distance is None else {LOST: distance})
        for neighbour, distance in ((LEFT, left), (RIGHT, right))
    }
    agent = SketchKeeper(ME, 16, equal_class, rows)
    agent.receive([told(neighbour, *row.items()) for neighbour, row in rows.items()])
    return agent


def test_degree_class__is_the_whole_part_of_twice_the_binary_logarithm():
    assert [degree_class(degree) for degree in (0, 1, 2, 3, 4, 5, 6, 709)] == [
        *(-1, 0, 2, 3, 4, 4, 5, 18),
    ]


def test_pruned_row__keeps_what_fewer_than_k_better_ones_are_as_near_as():
    distances = {Beacon(-2, 7): 2, Beacon(-2, 9): 1, Beacon(-1, 1): 1, Beacon(0, 5): 0}
    assert list(pruned_row(distances, 1)) == [(0, 5), (-2, 9), (-2, 7)]
    assert list(pruned_row(distances, 2)) == [(0, 5), (-2, 9), (-1, 1), (-2, 7)]
    assert pruned_row({Beacon(0, 5): 0, Beacon(0, 6): 1}, 1) == {(0, 5): 0}


def test_receive__a_nearer_entry_is_taken_and_told_to_all_neighbours():
    agent = agent_between(4, 4)
    sent = agent.receive([told(LEFT, (LOST, 2))])
    assert sent == [
        Envelope(ME, LEFT, ((LOST, 3),), (), ()),
        Envelope(ME, RIGHT, ((LOST, 3),), (), ()),
    ]
    assert agent.row[LOST] == 3


def test_receive__what_changes_nothing_is_not_answered():
    agent = agent_between(4, 4)
    assert agent.receive([]) == []
    assert agent.receive([told(LEFT, (LOST, 4))]) == []
    assert agent.receive([told(RIGHT, (Beacon(3, 99), 0))]) != []
    assert agent.receive([told(RIGHT, (Beacon(3, 99), 0))]) == []


def test_receive__another_as_near_takes_over_and_the_withdrawal_is_acknowledged_at_once():
    agent = agent_between(4, 4)
    assert agent.receive([told(LEFT, withdrawn=[LOST])]) == [Envelope(ME, LEFT, (), (), (LOST,))]
    assert agent.row[LOST] == 5
    assert not agent.is_waiting


def test_receive__a_distance_does_not_rise_before_all_neighbours_acknowledged_its_withdrawal():
    agent = agent_between(4, 5)  # RIGHT may well have its distance from this very agent
    assert agent.receive([told(LEFT, withdrawn=[LOST])]) == [
        Envelope(ME, LEFT, (), (LOST,), ()),
        Envelope(ME, RIGHT, (), (LOST,), ()),
    ]
    assert LOST not in agent.row
    assert agent.receive([told(LEFT, acknowledged=[LOST])]) == []
    assert agent.is_waiting
    sent = agent.receive([told(RIGHT, acknowledged=[LOST])])  # so RIGHT had it elsewhere
    assert agent.row[LOST] == 6
    assert sent == [
        Envelope(ME, LEFT, ((LOST, 6),), (), (LOST,)),
        Envelope(ME, RIGHT, ((LOST, 6),), (), ()),
    ]


def test_receive__a_beacon_lost_to_all_is_forgotten_and_does_not_count_up():
    agent = agent_between(4, 5)
    agent.receive([told(LEFT, withdrawn=[LOST])])
    sent = agent.receive([told(RIGHT, withdrawn=[LOST])])
    assert sent == [Envelope(ME, RIGHT, (), (), (LOST,))]
    sent = agent.receive([told(n, acknowledged=[LOST]) for n in (LEFT, RIGHT)])
    assert sent == [Envelope(ME, LEFT, (), (), (LOST,))]
    assert LOST not in agent.row
    assert not agent.is_waiting


def test_link_down__counts_as_the_acknowledgement_of_whoever_was_there():
    agent = agent_between(4, 5)
    agent.receive([told(LEFT, withdrawn=[LOST])])
    agent.receive([told(RIGHT, acknowledged=[LOST])])
    sent = agent.link_down(LEFT)
    assert sent == [Envelope(ME, RIGHT, ((LOST, 6),), ((0, LEFT),), ())]


def test_link_up__a_new_class_is_told_with_the_old_one_withdrawn_and_the_new_link_hears_the_row():
    agent = SketchKeeper(ME, 4, degree_class, [LEFT])
    assert agent.greeting() == [Envelope(ME, LEFT, (((0, ME), 0),), (), ())]
    assert agent.link_up(RIGHT) == [
        Envelope(ME, LEFT, (((-2, ME), 0),), ((0, ME),), ()),
        Envelope(ME, RIGHT, (((-2, ME), 0),), (), ()),
    ]


def test_link_up__a_class_that_comes_back_waits_for_its_own_withdrawal():
    agent = SketchKeeper(ME, 4, degree_class, [LEFT])
    agent.link_up(RIGHT)
    agent.link_down(RIGHT)
    assert list(agent.row) == []
    agent.receive([told(LEFT, acknowledged=[(0, ME), (-2, ME)])])
    assert agent.row == {(0, ME): 0}


def test_receive__its_own_key_is_never_taken_from_others():
    agent = agent_between(4, 4)
    assert agent.receive([told(LEFT, (Beacon(-9, ME), 3))]) == []


def test_receive__envelopes_from_a_link_that_went_are_ignored():
    agent = agent_between(4, 4)
    agent.link_down(LEFT)
    assert agent.receive([told(LEFT, (LOST, 0), withdrawn=[LOST])]) == []


def test_mistakes__are_refused_in_one_line():
    agent = agent_between(4, 4)
    with pytest.raises(StrategyError, match="no link to 99"):
        agent.link_down(99)
    for neighbour in (LEFT, ME):
        with pytest.raises(StrategyError, match=f"new link to {neighbour}"):
            agent.link_up(neighbour)
    with pytest.raises(StrategyError, match="65535 hops"):
        agent.receive([told(LEFT, (LOST, 65_535))])


def test_rest__a_withdrawn_beacon_stays_out_for_so_many_calls_per_hop():
    agent = SketchKeeper(ME, 16, equal_class, (LEFT, RIGHT), rest=2)
    agent.receive([told(LEFT, (LOST, 1)), told(RIGHT, (LOST, 2))])
    assert agent.row[LOST] == 2
    agent.receive([told(LEFT, withdrawn=[LOST])])
    agent.receive([told(LEFT, acknowledged=[LOST]), told(RIGHT, acknowledged=[LOST])])
    assert not agent.is_waiting
    for _ in range(3):
        assert agent.is_resting
        assert agent.receive([]) == []
        assert LOST not in agent.row
    assert len(agent.receive([])) == 2
    assert agent.row[LOST] == 3
    assert not agent.is_resting
