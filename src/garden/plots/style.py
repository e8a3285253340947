"""Colours and line styles that all pictures share.

Colours are Okabe and Ito's, which remain distinct under every common form of colour blindness; line
styles, markers and numbers repeat what colours say, so that pictures survive a grey printer.
"""

from __future__ import annotations

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
