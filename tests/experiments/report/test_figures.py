from itertools import combinations

from matplotlib.figure import Figure

from garden.experiments.report.figures import STYLES, draw_intervals, oracle_ratio_axis
from garden.experiments.report.intervals import Estimate


def test_styles__any_two_differ_in_more_than_colour():
    looks = {name: (style.marker, style.dashes) for name, style in STYLES.items()}
    for one, other in combinations(looks, 2):
        assert looks[one] != looks[other], (one, other)


def test_intervals__a_point_has_its_whole_interval():
    axes = Figure().add_subplot()
    draw_intervals(axes, [3.0], [Estimate(2.0, 1.5, 4.0)], "garden", joined=False)
    (bar,) = axes.containers
    point, _, (line,) = bar.lines
    assert (point.get_xdata().tolist(), point.get_ydata().tolist()) == ([3.0], [2.0])
    ((start, end),) = line.get_segments()
    assert (start.tolist(), end.tolist()) == ([3.0, 1.5], [3.0, 4.0])
    assert bar.get_label() == "garden"


def test_axis__is_logarithmic_with_plain_numbers():
    axes = Figure().add_subplot()
    oracle_ratio_axis(axes)
    assert axes.get_yscale() == "log"
    assert axes.yaxis.get_major_formatter()(1.5) == "1.5"
