"""`beacons`: cards, scores by their definition, and parameters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import ArgumentError, SpecError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.search.rounds import node_keys, settle
from garden.strategies.gossip.beacons import NO_COMMON_ENTRY, Beacons, plain_scores
from garden.strategies.gossip.score_kernel import score_table
from garden.strategies.representations import Ragged, Representations

PATH = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), 4)
STAR = Graph.from_edges(np.stack([np.zeros(100), np.arange(1, 101)], axis=1), 101)


def row(sketch, neighbours=()):
    """A row with these entries (key → distance) and further neighbours' keys."""
    keys, distances = list(sketch), list(sketch.values())
    whole = np.array([0, len(keys)])
    return Representations(
        {},
        {
            "keys": Ragged(np.array(keys, dtype=np.uint64), whole),
            "distances": Ragged(np.array(distances, dtype=np.uint16), whole),
            "classes": Ragged(np.zeros(len(keys), dtype=np.int8), whole),
            "neighbours": Ragged(
                np.array(neighbours, dtype=np.uint64), np.array([0, len(neighbours)])
            ),
        },
    )


def maps_of(rows):
    """Each row as key → distance, neighbours at 1."""
    keys, distances, others = (rows.ragged[name] for name in ("keys", "distances", "neighbours"))
    entries = [{} for _ in range(len(rows))]
    for owner, key, hops in zip(keys.owner, keys.values, distances.values, strict=True):
        entries[owner][int(key)] = int(hops)
    for owner, key in zip(others.owner, others.values, strict=True):
        entries[owner][int(key)] = 1
    return entries


def defined_score(candidate, card):
    """Minus the least sum; the bound, what reaches the sum and one hop more in lower digits."""
    common = candidate.keys() & card.keys()
    if not common:
        return -(2**53)
    sums = [candidate[key] + card[key] for key in common]
    bound = max(abs(candidate[key] - card[key]) for key in common)
    least = min(sums)
    return whole_score(least, bound, sums.count(least), sums.count(least + 1))


def whole_score(least, bound, reach, nearly=0):
    """A score of these digits."""
    ties = min(reach, 1023) * 2**10 + min(nearly, 1023)
    return -least * 2**36 + (65_535 - bound) * 2**20 + ties


@st.composite
def settled(draw):
    """A strategy and its rows on a graph of some components."""
    num_nodes = draw(st.integers(1, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges = rng.integers(0, num_nodes, (draw(st.integers(0, 3 * num_nodes)), 2))
    strategy = Beacons(
        k=draw(st.integers(1, 8)),
        rank=draw(st.sampled_from(["degree", "hash"])),
        neighbours=draw(st.integers(0, 6)),
    )
    return strategy, settle(Graph.from_edges(edges, num_nodes), strategy).rows


@settings(max_examples=60, deadline=None)
@given(settled())
def test_score__is_the_least_sum_over_common_entries_and_compiled_scores_are_the_same(made):
    strategy, rows = made
    cards = strategy.card(rows)
    expected = [
        [float(defined_score(candidate, card)) for candidate in maps_of(rows)]
        for card in maps_of(cards)
    ]
    assert plain_scores(rows, cards).tolist() == expected
    assert score_table(rows, cards).tolist() == expected
    assert strategy.score(rows, rows).tolist() == expected
    owner, candidate = np.divmod(np.arange(len(rows) ** 2), len(rows))
    pairs = strategy.score_pairs(rows.take(candidate), rows.take(owner))
    assert pairs.tolist() == np.ravel(expected).tolist()


def test_score__is_never_closer_than_the_target_is():
    strategy = Beacons(k=2)
    scores = strategy.score(*(settle(PATH, strategy).rows,) * 2)
    hops = np.abs(np.arange(4)[:, None] - np.arange(4))
    assert (np.ceil(-scores / 2**36) >= hops).all()
    assert (np.diag(scores) > 0).all()


def scores_of(candidate, target, **options):
    ours = Beacons(**options).score(candidate, target)
    assert ours.tolist() == plain_scores(candidate, Beacons(**options).card(target)).tolist()
    return float(ours[0, 0])


def test_score__ties_go_by_the_bound_then_by_who_reaches_the_sum_then_by_who_reaches_one_more():
    target = row({1: 0, 2: 2, 3: 3, 4: 4})
    nearer = scores_of(row({9: 0, 2: 1}), target)
    two = scores_of(row({9: 0, 2: 1, 3: 0}), target)
    one_more = scores_of(row({9: 0, 2: 2, 3: 1, 4: 1}), target)
    one = scores_of(row({9: 0, 2: 2, 4: 1}), target)
    assert nearer == whole_score(3, 1, 1)
    assert two == whole_score(3, 3, 2)
    assert one_more == whole_score(4, 3, 2, 1)
    assert one == whole_score(4, 3, 1, 1)
    assert sorted([one, two, one_more, nearer]) == [one, one_more, two, nearer]


def test_score__the_bound_tells_who_is_behind_a_bridge_that_no_sketch_names():
    # Beacon 1 is four hops from the target, beacon 2 is five: of two neighbours of beacon 1, the
    # one that is further from beacon 2 may be nearer to the target.
    target = row({9: 0, 1: 4, 2: 5})
    ahead = scores_of(row({7: 0, 1: 1, 2: 2}), target)
    beside = scores_of(row({8: 0, 1: 1, 2: 1}), target)
    assert ahead == whole_score(5, 3, 1)
    assert beside == whole_score(5, 4, 1, 1)
    assert ahead > beside


def test_score__counts_end_at_1023_and_whole_numbers_stay_exact():
    many = dict.fromkeys(range(2_000), 65_535)
    far = whole_score(131_070, 0, 1023)
    assert scores_of(row(many), row(many)) == far
    shifted = {key: 65_535 - (key == 0) for key in many}
    assert scores_of(row(shifted), row(many)) == whole_score(131_069, 1, 1, 1023)
    furthest = {**many, 2_000: 0}
    lowest = scores_of(row(furthest), row({0: 65_535, 2_000: 65_535}))
    assert lowest == whole_score(65_535, 65_535, 1)
    for whole in (far, whole_score(131_070, 65_535, 1), lowest):
        assert int(float(whole)) == whole
        assert float(whole) + 1 != float(whole)
        assert whole > NO_COMMON_ENTRY
    assert np.isfinite(NO_COMMON_ENTRY)


def test_score__without_a_common_entry_is_the_lowest():
    apart = Graph.from_edges(np.array([[0, 1], [2, 3]]), 4)
    rows = settle(apart, Beacons()).rows
    scores = Beacons().score(rows, rows)
    assert (scores[:2, 2:] == NO_COMMON_ENTRY).all()
    assert (scores[:2, :2] > NO_COMMON_ENTRY).all()


def test_score__a_neighbour_of_the_candidate_may_be_the_target():
    assert scores_of(row({7: 0}, [5]), row({5: 0})) == whole_score(1, 1, 1)
    assert scores_of(row({7: 0}, [5]), row({6: 0}, [5])) == whole_score(2, 0, 1)
    assert scores_of(row({7: 0}, [5]), row({6: 0}, [5]), neighbours=0) == NO_COMMON_ENTRY


@pytest.mark.parametrize(("k", "limit"), [(16, 64), (1, 64), (100, 64), (16, 10), (4, 0)])
def test_card__carries_so_many_neighbours_those_in_the_sketch_included(k, limit):
    strategy = Beacons(k=k, neighbours=limit)
    hub = settle(STAR, strategy).rows.take(np.array([0]))
    in_sketch = int((hub.ragged["distances"].values == 1).sum())
    assert in_sketch == min(100, k - 1)  # the hub itself is better than all of them
    assert len(hub.ragged["neighbours"].values) == 100 - in_sketch
    card = strategy.card(hub)
    carried = card.ragged["neighbours"].values
    assert len(carried) == max(0, limit - in_sketch)
    best = np.sort(node_keys(STAR, 0)[1:])  # all leaves have one class
    assert carried.tolist() == best[in_sketch : in_sketch + len(carried)].tolist()
    assert card.ragged["keys"] is hub.ragged["keys"]


def test_begin__an_agent_knows_itself_and_its_neighbours_keys():
    keys, egos = node_keys(PATH, 3), ego_graphs(PATH)
    rows = Beacons(seed=3).begin(egos, keys[egos.members])
    assert rows.ragged["keys"].values.tolist() == keys.tolist()
    assert rows.ragged["distances"].values.tolist() == [0] * 4
    assert rows.ragged["classes"].values.tolist() == [0, 2, 2, 0]
    others = rows.ragged["neighbours"]
    assert others.take(np.array([1])).values.tolist() == sorted(keys[[0, 2]].tolist())
    assert np.diff(others.offsets).tolist() == [1, 2, 2, 1]


def test_told__are_the_entries_that_are_new_or_moved():
    before, after = row({1: 0, 2: 1, 3: 4}), row({1: 0, 2: 1, 3: 2, 4: 2})
    entries, num_bytes = Beacons().told(before, after)
    assert (entries.tolist(), num_bytes.tolist()) == ([2], [22])
    assert Beacons().told(after, after)[0].tolist() == [0]
    assert Beacons().size_of(after)[1].tolist() == [44]


def test_fixed_length__distances_to_the_same_beacons_everywhere():
    rows = settle(PATH, Beacons(k=2)).rows
    keys = node_keys(PATH, 0)
    best = sorted([1, 2], key=lambda node: keys[node])  # the two of degree 2
    hops = np.abs(np.arange(4)[:, None] - np.array(best))
    assert Beacons(k=2).fixed_length(rows).tolist() == hops.tolist()
    wide = Beacons(k=6).fixed_length(settle(PATH, Beacons(k=6)).rows)
    assert wide.dtype == np.float32
    assert (wide[:, 4:] == -1).all()
    assert (wide[:, :4] >= 0).all()


def test_beacons__have_no_rows_without_rounds():
    with pytest.raises(StrategyError, match="beacons has rounds: agents tell their neighbours"):
        Beacons().represent(ego_graphs(PATH))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 0}, SpecError, "beacons: k=0: it must be 1 or more"),
        ({"seed": -1}, SpecError, "beacons: seed=-1: it must be 0 or more"),
        ({"seed": 2**64}, SpecError, "beacons: seed=18446744073709551616: it must be below 2⁶⁴"),
        ({"neighbours": -1}, SpecError, "beacons: neighbours=-1: it must be 0 or more"),
        ({"rank": "age"}, SpecError, "beacons: rank=age: choose degree or hash"),
        ({"k": 2.0}, ArgumentError, "`k` is 2.0, of type float: give a whole number"),
    ],
)
def test_beacons__parameters_out_of_range_are_refused(options, error, message):
    with pytest.raises(error) as raised:
        Beacons(**options)
    assert message in str(raised.value)
