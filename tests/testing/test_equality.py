"""When two rows, or two tables of scores, are the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from garden.strategies.representations import Ragged, Representations
from garden.testing.equality import differing_row, same_numbers, score_room
from garden.testing.score_checks import _Scoring

NUM_ENTRIES, NUM_TERMS, NUM_ORDERS = 16, 100, 1_000
LEAK = 1e-3


def terms(rng, num_cancelling):
    """The terms of one row's sums, (NUM_ENTRIES, NUM_TERMS); so many of the sums are nought."""
    drawn = rng.normal(size=(NUM_ENTRIES, NUM_TERMS)).astype(np.float32)
    half = NUM_TERMS // 2
    drawn[:num_cancelling, half:] = -drawn[:num_cancelling, :half]
    return drawn


def sums(rng, drawn):
    """The row: the terms of each sum added one by one, in an order of its own."""
    return np.cumsum(rng.permuted(drawn, axis=1), axis=1, dtype=np.float32)[:, -1]


def as_rows(kind, numbers):
    """One row of a representation that holds these numbers."""
    if kind == "ragged":
        return Representations({}, {"sums": Ragged(numbers, np.array([0, len(numbers)]))})
    if kind == "ragged pairs":
        pairs = numbers.reshape(-1, 2)
        return Representations({}, {"sums": Ragged(pairs, np.array([0, len(pairs)]))})
    if kind == "sparse":
        return Representations({"sums": sp.csr_array(numbers[None])})
    shape = {"flat": (1, -1), "table": (1, 4, -1)}[kind]
    return Representations({"sums": numbers.reshape(shape)})


KINDS = ["flat", "table", "sparse", "ragged", "ragged pairs"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows__float32_sums_in_any_order_are_the_same(kind):
    rng = np.random.default_rng(0)
    differ = 0
    for number in range(NUM_ORDERS):
        drawn = terms(rng, number % (NUM_ENTRIES // 2 + 1))
        ours, theirs = sums(rng, drawn), sums(rng, drawn)
        differ += not np.array_equal(ours, theirs)
        assert differing_row(as_rows(kind, ours), as_rows(kind, theirs)) is None, number
    assert differ == NUM_ORDERS  # else it would show nothing


@pytest.mark.parametrize("kind", KINDS)
def test_rows__a_leak_in_float32_is_found(kind):
    """Beside the rounding of another order, wherever it is, up or down."""
    rng = np.random.default_rng(1)
    for number in range(NUM_ORDERS):
        drawn = terms(rng, number % (NUM_ENTRIES // 2 + 1))
        ours, theirs = sums(rng, drawn), sums(rng, drawn)
        theirs[rng.integers(NUM_ENTRIES)] += rng.choice([-1, 1]) * LEAK * np.abs(ours).max()
        assert differing_row(as_rows(kind, ours), as_rows(kind, theirs)) == 0, number


def test_rows__the_scale_is_that_of_the_row_and_not_of_its_neighbours():
    ours = np.array([[1.0, 0.0], [1e6, 0.0]], dtype=np.float32)
    theirs = ours + np.array([[0.0, 1e-3], [0.0, 0.0]], dtype=np.float32)
    assert differing_row(Representations({"x": ours}), Representations({"x": theirs})) == 0
    flat, other = Ragged(ours.ravel(), np.array([0, 2, 4])), Ragged(theirs.ravel(), [0, 2, 4])
    assert differing_row(Representations({}, {"x": flat}), Representations({}, {"x": other})) == 0


def test_rows__float64_has_the_room_it_had():
    row = np.array([1.0, 0.0])
    assert same_numbers(row, np.array([1.00009, 0.9e-7]))
    assert not same_numbers(row, np.array([1.00012, 0]))
    assert not same_numbers(row, np.array([1, 1.1e-7]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rows__narrow_floats_have_64_epsilons_of_the_largest(dtype):
    step = np.finfo(dtype).eps
    row = np.array([1.0, 0.0], dtype=dtype)
    assert same_numbers(row, row + np.array([0, 63 * step], dtype=dtype))
    assert not same_numbers(row, row + np.array([0, 65 * step], dtype=dtype))
    assert same_numbers(row.astype(np.float64), row + np.array([0, 63 * step], dtype=dtype))


def test_rows__whole_numbers_are_equal_or_not():
    row = np.array([10**9, 0])
    assert same_numbers(row, row.copy())
    other = row + np.array([1, 0])
    assert not same_numbers(row, other)
    ours, turned, theirs = (
        Representations({}, {"x": Ragged(values, np.array([0, 2]))})
        for values in (row, row[::-1], other)
    )
    assert differing_row(ours, turned) is None
    assert differing_row(ours, theirs) == 0


def test_rows__ragged_entries_near_one_another_find_their_partners():
    """Whether two of a side are alike may flip by rounding; each has its partner all the same."""
    room = 64 * np.finfo(np.float32).eps
    ours = np.array([1e-9, 0.999 * room, 1.0], dtype=np.float32)
    theirs = np.array([1.0, 1.001 * room, 0.0], dtype=np.float32)
    rows = [
        Representations({}, {"x": Ragged(values, np.array([0, 3]))}) for values in (ours, theirs)
    ]
    assert differing_row(*rows) is None
    again = Representations({}, {"x": Ragged(np.array([1, 1, 0], np.float32), np.array([0, 3]))})
    assert differing_row(rows[0], again) == 0  # one stands twice there, nought twice here


def test_rows__scores_have_the_room_of_the_coarsest_number_they_come_from():
    whole, single = np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=np.float32)
    half, double = np.zeros(3, dtype=np.float16), np.zeros(3)
    assert score_room(Representations({"x": whole}), double) == 1e-7
    assert score_room(Representations({"x": single}), double) == 1e-3
    assert score_room(Representations({"x": whole}), double, single) == 1e-3
    assert score_room(Representations({"x": whole}), half) == 64 * np.finfo(np.float16).eps


def test_rows__scores_in_float32_of_whole_numbers_are_not_accused_of_their_rounding():
    scoring = _Scoring(None, None, Representations({"x": np.zeros((3, 2), dtype=np.int64)}))
    table = np.array([[1.0, 0.0]], dtype=np.float32)
    assert scoring.same(table, table + np.float32(1e-5))
    assert not scoring.same(np.array([[1.0, 0.0]]), np.array([[1.0, 1e-5]]))
    assert not scoring.same(np.array([1_000_000]), np.array([1_000_001]))
