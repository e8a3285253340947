"""Draw the README's picture: one message, two strategies, on a Facebook graph (G4).

python docs/images/trip.py        # writes docs/images/trip.png beside this file
"""

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import garden
from garden.graphs.distances import distances
from garden.routing import RoutedMessage

GRAPH, SOURCE, TARGET = "facebook:0", "154", "16"
PANELS = {
    "distance": "towards similar attributes: distance, the paper's best rule",
    "garden-facebook-0": "a learned policy: garden, the paper's model",
}
INK, GREY, TRIP = "#1b1b1b", "#9aa5b1", "#d55e00"  # the last of Okabe and Ito's colours


def positions_of(graph: garden.Graph) -> np.ndarray:
    """Coordinates of each node, (num_nodes, 2), by a layout that keeps clusters apart."""
    drawing = nx.Graph(graph.edges().tolist())
    placed = nx.kamada_kawai_layout(drawing)
    at = np.array([placed[node] for node in range(graph.num_nodes)])
    apart = np.linalg.norm(at - np.median(at, axis=0), axis=1, keepdims=True)
    at = np.median(at, axis=0) + (at - np.median(at, axis=0)) * apart**-0.45  # opens the core
    return at[:, ::-1] * [-1, 1]


def draw_background(axes: Axes, graph: garden.Graph, at: np.ndarray, hops: np.ndarray) -> None:
    """The graph, faint; nodes are darker the fewer hops they are from the target."""
    lines = LineCollection(list(at[graph.edges()]), colors=GREY, linewidths=0.35, alpha=0.22)
    axes.add_collection(lines)
    axes.scatter(*at.T, s=15, c=hops, cmap="cividis", vmin=0, vmax=hops.max(), linewidths=0)


def draw_message(axes: Axes, at: np.ndarray, message: RoutedMessage, numbered: bool) -> None:
    """The trip, hop by hop."""
    way = at[list(message.walk.nodes)]
    axes.plot(*way.T, color="white", linewidth=4.0 if numbered else 2.0, zorder=3)
    axes.plot(*way.T, color=TRIP, linewidth=2.4 if numbered else 1.1, zorder=4)
    if numbered:
        for hop, (x, y) in enumerate(way[1:-1], start=1):
            axes.scatter(x, y, s=150, color="white", edgecolors=TRIP, linewidths=1.4, zorder=5)
            axes.text(x, y, hop, fontsize=8.5, ha="center", va="center_baseline", zorder=6)
    for (x, y), name, mark in ((way[0], "source", "s"), (at[message.target], "target", "*")):
        axes.scatter(
            x,
            y,
            marker=mark,
            s=130 if mark == "s" else 330,
            color=INK,
            edgecolors="white",
            zorder=7,
        )
        axes.annotate(
            name,
            (x, y),
            xytext=(0, 13),
            textcoords="offset points",
            ha="center",
            fontsize=12,
            fontweight="bold",
            color=INK,
            zorder=8,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.2},
        )


def main() -> None:
    """Route both messages and write the picture."""
    graph = garden.load(GRAPH)
    at = positions_of(graph)
    hops = distances(graph, np.array([graph.position(TARGET)]))[0]
    figure = Figure(figsize=(12, 6), layout="constrained", facecolor="white")
    for axes, (name, title) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        message = garden.route(graph, name, source=SOURCE, target=TARGET)
        draw_background(axes, graph, at, hops)
        draw_message(axes, at, message, numbered=message.hops <= 20)
        axes.set_title(title, fontsize=13, color=INK)
        axes.text(
            0.5,
            -0.01,
            f"{message.hops} hops; the shortest path has {message.distance}",
            transform=axes.transAxes,
            ha="center",
            va="top",
            fontsize=13,
        )
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.margins(0.03)
    figure.savefig(Path(__file__).with_name("trip.png"), dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main()
