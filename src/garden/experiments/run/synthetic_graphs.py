"""The paper's synthetic graphs: Kaiser–Hilgetag graphs of several densities β.

A seed is a graph and a split of it, and where a policy is trained an initialisation too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import Work
from garden.training.config import TrainingOptions

AnyWork = TypeVar("AnyWork", bound=Work)
BETAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""The densities of the paper's two figures."""

QUICK_BETAS = (0.05, 0.3, 1.0)
NUM_NODES = 200
ALPHA = 30
NUM_GRAPHS = 10


def graph_spec(beta: float, seed: int) -> str:
    """The spec of one Kaiser-Hilgetag graph of the paper's size.

    Args:
        beta: The density, β.
        seed: Of the graph.
    """
    return f"kaiser-hilgetag:n={NUM_NODES},alpha={ALPHA},beta={beta:g},seed={seed}"


def betas_among(scope: Scope) -> tuple[float, ...]:
    """The densities to play: those named, three of a quick run, else all nine."""
    named = {str(beta): beta for beta in BETAS}
    chosen = scope.graphs_among(tuple(named), quick=tuple(map(str, QUICK_BETAS)))
    return tuple(named[name] for name in chosen)


def by_density(scope: Scope, make: Callable[[float, int], AnyWork]) -> dict[float, list[AnyWork]]:
    """The units of every density to play, one for each graph.

    Args:
        scope: Which densities, and which seeds.
        make: Makes a unit of a density and a seed.
    """
    seeds = scope.seeds_or(NUM_GRAPHS)
    return {beta: [make(beta, seed) for seed in seeds] for beta in betas_among(scope)}


def column_of(beta: float) -> str:
    """How a table's column is named."""
    return f"β = {beta:g}"


def trained(learned: Mapping[str, TrainingOptions]) -> str:
    """How each was trained, in the options that differ from its method's defaults.

    Args:
        learned: Options of the learned contenders, by label.

    Returns:
        A sentence for the foot of a table.
    """
    parts = []
    for name, options in learned.items():
        given = {key: value for key, value in vars(options).items() if value is not None}
        method = given.pop("method")
        del given["model"]
        changed = ", ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in given.items())
        parts.append(f"{name} by {method} with {changed or 'its defaults'}")
    return f"Trained: {'; '.join(parts)}."
