"""Timings of one graph as one, and how times grow from graph to graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from garden.experiments.paper.runtime.timing import PARTS
from garden.experiments.report.intervals import NUM_RESAMPLES, Estimate, estimate_of


@dataclass(frozen=True)
class Timed:
    """All timings of one graph, over every seed that drew holders and targets."""

    label: str
    num_nodes: int
    mean_degree: float
    holder_degrees: np.ndarray  # (num_targets,)
    means: Mapping[tuple[str, str], float]
    """Milliseconds by strategy and part, the mean over targets and repeats, as the paper has it."""

    medians: Mapping[tuple[str, str], float]
    """The mean over targets of the median repeat."""

    processor: Mapping[tuple[str, str], np.ndarray]
    """(num_targets,) the median repeat of the processor's time: that of an idle machine."""

    machine: str
    loads: tuple[float, ...]

    def busy(self, strategy: str, part: str) -> float:
        """The mean over targets of the processor's milliseconds.

        Args:
            strategy: One of :data:`~.timing.TIMED`.
            part: ``action`` or ``representation``.
        """
        return float(self.processor[strategy, part].mean())


def pooled_timings(label: str, results: Sequence[Mapping[str, Any]]) -> Timed:
    """The timings of one graph, whoever drew the targets, as one.

    Args:
        label: The graph's name in tables.
        results: What the units stored.
    """
    first = results[0]
    groups = [(name, part) for name in first["strategies"] for part in PARTS]

    def by_target(kind: str) -> dict[tuple[str, str], np.ndarray]:
        return {
            (name, part): np.concatenate([one["strategies"][name][part][kind] for one in results])
            for name, part in groups
        }

    return Timed(
        label=label,
        num_nodes=first["num_nodes"],
        mean_degree=first["mean_degree"],
        holder_degrees=np.concatenate([result["holder_degrees"] for result in results]),
        means={
            (name, part): float(np.mean([one["strategies"][name][part]["mean"] for one in results]))
            for name, part in groups
        },
        medians={group: float(each.mean()) for group, each in by_target("median").items()},
        processor=by_target("processor"),
        machine=", ".join(dict.fromkeys(_machine(result["machine"]) for result in results)),
        loads=tuple(result["machine"]["load_average"][0] for result in results),
    )


def growth(graphs: Sequence[Timed], strategy: str, part: str, seed: int = 0) -> Estimate:
    """By what ten times the nodes multiply a time: a line through logarithms, by least squares.

    The interval resamples the targets of every graph.

    Args:
        graphs: Timings of graphs of several sizes.
        strategy: Whose times.
        part: Of an action or of a representation.
        seed: Of the bootstrap.

    Returns:
        The factor with its 95 % interval.
    """
    rng = np.random.default_rng(seed)
    sizes = np.log10([graph.num_nodes for graph in graphs])
    weights = (sizes - sizes.mean()) / ((sizes - sizes.mean()) ** 2).sum()
    slope, draws = 0.0, np.zeros(NUM_RESAMPLES)
    for weight, graph in zip(weights, graphs, strict=True):
        times = graph.processor[strategy, part]
        chosen = rng.integers(len(times), size=(NUM_RESAMPLES, len(times)))
        slope += weight * np.log10(times.mean())
        draws += weight * np.log10(times[chosen].mean(axis=1))
    return estimate_of(float(10**slope), 10**draws)


def degree_growth(grown: Sequence[Timed]) -> float:
    """By what ten times the nodes multiply the mean degree of those who were timed."""
    sizes = np.log10([graph.num_nodes for graph in grown])
    degrees = np.log10([graph.holder_degrees.mean() for graph in grown])
    return float(10 ** np.polyfit(sizes, degrees, 1)[0])


def _machine(machine: Mapping[str, Any]) -> str:
    return (
        f"{machine['processor']} ({machine['cpu_count']} CPUs, "
        f"{machine['torch_threads']} thread used, {machine['platform']}, torch {machine['torch']})"
    )
