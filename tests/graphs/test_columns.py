import logging

import numpy as np
import pytest
import scipy.sparse as sp

from garden.errors import DataError
from garden.graphs.columns import encode_columns


def encode(**columns):
    num_rows = len(next(iter(columns.values())))
    return encode_columns(columns, num_rows, lambda row: f"t.csv, line {row + 2}", "t.csv")


def test_columns__numbers_stay_numbers():
    table, names = encode(age=["1", " 2.5 ", "-3e-1", ".5"])
    assert names == ("age",)
    assert table.dtype == np.float32
    np.testing.assert_array_equal(table[:, 0], np.float32([1, 2.5, -0.3, 0.5]))


def test_columns__booleans_become_zero_and_one_in_any_case():
    table, names = encode(a=["True", "FALSE", "true"], b=[True, False, np.bool_(True)])
    assert names == ("a", "b")
    np.testing.assert_array_equal(table, [[1, 1], [0, 0], [1, 1]])


def test_columns__anything_else_becomes_sorted_categories():
    table, names = encode(colour=["red", "blue", "red", "10"])
    assert names == ("colour=10", "colour=blue", "colour=red")
    np.testing.assert_array_equal(table, [[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_columns__booleans_among_numbers_are_categories():
    _, names = encode(mixed=["true", "1"])
    assert names == ("mixed=1", "mixed=true")


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_columns__missing_cells_are_zeros_and_are_counted_once(empty, caplog):
    with caplog.at_level(logging.WARNING, "garden"):
        table, names = encode(age=["1", empty, "3"], colour=["red", empty, empty])
    assert names == ("age", "colour=red")
    np.testing.assert_array_equal(table, [[1, 1], [0, 0], [3, 0]])
    assert [record.getMessage() for record in caplog.records] == [
        "t.csv: 3 missing cells in 2 of 3 nodes count as zeros"
    ]


def test_columns__an_empty_column_is_one_column_of_zeros():
    table, names = encode(age=["", None])
    assert names == ("age",)
    assert not table.any()


@pytest.mark.parametrize("bad", ["nan", "NaN", "inf", "-INF", "Infinity", "1e39", "9" * 400])
def test_columns__text_that_is_no_finite_number_is_refused_with_line_and_column(bad):
    with pytest.raises(DataError, match=r"^t.csv, line 3, column 'age': .* not a finite"):
        encode(age=["1", bad, "3"])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), np.float32("nan"), 10**400, 10**39])
def test_columns__objects_that_are_no_finite_numbers_are_refused(bad):
    with pytest.raises(DataError, match=r"^t.csv, line 2, column 'age'"):
        encode(age=[bad, 3])


def test_columns__a_float_nan_among_text_is_refused_but_the_word_nan_is_a_category():
    with pytest.raises(DataError, match="line 3, column 'c'"):
        encode(c=["red", float("nan")])
    assert encode(c=["red", "nan"])[1] == ("c=nan", "c=red")


def test_columns__underscores_and_foreign_digits_are_text():
    assert encode(c=["1_000", "٣"])[1] == ("c=1_000", "c=٣")


def test_columns__vectors_expand_by_place():
    table, names = encode(v=[[1, 2], (3, 4.5), None, np.array([True, False])])
    assert names == ("v[0]", "v[1]")
    np.testing.assert_array_equal(table, [[1, 2], [3, 4.5], [0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[1, 2], [1]], "length 1 where the first has 2"),
        ([[1, 2], 3], "is no vector"),
        ([[1, 2], [1, "a"]], "numbers only"),
        ([[1, 2], [1, [2]]], "numbers only"),
        ([[1, 2], [1, float("inf")]], "not a finite"),
        (["a", {"k": 1}], "no number, text or vector"),
    ],
)
def test_columns__ill_formed_cells_are_refused_with_their_line(cells, message):
    with pytest.raises(DataError, match=f"line 3, column 'v': .*{message}"):
        encode(v=cells)


def test_columns__two_columns_that_encode_alike_are_refused():
    with pytest.raises(DataError, match="two columns encode to 'a=b'"):
        encode(**{"a": ["b"], "a=b": ["1"]})


def test_columns__wide_categories_are_sparse():
    table, names = encode(name=[f"n{row:04}" for row in range(600)])
    assert isinstance(table, sp.csr_array)
    assert table.shape == (600, 600)
    assert names[5] == "name=n0005"
    np.testing.assert_array_equal(table.toarray(), np.eye(600))


def test_columns__narrow_or_full_tables_are_dense():
    assert isinstance(encode(name=[str(row) + "x" for row in range(500)])[0], np.ndarray)
    assert isinstance(encode(v=[[1.0] * 600, [2.0] * 600])[0], np.ndarray)


def test_columns__no_columns_make_an_empty_table():
    table, names = encode_columns({}, 3, str, "t.csv")
    assert table.shape == (3, 0)
    assert names == ()


def test_columns__long_junk_is_refused_quickly_and_shown_shortly():
    with pytest.raises(DataError) as caught:
        encode(age=["1" * 1_000_000, "2"])
    assert len(str(caught.value)) < 200
    assert encode(age=["1" * 1_000_000 + "x"])[0].shape == (1, 1)
