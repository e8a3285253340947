import numpy as np
import pytest

from garden.errors import SpecError
from garden.resolve import memory_for, memory_named
from garden.strategies.frontier import FrontierMemory
from garden.strategies.registry import BY_SCORE, WALKERS
from garden.strategies.universal.policy import Universal

NEIGHBOURS = np.array([4, 6, 9])
SCORES = np.array([1.0, 3.0, 2.0])
NEVER = -np.inf


def test_none__leaves_scores_alone():
    memory = memory_named("none")
    scores, _ = memory.recall(memory.start(), 0, NEIGHBOURS, SCORES)
    assert scores.tolist() == [1, 3, 2]


def test_visited__keeps_the_unvisited_then_the_least_visited():
    memory = memory_named("visited")
    state = memory.start()
    for holder, expected in [
        (0, [1, 3, 2]),
        (6, [1, NEVER, 2]),
        (4, [NEVER, NEVER, 2]),
        (9, [1, 3, 2]),  # all once: all are least visited again
        (9, [1, 3, NEVER]),
    ]:
        scores, state = memory.recall(state, holder, NEIGHBOURS, SCORES)
        assert scores.tolist() == expected


def test_backtrack__takes_the_best_new_neighbour_and_else_goes_back():
    memory = memory_named("backtrack")
    state = memory.start()
    # From 0 to its best neighbour 6; 6 knows only 0, so back to 0; then 9, which is next best.
    scores, state = memory.recall(state, 0, NEIGHBOURS, SCORES)
    assert scores.tolist() == [NEVER, 3, NEVER]
    scores, state = memory.recall(state, 6, np.array([0]), np.array([5.0]))
    assert scores.tolist() == [5]
    scores, state = memory.recall(state, 0, NEIGHBOURS, SCORES)
    assert scores.tolist() == [NEVER, NEVER, 2]


def test_backtrack__goes_back_the_way_it_came_and_not_to_any_old_neighbour():
    memory = memory_named("backtrack")
    state = memory.start()
    _, state = memory.recall(state, 0, np.array([1, 2]), np.array([1.0, 0.0]))
    _, state = memory.recall(state, 1, np.array([0, 2]), np.array([1.0, 0.0]))
    scores, state = memory.recall(state, 2, np.array([0, 1]), np.array([9.0, 0.0]))
    assert scores.tolist() == [NEVER, 0]


def test_frontier__returns_to_a_better_neighbour_that_was_passed_by():
    memory = memory_named("frontier")
    state = memory.start()
    # 0 prefers 1 to 2 by a little; 1 offers only 3, which the policy itself would not take.
    scores, state = memory.recall(state, 0, np.array([1, 2]), np.array([0.2, 0.0]))
    assert scores.tolist() == [0.2, NEVER]
    scores, state = memory.recall(state, 1, np.array([0, 3]), np.array([9.0, 0.0]))
    assert scores.tolist() == [9, NEVER]  # back to 0, on the way to 2: 3 is worth −9, 2 but −0.8
    scores, state = memory.recall(state, 0, np.array([1, 2]), np.array([0.2, 0.0]))
    assert scores.tolist() == [NEVER, 0]


def test_frontier__goes_on_where_the_way_back_costs_more_than_it_gains():
    memory = memory_named("frontier")
    state = memory.start()
    _, state = memory.recall(state, 0, np.array([1, 2]), np.array([0.2, 0.0]))
    scores, state = memory.recall(state, 1, np.array([0, 3]), np.array([0.3, 0.0]))
    assert scores.tolist() == [NEVER, 0]


def test_frontier__walks_round_the_tree_to_a_far_branch():
    memory = memory_named("frontier")
    state = memory.start()
    _, state = memory.recall(state, 0, np.array([1, 2]), np.array([0.1, 0.0]))
    _, state = memory.recall(state, 1, np.array([0, 3]), np.array([0.0, 5.0]))
    scores, state = memory.recall(state, 3, np.array([1]), np.array([0.0]))  # a dead end
    assert scores.tolist() == [0]
    scores, state = memory.recall(state, 1, np.array([0, 3]), np.array([0.0, 5.0]))
    assert scores.tolist() == [0, NEVER]
    scores, state = memory.recall(state, 0, np.array([1, 2]), np.array([0.1, 0.0]))
    assert scores.tolist() == [NEVER, 0]


def test_frontier__the_longer_the_search_the_cheaper_the_way_back():
    memory = memory_named("frontier")
    state = memory.start()
    _, state = memory.recall(state, 0, np.array([1, 99]), np.array([0.2, 0.0]))
    for node in range(1, 6):  # a line, along which the policy is sure of itself
        scores, state = memory.recall(
            state, node, np.array([node - 1, node + 1]), np.array([-30.0, 0.0])
        )
        assert scores.tolist() == [NEVER, 0]
    # Six hops back to 99 cost 12 at the first price, and 7 by now: less than 9 to go on.
    scores, state = memory.recall(state, 6, np.array([5, 7]), np.array([0.0, -9.0]))
    assert scores.tolist() == [0, NEVER]


def test_frontier__by_score_neighbours_of_different_holders_compare():
    # 3 is nearly sure where it is seen, and yet 2 scored higher where the message comes from.
    seen = [
        (0, np.array([1, 2]), np.array([6.0, 5.5])),
        (1, np.array([0, 3]), np.array([-9.0, 1.0])),
    ]
    chosen = {}
    for memory in (memory_named("frontier"), BY_SCORE):
        state = memory.start()
        for holder, candidates, scores in seen:
            recalled, state = memory.recall(state, holder, candidates, scores)
        chosen[memory] = int(candidates[np.isfinite(recalled)][0])
    assert list(chosen.values()) == [3, 0]


def test_frontier__suits_the_strategy():
    assert memory_for(WALKERS["distance"], "frontier") is memory_named("frontier")
    assert memory_for(Universal, "frontier") is BY_SCORE
    assert memory_for(Universal, "backtrack") is memory_named("backtrack")


def test_memory__its_address_tells_what_walks_depend_on():
    addresses = {one.address for one in (FrontierMemory(), FrontierMemory(1.0), BY_SCORE)}
    assert len(addresses) == 3
    assert memory_named("backtrack").address == "backtrack"


def test_memory__unknown_name_lists_the_known():
    with pytest.raises(SpecError, match="none, visited, backtrack, frontier"):
        memory_named("elephant")
