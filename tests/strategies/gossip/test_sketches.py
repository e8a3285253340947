"""Classes, ranks and the pruned union: what a sketch holds, by its definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.errors import StrategyError
from garden.strategies.gossip.sketches import (
    MAX_DISTANCE,
    Entries,
    best_first,
    degree_classes,
    entries_of,
    num_adjacent,
    own_entries,
    pruned,
    shortened,
    without_first,
)
from garden.strategies.representations import Ragged


def entries(*rows):
    """Entries of (owner, key, distance, class)."""
    owner, keys, distances, classes = zip(*rows, strict=True)
    return Entries(
        np.array(owner),
        np.array(keys, dtype=np.uint64),
        np.array(distances),
        np.array(classes, dtype=np.int8),
    )


def sketches_of(rows):
    """The sketches as lists of (key, distance, class)."""
    parts = [rows.ragged[name] for name in ("keys", "distances", "classes")]
    bounds = parts[0].offsets
    return [
        list(zip(*(part.values[start:stop].tolist() for part in parts), strict=True))
        for start, stop in pairwise(bounds)
    ]


@pytest.mark.parametrize("exponent", range(32))
def test_classes__a_class_is_where_the_square_of_a_degree_has_its_highest_bit(exponent):
    power = 2**exponent
    degrees = sorted({*range(20), power - 1, power, power + 1, int(power * 2**0.5), 2**31})
    expected = [(degree**2).bit_length() - 1 for degree in degrees]
    classes = degree_classes(np.array(degrees))
    assert classes.dtype == np.int8
    assert classes.tolist() == expected


def test_classes__of_the_smallest_degrees_and_of_the_largest():
    degrees = np.array([0, 1, 2, 3, 4, 5, 6, 2**31])
    assert degree_classes(degrees).tolist() == [-1, 0, 2, 3, 4, 4, 5, 62]
    assert degree_classes(degrees[:0]).tolist() == []


def test_rank__the_higher_class_is_better_then_the_smaller_key():
    keys = np.array([5, 2**63 + 1, 3, 7, 2**63], dtype=np.uint64)
    classes = np.array([0, 4, 0, -1, 4], dtype=np.int8)
    assert best_first(keys, classes).tolist() == [4, 1, 2, 0, 3]


def test_pruned__equal_distances_count_and_keys_stand_once_at_their_least():
    union = entries(
        (0, 9, 0, 0),  # the worst of all, at home
        (0, 4, 3, 1), (0, 4, 2, 1),  # twice: two hops count
        (0, 5, 2, 1),  # one better entry as far
        (0, 6, 2, 1),  # two better entries as far: out where k is 2
        (0, 7, 5, 2),  # the best of all
        (1, 9, 1, 0),
    )  # fmt: skip
    rows = pruned(union, 2, 3)
    assert sketches_of(rows) == [
        [(9, 0, 0), (4, 2, 1), (5, 2, 1), (7, 5, 2)],
        [(9, 1, 0)],
        [],
    ]
    assert [rows.ragged[name].values.dtype for name in ("keys", "distances", "classes")] == [
        np.uint64,
        np.uint16,
        np.int8,
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_pruned__holds_what_fewer_than_k_better_entries_are_at_most_as_far_as(
    count, k, num_sketches, seed
):
    rng = np.random.default_rng(seed)
    class_of = rng.integers(-1, 4, 12)
    keys = rng.integers(0, 12, count)
    owner, distances = rng.integers(0, num_sketches, count), rng.integers(0, 5, count)
    union = Entries(owner, keys.astype(np.uint64), distances, class_of[keys].astype(np.int8))
    assert sketches_of(pruned(union, k, num_sketches)) == [
        by_definition(owner, keys, distances, class_of, k, sketch) for sketch in range(num_sketches)
    ]


def by_definition(owner, keys, distances, class_of, k, sketch):
    least = {}
    mine = np.stack([keys, distances])[:, owner == sketch]
    for key, distance in mine.T.tolist():
        least[key] = min(distance, least.get(key, distance))
    rank = {key: (-class_of[key], key) for key in least}
    kept = [
        (distance, rank[key], key)
        for key, distance in least.items()
        if sum(rank[o] < rank[key] and least[o] <= distance for o in least) < k
    ]
    return [(key, distance, class_of[key]) for distance, _, key in sorted(kept)]


def test_pruned__a_beacon_too_far_for_two_bytes_is_refused_and_never_dropped():
    last = pruned(entries((0, 1, 0, 0), (0, 2, MAX_DISTANCE, 1)), 1, 1)
    assert sketches_of(last) == [[(1, 0, 0), (2, 65_535, 1)]]
    with pytest.raises(StrategyError, match="more than 65535 hops away"):
        pruned(entries((0, 1, 0, 0), (0, 2, MAX_DISTANCE + 1, 1)), 1, 1)
    pushed_out = pruned(entries((0, 1, 0, 2), (0, 2, MAX_DISTANCE + 1, 1)), 1, 1)
    assert sketches_of(pushed_out) == [[(1, 0, 2)]]


def test_entries__of_rows_go_to_their_owners_and_one_hop_further():
    rows = pruned(entries((0, 8, 0, 1), (0, 3, 1, 2), (1, 3, 0, 2)), 4, 2)
    further = entries_of(rows, np.array([5, 2]), hops=1)
    assert further.owner.tolist() == [5, 5, 2]
    assert further.keys.tolist() == [8, 3, 3]
    assert further.distances.tolist() == [1, 2, 1]
    own = own_entries(rows)
    assert (own.owner.tolist(), own.keys.tolist()) == ([0, 1], [8, 3])
    assert own.classes.tolist() == [1, 2]
    assert num_adjacent(rows).tolist() == [1, 0]


def test_ragged__the_first_entries_and_the_rest_make_the_whole():
    ragged = Ragged(np.arange(6), np.array([0, 3, 3, 6]))
    first, rest = (
        shortened(ragged, np.array([2, 5, -1])),
        without_first(ragged, np.array([2, 0, 0])),
    )
    assert (first.values.tolist(), first.offsets.tolist()) == ([0, 1], [0, 2, 2, 2])
    assert (rest.values.tolist(), rest.offsets.tolist()) == ([2, 3, 4, 5], [0, 1, 1, 4])
