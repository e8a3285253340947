from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp

from garden.errors import DataError
from garden.graphs.attribute_encoding import encode_columns, standardised_table


def encode(**columns):
    encoded = encoded_of(**columns)
    return encoded.table, encoded.names


def encoded_of(**columns):
    num_rows = len(next(iter(columns.values())))
    return encode_columns(columns, num_rows, lambda row: f"t.csv, line {row + 2}", "t.csv")


def test_encoding__numbers_stay_numbers():
    table, names = encode(age=["1", " 2.5 ", "-3e-1", ".5"])
    assert names == ("age",)
    assert table.dtype == np.float32
    np.testing.assert_array_equal(table[:, 0], np.float32([1, 2.5, -0.3, 0.5]))


def test_encoding__booleans_become_zero_and_one_in_any_case():
    table, names = encode(a=["True", "FALSE", "true"], b=[True, False, np.bool_(True)])
    assert names == ("a", "b")
    np.testing.assert_array_equal(table, [[1, 1], [0, 0], [1, 1]])


def test_encoding__anything_else_becomes_sorted_categories():
    table, names = encode(colour=["red", "blue", "red", "10"])
    assert names == ("colour=10", "colour=blue", "colour=red")
    np.testing.assert_array_equal(table, [[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_encoding__booleans_among_numbers_are_categories():
    _, names = encode(mixed=["true", "1"])
    assert names == ("mixed=1", "mixed=true")


MISSING = ["", "  ", None, float("nan"), np.float32("nan"), Decimal("nan"), "NaN", "nan", "<NA>"]


@pytest.mark.parametrize("empty", MISSING, ids=repr)
def test_encoding__missing_cells_are_zeros_and_are_counted(empty):
    encoded = encoded_of(age=["1", empty, "3"], colour=["red", empty, empty])
    assert encoded.names == ("age", "colour=red")
    np.testing.assert_array_equal(encoded.table, [[1, 1], [0, 0], [3, 0]])
    assert (encoded.num_missing_cells, encoded.num_incomplete_rows) == (3, 2)


def test_encoding__missing_cells_of_pandas_are_missing():
    pd = pytest.importorskip("pandas", reason="pandas is absent")
    encoded = encoded_of(age=[pd.NA, 2, 3], seen=[True, pd.NA, False], born=[pd.NaT, "a", "b"])
    assert encoded.num_missing_cells == 3
    assert encoded.names == ("age", "seen", "born=a", "born=b")


def test_encoding__numbers_are_kept_as_they_were_read():
    encoded = encoded_of(kind=["a", "b"], time=["1700000001", None], tame=[True, False])
    assert encoded.numeric.tolist() == [2]
    np.testing.assert_array_equal(encoded.numbers, [[1700000001.0], [np.nan]])


def test_encoding__a_column_shorter_than_the_table_has_no_missing_cells_below():
    encoded = encode_columns({"age": ["1", ""]}, 4, str, "t.csv")
    assert encoded.table.tolist() == [[1], [0], [0], [0]]
    assert (encoded.num_missing_cells, encoded.num_incomplete_rows) == (1, 1)
    assert np.isnan(encoded.numbers[1:]).all()


def test_encoding__an_empty_column_is_one_column_of_zeros():
    table, names = encode(age=["", None])
    assert names == ("age",)
    assert not table.any()


@pytest.mark.parametrize("bad", ["inf", "-INF", "Infinity", "1e39", "9" * 400])
def test_encoding__text_that_is_no_finite_number_is_refused_with_line_and_column(bad):
    with pytest.raises(DataError, match=r"^t.csv, line 3, column 'age': .* not a finite"):
        encode(age=["1", bad, "3"])


@pytest.mark.parametrize("bad", [float("inf"), np.float32("-inf"), 10**400, 10**39])
def test_encoding__objects_that_are_no_finite_numbers_are_refused(bad):
    with pytest.raises(DataError, match=r"^t.csv, line 2, column 'age'"):
        encode(age=[bad, 3])


def test_encoding__an_infinity_among_text_is_refused_but_its_name_is_a_category():
    with pytest.raises(DataError, match="line 3, column 'c'"):
        encode(c=["red", float("inf")])
    assert encode(c=["red", "Nan", "inf"])[1] == ("c=Nan", "c=inf", "c=red")


def test_encoding__underscores_and_foreign_digits_are_text():
    assert encode(c=["1_000", "٣"])[1] == ("c=1_000", "c=٣")


def test_encoding__vectors_expand_by_place():
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
def test_encoding__ill_formed_cells_are_refused_with_their_line(cells, message):
    with pytest.raises(DataError, match=f"line 3, column 'v': .*{message}"):
        encode(v=cells)


def test_encoding__two_columns_that_encode_alike_are_refused():
    with pytest.raises(DataError, match="two columns encode to 'a=b'"):
        encode(**{"a": ["b"], "a=b": ["1"]})


def test_encoding__wide_categories_are_sparse():
    table, names = encode(name=[f"n{row:04}" for row in range(600)])
    assert isinstance(table, sp.csr_array)
    assert table.shape == (600, 600)
    assert names[5] == "name=n0005"
    np.testing.assert_array_equal(table.toarray(), np.eye(600))


def test_encoding__narrow_or_full_tables_are_dense():
    assert isinstance(encode(name=[str(row) + "x" for row in range(500)])[0], np.ndarray)
    assert isinstance(encode(v=[[1.0] * 600, [2.0] * 600])[0], np.ndarray)


def test_encoding__no_columns_make_an_empty_table():
    encoded = encode_columns({}, 3, str, "t.csv")
    assert encoded.table.shape == (3, 0)
    assert encoded.numbers.shape == (3, 0)
    assert encoded.names == ()


def test_encoding__long_junk_is_refused_quickly_and_shown_shortly():
    with pytest.raises(DataError) as caught:
        encode(age=["1" * 1_000_000, "2"])
    assert len(str(caught.value)) < 200
    assert encode(age=["1" * 1_000_000 + "x"])[0].shape == (1, 1)


def scaled(rows=None, **columns):
    num_rows = len(next(iter(columns.values())))
    encoded = encode_columns(columns, num_rows, str, "t.csv")
    return standardised_table(encoded, np.arange(num_rows) if rows is None else np.array(rows))


def test_scale__numbers_get_mean_zero_and_variance_one():
    table, names = scaled(age=[1, 2, 3, 6])
    np.testing.assert_allclose(table[:, 0], (np.array([1, 2, 3, 6]) - 3) / np.sqrt(3.5), rtol=1e-6)
    assert names == ["age"]


@pytest.mark.parametrize("cells", [[0, 1, 1], ["1", "0", ""], [True, False, True], [1.0, None, 1]])
def test_scale__columns_of_zeros_and_ones_stay(cells):
    table, names = scaled(flag=cells)
    assert table[:, 0].tolist() == [float(cell or 0) if cell != "0" else 0.0 for cell in cells]
    assert names == []


def test_scale__a_missing_cell_is_the_mean():
    table, _ = scaled(age=[10, None, 20, float("nan")])
    assert table[:, 0].tolist() == [-1, 0, 1, 0]


@pytest.mark.parametrize("cells", [[5, 5, 5], [0.1, None, 0.1], [3e38, 3e38, 3e38]])
def test_scale__a_constant_column_becomes_zeros(cells):
    table, names = scaled(age=cells)
    assert not table.any()
    assert names == ["age"]


@pytest.mark.parametrize("size", [1e-30, 1e30, 3e38])
def test_scale__very_large_and_very_small_numbers_scale_alike(size):
    table, _ = scaled(age=[-size, size])
    assert table[:, 0].tolist() == [-1, 1]


def test_scale__large_times_keep_their_seconds():
    table, _ = scaled(time=[1_700_000_000, 1_700_000_001, 1_700_000_002])
    np.testing.assert_allclose(table[:, 0], [-np.sqrt(1.5), 0, np.sqrt(1.5)], atol=1e-6)


def test_scale__categories_stay_and_vectors_scale_by_place():
    table, names = scaled(kind=["a", "b", "a"], v=[[1, 0], [2, 1], [3, 1]])
    assert names == ["v[0]"]
    np.testing.assert_allclose(table[:, 2], [-np.sqrt(1.5), 0, np.sqrt(1.5)], rtol=1e-6)
    np.testing.assert_array_equal(table[:, [0, 1, 3]], [[1, 0, 0], [0, 1, 1], [1, 0, 1]])


def test_scale__the_rows_that_are_kept_decide():
    table, _ = scaled(rows=[0, 2], age=[10, 1e6, 20])
    assert table[:, 0].tolist() == [-1, 1]


def test_scale__the_order_of_rows_changes_no_digit():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=1000) * 10.0 ** rng.integers(-8, 8, size=1000)
    order = rng.permutation(1000)
    table, _ = scaled(x=numbers.tolist())
    again, _ = scaled(x=numbers[order].tolist())
    np.testing.assert_array_equal(again, table[order])
