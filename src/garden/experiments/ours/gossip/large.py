"""The ratio against the size of sketches on graphs of a million nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garden.experiments.ours.gossip.graphs import LARGE, column_of
from garden.experiments.ours.gossip.outcomes import ratio_text
from garden.experiments.ours.gossip.sketch_labels import sketch_label
from garden.experiments.ours.gossip.tradeoff import MEMORIES, NUM_PAIRS, SketchTrial
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Row
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work

SIZES: Mapping[str, tuple[int, ...]] = {
    "power-law-1e6": (1, 2, 4, 8, 16, 64),
    "small-world-1e6": (1, 2, 4, 8, 16),
}


def works(scope: Scope) -> list[Work]:
    """Every size; none in a quick run, or where other graphs are named."""
    return [work for of in _trials(scope).values() for work in of.values()]


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """A row for each graph and size.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    rows = [
        _row(column_of(name), label, result_of(work))
        for name, of in _trials(scope).items()
        for label, work in of.items()
    ]
    if not rows:
        return []
    columns = ["graph", "strategy", "entries a node", "bytes a node", "rounds"]
    columns += [
        f"{which}{plus}"
        for which in ("beacons", "landmarks, as many")
        for plus in ("", " +backtrack")
    ]
    return [
        Table(
            "gossip-large",
            "A million nodes: oracle ratio (95 % interval) against the size of sketches",
            tuple(columns),
            tuple(rows),
            f"{NUM_PAIRS:,} pairs a graph, every node a target, the same for all rows; four walks "
            "a pair, truncated at 100 hops. Landmarks: random nodes, the same for all agents. "
            "k = 64 was not tried on the small world.",
        )
    ]


def _row(graph: str, label: str, one: Mapping[str, Any]) -> Row:
    cost = one["cost"]
    sizes = (f"{cost['entries_per_node']:.1f}", f"{cost['bytes_per_node']:.0f}")
    played = (one[which][memory] for which in ("beacons", "landmarks") for memory in MEMORIES)
    return (graph, label, *sizes, str(cost["rounds"]), *map(ratio_text, played))


def _trials(scope: Scope) -> dict[str, dict[str, SketchTrial]]:
    if scope.quick:
        return {}
    return {
        name: {sketch_label(k): SketchTrial(LARGE[name], sketch_label(k)) for k in sizes}
        for name, sizes in SIZES.items()
        if scope.graphs is None or name in scope.graphs
    }
