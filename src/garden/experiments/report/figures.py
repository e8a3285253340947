"""How figures look: a colour, a marker and a dash for each strategy; points with intervals.

Colours are Okabe and Ito's, which people with any common colour blindness can tell apart; markers
and dashes say the same again for print in grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garden.experiments.report.intervals import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"


@dataclass(frozen=True)
class Style:
    """How one strategy is drawn."""

    colour: str
    marker: str
    dashes: tuple[float, ...] = ()

    def line(self) -> dict[str, Any]:
        """The style as keywords of matplotlib, for a line with marks."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "markersize": 7 if self.marker in "*PX" else 5,
            "linewidth": 1.5,
            "linestyle": (0, self.dashes),
        }


STYLES = {
    "random": Style(GREY, "x", (1, 1.5)),
    "greedy": Style(PURPLE, "v", (1, 1.5)),
    "connection": Style(GREY, "s", (4, 1.5)),
    "distance": Style(ORANGE, "^"),
    "bidirectional": Style(SKY, "D", (4, 1.5)),
    "bidirectional+visited": Style(SKY, "D"),
    "mlpa2c": Style(PURPLE, "P", (4, 1.5)),
    "garden": Style(VERMILION, "o"),
    "universal": Style(GREEN, "h", (4, 1.5)),
    "universal+backtrack": Style(GREEN, "h"),
    "trellis": Style(BLUE, "*", (4, 1.5)),
    "trellis+backtrack": Style(BLUE, "*"),
}
"""One look for each strategy, the same in all figures."""


def new_figure(width: float, height: float) -> Figure:
    """An empty figure.

    Args:
        width: In inches.
        height: In inches.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def share_legend(figure: Figure, axes: Axes, **look: Any) -> None:
    """Give a figure the legend of one of its panels.

    Args:
        figure: The figure.
        axes: The panel.
        look: Further keywords of matplotlib's legend.
    """
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, frameon=False, **look)


def draw_intervals(
    axes: Axes,
    places: Sequence[float],
    estimates: Sequence[Estimate],
    label: str,
    joined: bool = True,
    look: Style | None = None,
    hollow: bool | None = None,
) -> None:
    """Draw one strategy's means with their 95 % intervals.

    Args:
        axes: Where to draw.
        places: The horizontal position of each estimate.
        estimates: The means and intervals.
        label: The strategy, which decides its style, and its name in the legend.
        joined: Whether a line joins the points.
        look: The style, where it is not that of :data:`STYLES`.
        hollow: Whether marks are hollow; those of a strategy are that also stands in
            :data:`STYLES` with a memory.
    """
    style = (look or STYLES[label]).line()
    if hollow is None:
        hollow = f"{label}+visited" in STYLES or f"{label}+backtrack" in STYLES
    if hollow:
        style["markerfacecolor"] = "white"
    if not joined:
        style["linestyle"] = ""
    below = [max(0.0, one.mean - one.low) for one in estimates]
    above = [max(0.0, one.high - one.mean) for one in estimates]
    axes.errorbar(
        places,
        [one.mean for one in estimates],
        yerr=[below, above],
        label=label,
        elinewidth=1.0,
        capsize=2,
        **style,
    )


def oracle_ratio_axis(axes: Axes, label: str = "oracle ratio (1 is the shortest path)") -> None:
    """A logarithmic vertical axis of oracle ratios, with plain numbers and a line at 1.

    Args:
        axes: Whose vertical axis it is.
        label: What stands beside the axis; nothing where it is empty.
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator([1, 1.5, 2, 3, 5, 10, 20, 30, 50, 100]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    axes.axhline(1.0, color=BLACK, linewidth=0.8)
    axes.grid(axis="y", alpha=0.3, linewidth=0.5)
    if label:
        axes.set_ylabel(label)
