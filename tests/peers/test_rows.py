"""Rows on the wire: they come back as they were, and no others are taken."""

import msgspec
import numpy as np
import pytest
import scipy.sparse as sp

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.peers.envelopes import EnvelopeError
from garden.peers.rows import RowForm, encoded_row
from garden.resolve import strategy_named
from garden.strategies.representations import Ragged, Representations
from garden.strategies.walkers import RandomWalker

NAMES = ["random", "greedy", "connection", "lookahead", "bidirectional", "evn", "universal"]


@pytest.fixture(scope="module")
def rows():
    """Rows of some ego graphs, by strategy, with the strategy and the number of attributes."""
    rng = np.random.default_rng(0)
    attributes = (rng.random((30, 12)) < 0.4).astype(np.float32)
    graph = Graph.from_edges(rng.integers(0, 30, (90, 2)), 30, attributes)
    egos = ego_graphs(graph).take(np.arange(5))
    strategies = {name: strategy_named(name) for name in NAMES}
    made = {name: one.represent(egos) for name, one in strategies.items()}
    return {name: (made[name], strategies[name], egos.num_attributes) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_row__comes_back_as_it_was_sent(rows, name):
    made, strategy, width = rows[name]
    form = RowForm.of(made.take(np.array([0])), strategy, width)
    for row in range(len(made)):
        alone = made.take(np.array([row]))
        assert encoded_row(form.decoded(encoded_row(alone))) == encoded_row(alone)


def test_row__of_a_sparse_profile_comes_back(rows):
    row = Representations({"profile": sp.csr_array(np.array([[0, 2.5, 0, 1]], np.float32))})
    back = RowForm.of(row, RandomWalker(), 4).decoded(encoded_row(row))
    assert back.arrays["profile"].toarray().tolist() == [[0, 2.5, 0, 1]]


@pytest.mark.parametrize("name", ["greedy", "universal", "bidirectional"])
def test_row__of_another_form_is_refused(rows, name):
    made, strategy, width = rows[name]
    form = RowForm.of(made.take(np.array([0])), strategy, width)
    parts = msgspec.msgpack.decode(encoded_row(made.take(np.array([1]))))
    for bad in ([*parts, b""], parts[:-1], [b"odd", *parts[1:]], [1, *parts[1:]]):
        with pytest.raises(EnvelopeError, match=r"another form|do not fit"):
            form.decoded(msgspec.msgpack.encode(bad))


def test_row__that_is_too_long_or_not_finite_is_refused():
    long = Representations({"profile": np.zeros((1, 20_000))})
    with pytest.raises(EnvelopeError, match="65536 are allowed"):
        encoded_row(long)
    row = Representations({"degree": np.array([np.nan])})
    with pytest.raises(EnvelopeError, match="another form"):
        RowForm.of(row, RandomWalker(), 0).decoded(encoded_row(row))


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("columns", lambda values: values + 1_000_000),
        ("columns", lambda values: -values - 1),
        ("columns", lambda values: values[:-1]),
        ("members", lambda values: values + 1),
        ("members", lambda values: values[:0]),
        ("signatures", lambda values: values[:-1]),
        ("neighbours", lambda values: values[::-1]),
        ("real_values", lambda values: np.append(values, np.float32(1))),
        ("real_columns", lambda values: np.append(values, np.int32(2))),
    ],
)
def test_row__of_universal_with_parts_that_do_not_fit_is_refused(rows, part, change):
    made, strategy, width = rows["universal"]
    row = made.take(np.array([0]))
    form = RowForm.of(row, strategy, width)
    values = np.ascontiguousarray(change(row.ragged[part].values))
    bad = Representations(
        row.arrays, {**row.ragged, part: Ragged(values, np.array([0, len(values)]))}
    )
    with pytest.raises(EnvelopeError, match="do not fit together"):
        form.decoded(encoded_row(bad))


def test_row__of_universal_with_changed_bytes_is_refused_or_scored(rows):
    made, strategy, width = rows["universal"]
    row = made.take(np.array([0]))
    form, sent = RowForm.of(row, strategy, width), encoded_row(row)
    rng = np.random.default_rng(0)
    scored = 0
    for _ in range(2_000):
        data = bytearray(sent)
        data[rng.integers(len(data))] = rng.integers(256)
        try:
            back = form.decoded(bytes(data))
        except EnvelopeError:
            continue
        with np.errstate(all="ignore"):
            assert strategy.score_pairs(row, back).shape == (1,)
        scored += 1
    assert 0 < scored < 2_000
