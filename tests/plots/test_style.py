import numpy as np
from matplotlib.colors import to_rgb

from garden.plots.style import LINE_COLOURS, PALETTE


def luminance(colour):
    return float(np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]))


def test_palette__no_two_colours_of_lines_are_the_same_grey():
    greys = sorted(luminance(colour) for colour in LINE_COLOURS[:3])
    assert min(np.diff(greys)) > 0.02
    assert set(LINE_COLOURS) < set(PALETTE)
