import numpy as np
import pytest

from garden.graphs.attribute_encoding import encode_columns
from garden.graphs.standardise import standardised_table


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
