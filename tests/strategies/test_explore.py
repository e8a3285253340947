"""The memory `explore`: links by id, what counts as new, and where to turn back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import SpecError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import contender_named, memory_for, memory_named
from garden.strategies.base import Strategy
from garden.strategies.explore import Explored, Step, bags, link_ids, new_links, place_to_turn
from garden.strategies.lookahead import BidirectionalWalker
from garden.strategies.registry import MEMORIES, RULES
from garden.strategies.universal.policy import Universal


def random_graph(num_nodes, seed, num_profiles=None):
    """A connected graph; each node has a profile of its own, or one of a few."""
    rng = np.random.default_rng(seed)
    tree = [(node, int(rng.integers(max(0, node - 3), node))) for node in range(1, num_nodes)]
    more = rng.integers(0, num_nodes, (num_nodes, 2)).tolist()
    edges = np.array([*tree, *([a, b] for a, b in more if a != b)])
    if num_profiles is None:
        return Graph.from_edges(edges, num_nodes, np.eye(num_nodes, dtype=np.float32))
    kinds = np.eye(num_profiles, dtype=np.float32)[rng.integers(0, num_profiles, num_nodes)]
    return Graph.from_edges(edges, num_nodes, kinds)


def rows_of(graph, name="bidirectional"):
    return contender_named(name).strategy.represent(ego_graphs(graph))


def new_links_of(graph, name, seen, node):
    """The count that a message which has seen these nodes makes at one of them."""
    rows = rows_of(graph, name)
    ids, counts = np.unique(link_ids(rows.take(np.array(seen))).ids, return_counts=True)
    own = link_ids(rows.take(np.array([node])))
    return new_links(own.ids, own.mates, dict(zip(ids.tolist(), counts.tolist(), strict=True)))


@pytest.mark.parametrize("name", ["bidirectional", "lookahead", "universal"])
def test_links__the_mate_of_a_link_is_its_id_at_the_other_end(name):
    graph = random_graph(30, 1)
    found = link_ids(rows_of(graph, name))
    there = set(zip(found.ids.tolist(), found.mates.tolist(), strict=True))
    assert len(there) == 2 * graph.num_edges
    assert {(mate, link) for link, mate in there} == there


def test_links__do_not_depend_on_how_nodes_are_numbered():
    graph = random_graph(30, 2)
    order = np.random.default_rng(0).permutation(30)
    edges = np.array(graph.edges())
    other = Graph.from_edges(np.argsort(order)[edges], 30, graph.attributes[order])
    mine, theirs = (link_ids(rows_of(one)).ids for one in (graph, other))
    assert sorted(mine.tolist()) == sorted(theirs.tolist())


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 40), st.integers(0, 2**31), st.sampled_from(["bidirectional", "universal"]))
def test_new_links__are_counted_exactly_where_profiles_differ(num_nodes, seed, name):
    graph = random_graph(num_nodes, seed)
    rng = np.random.default_rng(seed)
    seen = rng.choice(num_nodes, int(rng.integers(1, num_nodes)), replace=False)
    node = int(seen[0])
    expected = len(set(graph.neighbours(node).tolist()) - set(seen.tolist()))
    assert new_links_of(graph, name, seen, node) == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 40), st.integers(0, 2**31), st.integers(1, 4))
def test_new_links__where_profiles_clash_are_none_once_all_is_seen(num_nodes, seed, num_profiles):
    graph = random_graph(num_nodes, seed, num_profiles)
    everyone = np.arange(num_nodes)
    assert all(new_links_of(graph, "universal", everyone, node) == 0 for node in everyone)


def test_new_links__of_one_id_share_those_seen():
    # Two of three links with this id are known from their other ends; this row has two of them.
    assert new_links(np.array([7, 7]), np.array([9, 9]), {7: 3, 9: 2}) == 2 - 2 * 2 // 3
    # An id that is its own mate: one more in another seen row is the other end of one of the two.
    assert new_links(np.array([7, 7]), np.array([7, 7]), {7: 3}) == 1


def test_bags__are_the_same_with_and_without_the_array():
    graph = random_graph(20, 3, 3)
    assert np.array_equal(bags(rows_of(graph, "bidirectional")), bags(rows_of(graph, "universal")))


def test_place_to_turn__is_the_first_neighbour_from_the_last_node_that_had_more():
    way = (Step(5, True), Step(6, True), Step(7, False), Step(8, False))
    assert place_to_turn(way, {5, 7, 8}) == 2  # node 6, where more was left, is no neighbour
    assert place_to_turn(way, {5, 6, 8}) == 1
    assert place_to_turn(tuple(Step(one.node, False) for one in way), {8}) is None
    assert place_to_turn((), set()) is None


def recalled(graph, target, holder, state=None, scores=None):
    """The candidates that keep a score, the scores, and the new state."""
    memory = memory_named("explore").among(rows_of(graph)).towards(target)
    candidates = graph.neighbours(holder)
    scores = np.zeros(len(candidates)) if scores is None else np.array(scores)
    after, state = memory.recall(state or memory.start(), holder, candidates, scores)
    return {int(c): float(s) for c, s in zip(candidates, after, strict=True) if s > -np.inf}, state


def test_explore__passes_over_neighbours_without_links_to_the_unseen():
    # 0 sees 1 and 2, which have each other and 0; 3 leads on to 4, 5.
    edges = np.array([[0, 1], [0, 2], [1, 2], [0, 3], [3, 4], [3, 5], [5, 6]])
    graph = Graph.from_edges(edges, 7, np.eye(7, dtype=np.float32))
    kept, state = recalled(graph, 6, 0, scores=[9.0, 9.0, 0.0])
    assert kept == {3: pytest.approx(0.5 * np.log(2))}
    assert state.way == (Step(0, False),)
    assert state.seen == {0, 1, 2, 3}


def test_explore__visits_a_neighbour_with_the_targets_keys_though_nothing_is_new_there():
    edges = np.array([[0, 1], [0, 2], [1, 2], [0, 3], [3, 4]])
    graph = Graph.from_edges(edges, 5, np.eye(5, dtype=np.float32))
    kept, _ = recalled(graph, 1, 0, scores=[1.0, 1.0, 0.0])
    assert set(kept) == {1}


def test_explore__goes_on_as_backtrack_where_nobody_on_the_way_had_more():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]), 3, np.eye(3, dtype=np.float32))
    links = dict.fromkeys(link_ids(rows_of(graph)).ids.tolist(), 1)
    way = (Step(0, False), Step(1, False))
    state = Explored(frozenset({0, 1}), frozenset({0, 1, 2}), links, way)
    kept, after = recalled(graph, 0, 2, state)
    assert set(kept) == {1}
    assert after.trail is not None
    assert after.trail.met == {2}


def test_explore__is_refused_where_rows_show_no_links():
    with pytest.raises(SpecError, match=r"^greedy: the memory explore .*none, visited, backtrack"):
        contender_named("greedy+explore")
    for strategy in (Universal, BidirectionalWalker):
        assert memory_for(strategy, "explore") is MEMORIES["explore"]
    assert not Strategy.shows_links
    assert "explore" not in RULES  # the memories of every strategy


def test_explore__its_address_names_the_weight():
    assert memory_named("explore").address == "explore: score + 0.5 log new links"
