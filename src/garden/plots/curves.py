"""Learning curves: how the validation ratio fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garden.plots.walk import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES = ("-", "--", "-.", ":")


def draw_learning_curves(
    curves: Mapping[str, Sequence[Mapping[str, Any]]], path: str | Path | None = None
) -> Figure:
    """Validation oracle ratio against updates, one line per run; the best of each is marked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for number, (label, records) in enumerate(curves.items()):
        updates = [record["update"] for record in records]
        ratios = [record["validation_ratio"] for record in records]
        if not updates:
            continue
        (line,) = axes.plot(updates, ratios, _STYLES[number % 4], linewidth=1.4, label=label)
        best = min(range(len(ratios)), key=ratios.__getitem__)
        axes.plot(updates[best], ratios[best], "o", color=line.get_color(), markersize=5)
    axes.set_yscale("log")
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xlabel("updates")
    axes.set_ylabel("validation oracle ratio (1 is the shortest path)")
    axes.legend(frameon=False)
    if path is not None:
        save_figure(figure, Path(path))
    return figure
