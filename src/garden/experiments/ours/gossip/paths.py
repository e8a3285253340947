"""What paths in rows gain beside larger sketches: trials and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from garden.experiments.ours.gossip.graphs import COLLECTION, column_of, graphs_of
from garden.experiments.ours.gossip.outcomes import MEMORIES, ratio_text
from garden.experiments.ours.gossip.sketch_labels import sketch_label, with_memory
from garden.experiments.ours.gossip.tradeoff import NUM_PAIRS, SketchTrial
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Row
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work

STRATEGIES = tuple(sketch_label(k, paths) for k in (4, 16) for paths in (0, 1, 4))
NEAR = 1.03  # the ratio up to which graphs are counted
Results = Mapping[str, Mapping[str, Mapping[str, Any]]]  # by graph, by strategy
_FOOTING = (
    f"{NUM_PAIRS:,} pairs a graph, every node a target, the same for all rows; four walks a pair, "
    "truncated at 100 hops. Bytes are those of sketch and paths; neighbours' keys come on top."
)


def works(scope: Scope) -> list[Work]:
    """Every size with more paths than the default or none; the others are among other units."""
    named = [name for name in STRATEGIES if "paths" in name]
    return [SketchTrial(spec, name) for spec in graphs_of(scope).values() for name in named]


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """Ratios by graph, and a summary of the collection.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    found: Results = {
        name: {strategy: result_of(SketchTrial(spec, strategy)) for strategy in STRATEGIES}
        for name, spec in graphs_of(scope).items()
    }
    shown = {name: one for name, one in found.items() if name not in COLLECTION}
    collected = {name: one for name, one in found.items() if name in COLLECTION}
    return [
        *([_by_graph(shown)] if shown else []),
        *([_of_collection(collected)] if collected else []),
    ]


def _by_graph(found: Results) -> Table:
    rows: list[Row] = []
    for strategy in STRATEGIES:
        for memory in MEMORIES:
            cells = (ratio_text(one[strategy]["beacons"][memory]) for one in found.values())
            rows.append((with_memory(strategy, memory), *cells))
        sizes = (one[strategy]["cost"]["bytes_per_node"] for one in found.values())
        rows.append((f"{strategy}, bytes a node", *(f"{size:.0f}" for size in sizes)))
    return Table(
        "gossip-paths",
        "Paths in rows: oracle ratio (95 % interval), and truncated walks where there are any",
        ("strategy", *map(column_of, found)),
        tuple(rows),
        _FOOTING,
    )


def _of_collection(found: Results) -> Table:
    rows = [_collection_row(name, [one[name] for one in found.values()]) for name in STRATEGIES]
    return Table.of_cells(
        "gossip-paths-collection",
        f"Paths in rows on the {len(found)} graphs of the collection",
        rows,
        f"{_FOOTING} Each graph counts alike.",
    )


def _collection_row(strategy: str, found: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    size = np.mean([one["cost"]["bytes_per_node"] for one in found])
    cells = [("strategy", strategy), ("bytes a node", f"{size:.0f}")]
    for memory, title in zip(MEMORIES, ("memoryless", "+backtrack"), strict=True):
        played = [one["beacons"][memory] for one in found]
        ratios = [one["ratio"] for one in played]
        cells += [
            (f"{title}: mean (worst)", f"{np.mean(ratios):.3f} ({max(ratios):.3f})"),
            (f"at most {NEAR:g}", str(sum(ratio <= NEAR for ratio in ratios))),
            ("with truncated walks", str(sum(one["truncated"] > 0 for one in played))),
        ]
    return cells
