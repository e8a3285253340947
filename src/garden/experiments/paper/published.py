"""The paper's numbers, to set ours beside. Intervals are its ± values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

GRAPHS: Mapping[str, str] = {"414": "G1", "686": "G2", "348": "G3", "0": "G4", "3437": "G5"}
"""The five Facebook graphs by their SNAP ego ids, in the paper's order."""

T = TypeVar("T")


def title_of(ego: str) -> str:
    """What tables call one of the five Facebook graphs."""
    return f"{GRAPHS[ego]} ({ego})"


def by_name(by_ego: Mapping[str, T]) -> dict[str, T]:
    """The same by the paper's names of the graphs."""
    return {GRAPHS[ego]: one for ego, one in by_ego.items()}


AGENTS = ("greedy", "distance", "connection", "random", "garden")
"""The paper's five, as we call them."""


@dataclass(frozen=True)
class PublishedResult:
    """One agent on one graph; rates are fractions."""

    oracle_ratio: float
    plus_minus: float
    truncation_rate: float
    win_rate: float

    def ratio_text(self) -> str:
        """The oracle ratio as the paper prints it."""
        return f"{self.oracle_ratio:.2f} ± {self.plus_minus:.2f}"


_RATIOS = {
    "414": ((27.17, 1.09), (15.98, 0.79), (33.39, 1.15), (33.17, 1.16), (10.95, 0.76)),
    "686": ((31.78, 1.22), (13.01, 0.90), (34.62, 1.17), (34.27, 1.18), (9.89, 0.78)),
    "348": ((27.35, 1.19), (9.99, 0.78), (38.84, 1.42), (38.88, 1.43), (8.74, 0.76)),
    "0": ((25.69, 0.88), (14.33, 0.65), (28.25, 1.00), (28.01, 1.01), (12.08, 0.71)),
    "3437": ((28.29, 0.66), (22.71, 0.70), (28.11, 0.69), (28.22, 0.67), (16.97, 0.74)),
}
_TRUNCATION = {
    "414": (79.0, 39.7, 76.9, 76.7, 14.9),
    "686": (78.0, 19.5, 68.5, 64.1, 12.6),
    "348": (70.0, 13.9, 69.8, 67.2, 13.5),
    "0": (88.0, 44.0, 81.5, 79.4, 40.1),
    "3437": (96.0, 72.7, 89.5, 90.0, 48.2),
}
_WINS = {
    "414": (7.9, 26.2, 2.7, 2.5, 60.7),
    "686": (10.9, 29.9, 4.3, 3.9, 51.0),
    "348": (11.9, 33.8, 1.5, 2.0, 50.8),
    "0": (6.1, 32.1, 5.3, 8.2, 48.3),
    "3437": (2.2, 24.9, 7.6, 10.5, 54.8),
}

FACEBOOK: Mapping[str, Mapping[str, PublishedResult]] = {
    ego: {
        agent: PublishedResult(
            *_RATIOS[ego][number], _TRUNCATION[ego][number] / 100, _WINS[ego][number] / 100
        )
        for number, agent in enumerate(AGENTS)
    }
    for ego in GRAPHS
}
"""Table 1."""

ABLATION: Mapping[str, PublishedResult] = {
    "garden": PublishedResult(1.95, 0.09, 0.0168, 0.3444),
    "mlpa2cwd": PublishedResult(2.23, 0.13, 0.0294, 0.3078),
    "mlpa2c": PublishedResult(2.31, 0.12, 0.0432, 0.3478),
}
"""Table 2, β = 5."""


@dataclass(frozen=True)
class PublishedGraph:
    """One row of the table of graph statistics."""

    num_nodes: int
    mean_distance: float
    density: float
    num_attributes: int


STATISTICS: Mapping[str, PublishedGraph] = {
    "414": PublishedGraph(148, 2.69, 0.16, 105),
    "686": PublishedGraph(168, 2.43, 0.12, 63),
    "348": PublishedGraph(224, 2.52, 0.13, 161),
    "0": PublishedGraph(324, 3.75, 0.05, 224),
    "3437": PublishedGraph(532, 3.45, 0.03, 262),
}


_MILLISECONDS = {
    "garden": (0.1592, 0.1715, 0.1800, 0.1602, 0.1656),
    "mlpa2cwd": (0.1446, 0.1548, 0.1686, 0.1532, 0.1520),
    "mlpa2c": (0.1499, 0.1487, 0.1518, 0.1464, 0.1469),
    "greedy": (0.0259, 0.0256, 0.0323, 0.0281, 0.0305),
    "distance": (0.0657, 0.0697, 0.0735, 0.0674, 0.0685),
    "connection": (0.0453, 0.0522, 0.0562, 0.0456, 0.0517),
    "random": (0.0006, 0.0006, 0.0007, 0.0006, 0.0006),
}
_EMBEDDING_MILLISECONDS = (0.3024, 0.2349, 0.5024, 0.2214, 0.2143)

ACTION_TIMES: Mapping[str, Mapping[str, float]] = {
    ego: {agent: times[number] for agent, times in _MILLISECONDS.items()}
    for number, ego in enumerate(GRAPHS)
}
"""The runtime table: milliseconds per action, on an Intel i7-11800H."""

EMBEDDING_TIMES: Mapping[str, float] = dict(zip(GRAPHS, _EMBEDDING_MILLISECONDS, strict=True))
"""The same table: milliseconds in which GARDEN embeds one ego graph."""
