"""The paper's synthetic graphs: Kaiser–Hilgetag graphs, told apart by their density β.

A seed is a graph and a split of it, and where a policy is trained an initialisation too.
"""

from __future__ import annotations

from collections.abc import Iterable

from garden.experiments.config import Scope

BETAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""The densities of the paper's two figures."""

QUICK_BETAS = (0.05, 0.3, 1.0)
NUM_NODES = 200
ALPHA = 30
NUM_GRAPHS = 10


def graph_spec(beta: float, seed: int) -> str:
    """The spec of one graph."""
    return f"kaiser-hilgetag:n={NUM_NODES},alpha={ALPHA},beta={beta:g},seed={seed}"


def betas_among(scope: Scope) -> tuple[float, ...]:
    """The densities to play: those named, three in a hurry, else all nine."""
    if scope.graphs is None:
        return QUICK_BETAS if scope.quick else BETAS
    named = {str(beta): beta for beta in BETAS}
    return tuple(named[name] for name in scope.graphs_among(tuple(named)))


def column_of(beta: float) -> str:
    """How a table's column is named."""
    return f"β = {beta:g}"


def listed(betas: Iterable[float]) -> str:
    """Some densities in a sentence, after how many there are."""
    texts = [f"{beta:g}" for beta in betas]
    return f"{len(texts)} (β = {', '.join(texts)})" if texts else "none"
