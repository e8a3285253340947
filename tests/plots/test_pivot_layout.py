import numpy as np

from garden.graphs.graph import Graph
from garden.plots.pivot_layout import layout, pivot_coordinates

PATH = Graph.from_edges(np.array([(at, at + 1) for at in range(9)]), 10)


def test_pivot_coordinates__a_path_is_drawn_in_its_order():
    along = pivot_coordinates(PATH)[:, 0]
    steps = np.diff(along)
    assert (steps > 0).all() or (steps < 0).all()


def test_layout__the_same_seed_gives_the_same_picture_inside_its_box():
    first, second = layout(PATH, seed=3, cache=False), layout(PATH, seed=3, cache=False)
    np.testing.assert_array_equal(first, second)
    assert first.shape == (10, 2)
    assert np.abs(first).max() <= 1


def test_layout__a_kept_picture_is_read_and_a_damaged_one_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDEN_CACHE", str(tmp_path))
    first = layout(PATH)
    (kept,) = (tmp_path / "layouts").iterdir()
    np.save(kept, first[::-1].copy())
    np.testing.assert_array_equal(layout(PATH), first[::-1])
    kept.write_bytes(b"damaged")
    np.testing.assert_array_equal(layout(PATH), first)
