"""What a message remembers, on the wire and around nodes that are gone."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.peers.envelopes import MAX_MEMORY, EnvelopeError
from garden.peers.message_memory import check_memory, decoded_state, encoded_state
from garden.strategies.detours import recalled
from garden.strategies.explore import Explored, Step
from garden.strategies.frontier import Map, Passed
from garden.strategies.lookahead import LookaheadWalker
from garden.strategies.memory import Memory, Trail, Visits
from garden.strategies.registry import MEMORIES, RULES

STATES = {
    "visited": Visits({3: 1, 2**64 - 1: 2}),
    "backtrack": Trail(frozenset({3, 5, 9}), (3, 9)),
    "frontier": Map({3: 3, 5: 3}, (Passed(7, -0.5, 3),), (), 5),
    "explore": Explored(
        frozenset({3, 5}), frozenset({3, 5, 2**64 - 1}), {2**32 - 1: 2, 0: 1},
        (Step(3, True), Step(5, False)), Trail(frozenset({3, 5}), (3,)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_memory__comes_back_as_it_was_sent(name):
    memory = MEMORIES[name]
    assert decoded_state(memory, encoded_state(memory, STATES[name]), 8) == STATES[name]


@pytest.mark.parametrize("name", ["none", *RULES])
def test_memory__of_no_bytes_is_the_start(name):
    assert decoded_state(MEMORIES[name], b"", 8) == MEMORIES[name].start()


def test_memory__beyond_its_limit_is_refused():
    trail = Trail(frozenset(range(2**63, 2**63 + MAX_MEMORY // 9 + 1)), ())
    with pytest.raises(EnvelopeError, match="are allowed"):
        encoded_state(MEMORIES["backtrack"], trail)


def test_memory__of_ones_own_cannot_travel():
    class Own(Memory):
        name = "own"

        def start(self):
            return None

        def recall(self, state, holder, candidates, scores):
            return scores, None

    with pytest.raises(StrategyError, match="peers have no memory 'own'"):
        check_memory(Own())


@pytest.mark.parametrize(
    "state",
    [
        Map({3: 5, 5: 3}, (), (), 5),  # no tree
        Map({3: 3, 8: 3}, (), (), 3),  # the holder was visited, and there is no way on
        Map({3: 3}, (), (4,), 3),  # a way that leads over nodes not visited
        Map({3: 3}, (Passed(7, 0.0, 6),), (), 3),  # a gate that was not visited
        Map({3: 3}, (Passed(7, float("nan"), 3),), (), 3),
        Map({3: 3}, (), (), 4),
    ],
)
def test_memory__that_would_lead_nowhere_is_refused(state):
    memory = MEMORIES["frontier"]
    with pytest.raises(EnvelopeError, match="no state of frontier"):
        decoded_state(memory, encoded_state(memory, state), 8)


@given(st.binary(max_size=60), st.sampled_from(("none", *RULES)))
def test_memory__of_any_bytes_is_refused_or_can_be_gone_on_from(data, name):
    memory = MEMORIES[name]
    try:
        state = decoded_state(memory, data, 8)
    except EnvelopeError:
        return
    keys = np.array([1, 2], dtype=np.uint64)
    recalled(memory, state, 8, keys, np.array([0.0, 1.0]))


@pytest.mark.parametrize(
    "state",
    [
        Explored(way=(Step(3, True),)),  # a way over a node that has not held it
        Explored(frozenset({3}), frozenset({3}), {2**32: 1}),
        Explored(frozenset({3}), frozenset({3}), {7: 0}),
    ],
)
def test_explore__of_links_or_ways_that_cannot_be_is_refused(state):
    memory = MEMORIES["explore"]
    with pytest.raises(EnvelopeError, match="no state of explore"):
        decoded_state(memory, encoded_state(memory, state), 8)


def test_explore__goes_on_from_any_links_that_others_claim(generated):
    rows = LookaheadWalker().represent(ego_graphs(generated))
    memory = MEMORIES["explore"].among(rows).towards(generated.num_nodes - 1)
    around = generated.neighbours(0)
    everybody = frozenset(range(generated.num_nodes))
    claims = [
        Explored(),
        Explored(frozenset({0}), everybody, {}),
        Explored(everybody, everybody, {1: 1}, (Step(int(around[0]), True),)),
        Explored(frozenset({5}), everybody, {}, (Step(5, True),), Trail(everybody, (5, 0))),
    ]
    for claim in claims:
        state = decoded_state(memory, encoded_state(memory, claim), 0)
        found = recalled(memory, state, 0, around, np.zeros(len(around)))
        assert found is None or not np.isneginf(found[0]).all()


def test_explore__turns_to_an_earlier_holder_where_the_way_back_is_gone():
    memory = MEMORIES["explore"]
    state = Explored(trail=Trail(frozenset({1, 2, 3}), (1, 2, 3)))
    scores, after = recalled(memory, state, 4, np.array([1], np.uint64), np.zeros(1))
    assert scores.tolist() == [0]
    assert after.trail == Trail(frozenset({1, 2, 3, 4}), (1,))


def test_backtrack__skips_holders_that_are_gone_on_its_way_back():
    memory = MEMORIES["backtrack"]
    trail = Trail(frozenset({1, 2, 3}), (1, 2, 3))
    scores, after = recalled(memory, trail, 4, np.array([1], np.uint64), np.zeros(1))
    assert scores.tolist() == [0]
    assert after == Trail(frozenset({1, 2, 3, 4}), (1,))


def test_backtrack__ends_where_no_earlier_holder_is_a_neighbour():
    memory = MEMORIES["backtrack"]
    trail = Trail(frozenset({1, 2, 3}), (1, 2))
    assert recalled(memory, trail, 4, np.array([3], np.uint64), np.zeros(1)) is None
    start = Trail(frozenset({1, 2}), (1,))  # back at the source, whose neighbours all failed
    assert recalled(memory, start, 1, np.array([2], np.uint64), np.zeros(1)) is None


def test_frontier__goes_around_a_parent_that_is_gone():
    memory = MEMORIES["frontier"]
    state = Map({1: 1, 2: 1, 3: 2}, (Passed(9, 5.0, 1),), (2, 1, 9), 2)
    scores, after = recalled(memory, state, 3, np.array([1], np.uint64), np.zeros(1))
    assert scores.tolist() == [0]
    assert after.came_from == {1: 1, 2: 1, 3: 1}
    assert after.way == (9,)


def test_frontier__forgets_a_neighbour_that_is_gone():
    memory = MEMORIES["frontier"]
    state = Map({1: 1}, (Passed(9, 5.0, 1), Passed(8, 1.0, 1)), (9,), 1)
    scores, after = recalled(memory, state, 1, np.array([8], np.uint64), np.zeros(1))
    assert scores.tolist() == [0]
    assert after.way == ()
    assert [one.node for one in after.passed] == [8]


@pytest.mark.parametrize("name", ["none", *RULES])
def test_memory__with_nobody_gone_the_rule_is_as_it_is(name):
    memory = MEMORIES[name]
    candidates, scores = np.array([4, 6], np.uint64), np.array([1.0, 3.0])
    state = memory.start()
    ours, theirs = (
        recalled(memory, state, 2, candidates, scores),
        memory.recall(state, 2, candidates, scores),
    )
    assert ours[0].tolist() == theirs[0].tolist()
    assert ours[1] == theirs[1]


def test_memory__bytes_are_plain_msgpack():
    assert msgspec.msgpack.decode(encoded_state(MEMORIES["backtrack"], STATES["backtrack"])) == [
        [3, 9],
        [5],
    ]
