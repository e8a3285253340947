"""Colours, figure sizes and file formats that all pictures share.

Colours are Okabe and Ito's, which remain distinct under every common form of colour blindness; line
styles, markers and numbers repeat what colours say, so that pictures survive a grey printer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from garden.atomic import write_file
from garden.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORANGE, SKY_BLUE, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = PALETTE = (
    "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7",
)  # fmt: skip
"""Okabe and Ito's palette."""

LINE_COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY_BLUE)  # yellow is too pale for a line
LINE_STYLES = ("-", "--", "-.", ":")

PATH_COLOUR = VERMILLION  # the path of a message
SEEN_COLOUR = BLUE  # what the holder sees
NODE_COLOUR = "#94a3b8"
EDGE_COLOUR = "#cbd5e1"
COLOUR_MAP = "cividis"  # keeps its order in grey and under colour blindness

PICTURE_FORMATS = ("png", "svg", "pdf")


def new_axes(width: float = 8.0, height: float = 7.0) -> Axes:
    """Axes on a figure of their own, of this size in inches."""
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
    """
    from matplotlib import rc_context

    kind = picture_format(path)
    metadata = {"Date": None} if kind == "svg" else None

    def write(temporary: Path) -> None:
        with rc_context({"svg.hashsalt": path.stem}):
            figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)

    write_file(path, write)
