"""Figures: new axes, the learning curves of trainings, and writing a figure to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garden.errors import DataError
from garden.plots.style import LINE_COLOURS, LINE_STYLES
from garden.storage import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE_FORMATS = ("png", "svg", "pdf")


def new_axes(width: float = 8.0, height: float = 7.0) -> Axes:
    """Axes on a figure of their own, without pyplot.

    Args:
        width: In inches.
        height: In inches.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def picture_format(path: Path) -> str:
    """The format that a file's suffix names, ``png`` without one; unknown formats are refused."""
    kind = path.suffix.lstrip(".").lower() or "png"
    if kind not in PICTURE_FORMATS:
        raise DataError(f"{path}: unknown kind of picture: use .{', .'.join(PICTURE_FORMATS)}")
    return kind


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format of its suffix, whole or not at all.

    The same figure gives the same bytes: neither a date nor random ids are stored.

    Args:
        figure: The figure.
        path: The file; .png, .svg or .pdf, and PNG without a suffix.
    """
    from matplotlib import rc_context

    kind = picture_format(path)
    metadata = {"Date": None} if kind == "svg" else None

    def write(temporary: Path) -> None:
        with rc_context({"svg.hashsalt": path.stem}):
            figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)

    write_file(path, write)


def finished_figure(axes: Axes, path: str | Path | None = None) -> Figure:
    """The figure that axes stand on, written to a file where one is named.

    Args:
        axes: Axes that all is drawn on.
        path: The file; its suffix names the format.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    if path is not None:
        save_figure(figure, Path(path))
    return figure


def draw_learning_curves(
    curves: Mapping[str, Sequence[Mapping[str, Any]]], path: str | Path | None = None
) -> Figure:
    """Draw the validation oracle ratio against updates, on a logarithmic axis.

    Args:
        curves: For each run's label its validations, each with ``update`` and
            ``validation_ratio``.
        path: A file to save the picture to; its suffix names the format.

    Returns:
        The figure: a line per run, with a dot at its best validation.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    axes = new_axes(7, 4.5)
    for number, (label, records) in enumerate(curves.items()):
        updates = [record["update"] for record in records]
        ratios = [record["validation_ratio"] for record in records]
        if not updates:
            continue
        colour = LINE_COLOURS[number % len(LINE_COLOURS)]
        style = LINE_STYLES[number % len(LINE_STYLES)]
        axes.plot(updates, ratios, style, color=colour, linewidth=1.4, label=label)
        best = min(range(len(ratios)), key=ratios.__getitem__)
        axes.plot(updates[best], ratios[best], "o", color=colour, markersize=5)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xlabel("updates")
    axes.set_ylabel("validation oracle ratio (1 is the shortest path)")
    if axes.get_legend_handles_labels()[0]:  # none where a training stopped at once
        axes.legend(frameon=False)
    return finished_figure(axes, path)
