import numpy as np
import pytest
from matplotlib.colors import to_rgb

from garden.plots.style import LINE_COLOURS, PALETTE, new_axes, save_figure


def luminance(colour):
    return float(np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]))


def test_palette__no_two_colours_of_lines_are_the_same_grey():
    greys = sorted(luminance(colour) for colour in LINE_COLOURS[:3])
    assert min(np.diff(greys)) > 0.02
    assert set(LINE_COLOURS) < set(PALETTE)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_save_figure__the_same_figure_gives_the_same_bytes(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # a PDF holds its date
    for name in ("a", "b"):
        axes = new_axes(3, 2)
        axes.plot([0, 1], [1, 0])
        (tmp_path / name).mkdir()
        save_figure(axes.figure, tmp_path / name / f"line.{kind}")
    first, second = (tmp_path / name / f"line.{kind}" for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
