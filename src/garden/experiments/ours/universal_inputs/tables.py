"""By how much ratios rise without some inputs, held against the spread of trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from garden.experiments.report.intervals import NUM_RESAMPLES, Estimate, estimate_of
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Row

WHOLE = "all inputs"
MEMORY = "backtrack"
Results = Mapping[str, Sequence[Mapping[str, Any]]]  # by what is left out, a result per seed
MEMORIES = ("none", MEMORY)


def table_of(results: Results, memory: str) -> Table:
    """Ratios with all inputs, their spread, and the rise without each group, by family.

    Args:
        results: What trainings stored; those with all inputs stand under the empty name.
        memory: ``none``, or the memory that was played with.
    """
    families = families_of(results)
    fewest = min(len(of) for of in results.values())
    of_graphs = np.array([one["family"] for one in results[""][0]["graphs"]])
    logs = _by_family(logs_of(results[""], memory), of_graphs, families)
    spread = logs.std(axis=0, ddof=1) if len(logs) > 1 else np.zeros(logs.shape[1])
    rows: list[Row] = [
        (WHOLE, *(f"{ratio:.2f}" for ratio in np.exp(logs.mean(axis=0)))),
        ("… deviation over trainings", *(f"{100 * (np.exp(x) - 1):.1f} %" for x in spread)),
    ]
    for name in filter(None, results):
        estimates = rises(results[name], results[""], memory, families)
        rows.append((f"without {name}", *(one.scaled(100).text(1) for one in estimates)))
    caption = (
        f"Ratio on validation graphs, {'memoryless' if memory == 'none' else memory}: with all "
        "inputs, and by how many per cent it rises without a group (95 % interval)"
    )
    footing = (
        f"{len(results[''][0]['graphs'])} validation graphs; geometric means over the graphs of "
        f"a family, all families alike in the last column. {len(results[''])} trainings with all "
        f"inputs, {fewest} without each group; intervals resample trainings, graphs and targets. "
        "The deviation is that of single trainings with all inputs about their mean."
    )
    name = "universal-inputs" if memory == "none" else f"universal-inputs-{memory}"
    return Table(name, caption, ("inputs", *families, "all"), tuple(rows), footing)


def logs_of(results: Sequence[Mapping[str, Any]], memory: str) -> np.ndarray:
    """The logarithm of each training's ratio on each graph, (num_trainings, num_graphs).

    Args:
        results: One per training, on the same graphs.
        memory: ``none``, or the memory that was played with.
    """
    return np.log([[np.mean(one[memory]) for one in of["graphs"]] for of in results])


def _by_family(logs: np.ndarray, of: np.ndarray, families: Sequence[str]) -> np.ndarray:
    """Means over graphs (last axis) by family, and over families in the last column."""
    means = np.stack([logs[..., of == family].mean(axis=-1) for family in families], axis=-1)
    return np.concatenate([means, means.mean(axis=-1, keepdims=True)], axis=-1)


def families_of(results: Results) -> list[str]:
    """The families of the validation graphs, in their order."""
    return list(dict.fromkeys(one["family"] for one in results[""][0]["graphs"]))


def rises(
    without: Sequence[Mapping[str, Any]],
    whole: Sequence[Mapping[str, Any]],
    memory: str,
    families: Sequence[str],
    num_resamples: int = NUM_RESAMPLES // 4,
) -> list[Estimate]:
    """By how much the ratio rises, as a share, for each family and for all together.

    Args:
        without: Results of trainings that lack a group of inputs.
        whole: Those of trainings with all inputs.
        memory: ``none`` or the memory.
        families: The families, in the order of the estimates.
        num_resamples: Of trainings on both sides, and of graphs and targets, which both share.
    """
    of = np.array([one["family"] for one in whole[0]["graphs"]])
    tables = [
        [
            np.array([of_training["graphs"][g][memory] for of_training in some])
            for g in range(len(of))
        ]
        for some in (without, whole)
    ]  # of a graph: (num_trainings, num_targets)
    mean = [
        _by_family(logs_of(some, memory), of, families).mean(axis=0) for some in (without, whole)
    ]
    rng = np.random.default_rng(0)
    draws = np.stack([_resampled(tables, of, families, rng) for _ in range(num_resamples)])
    rise = np.exp(mean[0] - mean[1]) - 1
    return [estimate_of(float(rise[i]), draws[:, i]) for i in range(len(rise))]


def _resampled(
    tables: Sequence[Sequence[np.ndarray]],
    of: np.ndarray,
    families: Sequence[str],
    rng: np.random.Generator,
) -> np.ndarray:
    """One draw of the rise, by family and for all."""
    trainings = [rng.integers(len(some[0]), size=len(some[0])) for some in tables]
    targets = [rng.integers(one.shape[1], size=one.shape[1]) for one in tables[0]]
    logs = []
    for some, chosen in zip(tables, trainings, strict=True):
        ratios = [one[chosen][:, t].mean(axis=1) for one, t in zip(some, targets, strict=True)]
        logs.append(np.log(np.stack(ratios, axis=1)).mean(axis=0))
    rise = logs[0] - logs[1]
    drawn = [rng.choice(np.flatnonzero(of == family), (of == family).sum()) for family in families]
    means = np.array([rise[chosen].mean() for chosen in drawn])
    return np.exp(np.append(means, means.mean())) - 1
