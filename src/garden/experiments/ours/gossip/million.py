"""``beacons`` on graphs of a million nodes.

On the power law ratio, size, time and memory over rank seeds; there and on a small world the ratio
against the size of sketches.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.bars import NUM_SEEDS, PATHS, K
from garden.experiments.ours.gossip.graphs import LARGE, column_of, pairs_to_targets
from garden.experiments.ours.gossip.outcomes import MEMORIES, outcomes_by_memory, ratio_text
from garden.experiments.ours.gossip.sketch_labels import sketch_label
from garden.experiments.ours.gossip.sketch_walks import PricedBeacons, Searchers
from garden.experiments.ours.gossip.tradeoff import NUM_PAIRS, SketchTrial
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Row
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work, later
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import pair_distances
from garden.search.rounds import node_keys, settle
from garden.strategies.gossip.beacons import RULE, Beacons

NAME = "power-law-1e6"
SIZES: Mapping[str, tuple[int, ...]] = {
    "power-law-1e6": (1, 2, 4, 8, 16, 64),
    "small-world-1e6": (1, 2, 4, 8, 16),
}
_BARS = {
    "ratio, memoryless": 1.04,
    "entries a node": 50,
    "bytes of sketch a node": 600,
    "seconds to settle": 90,
    "GB": 6,
}


@final
@dataclass(frozen=True)
class MillionTrial(Work):
    """``beacons`` with one rank seed on a large graph, to 300 targets."""

    kind: ClassVar[str] = "gossip-million"
    titled: ClassVar[str] = "{unit.graph}, rank seed {unit.rank_seed}, paths={unit.paths}"

    graph: str
    rank_seed: int
    k: int = K
    rule: int = RULE  # of the scores
    paths: int = later(0)

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Settle, timed, then one walk for each pair and memory."""
        graph = graph_of(self.graph)
        strategy = Beacons(k=self.k, seed=self.rank_seed, paths=self.paths)
        start = time.perf_counter()
        settled = settle(graph, strategy)
        seconds = time.perf_counter() - start
        assert settled.cost is not None
        peak = peak_gigabytes()
        keys = node_keys(graph, strategy.key_seed)
        pairs = pairs_to_targets(graph)
        searchers = Searchers(graph, PricedBeacons(strategy), settled.rows, keys)
        others = len(settled.rows.ragged["neighbours"].values) / graph.num_nodes
        return {
            "num_targets": len(np.unique(pairs[:, 1])),
            "num_pairs": len(pairs),
            "cost": settled.cost.to_json(),
            "keys_per_node": others,
            "seconds": round(seconds, 1),
            "gigabytes": round(peak, 2),
            **outcomes_by_memory(searchers, pairs, pair_distances(graph, pairs)),
        }


def peak_gigabytes() -> float:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak * 1024 / 1e9


def works(scope: Scope) -> list[Work]:
    """Every rank seed, with paths and without, and every size; none in a quick run by itself."""
    return [
        *(work for paths in PATHS for work in _trials(scope, paths)),
        *(work for of in _of_sizes(scope).values() for work in of.values()),
    ]


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """A row for each rank seed, and their means; a table with paths and one without.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    return [
        _table(trials, [result_of(work) for work in trials])
        for trials in (_trials(scope, paths) for paths in PATHS)
        if trials
    ]


def _table(trials: Sequence[MillionTrial], results: Sequence[dict[str, Any]]) -> Table:
    figures = np.array([[figure(one) for figure, _ in _FIGURES.values()] for one in results])
    digits = [places for _, places in _FIGURES.values()]

    def row(title: str, values: np.ndarray) -> Row:
        return (title, *(f"{value:.{n}f}" for value, n in zip(values, digits, strict=True)))

    bars = (f"≤ {_BARS[name]:g}" if name in _BARS else "none set" for name in _FIGURES)
    rows = (
        *(row(str(work.rank_seed), one) for work, one in zip(trials, figures, strict=True)),
        row("mean", figures.mean(axis=0)),
        ("bar", *bars),
    )
    return Table(
        "gossip-million" if trials[0].paths else "gossip-million-without-paths",
        f"{sketch_label(K, trials[0].paths)}, rank=degree on {column_of(NAME)}, mean degree 16",
        ("rank seed", *_FIGURES),
        rows,
        f"{results[0]['num_targets']} targets, 50 sources each, one walk a pair, truncated at "
        "100 hops. Seconds and memory to settle, by one core; memory is the most that the "
        "process had held by then, graph and earlier seeds included.",
    )


_FIGURES: Mapping[str, tuple[Callable[[Mapping[str, Any]], float], int]] = {
    "ratio, memoryless": (lambda one: one["none"]["ratio"], 4),
    "ratio, +backtrack": (lambda one: one["backtrack"]["ratio"], 4),
    "truncated, +backtrack, %": (lambda one: 100 * one["backtrack"]["truncated"], 2),
    "entries a node": (lambda one: one["cost"]["entries_per_node"], 1),
    "bytes of sketch a node": (lambda one: one["cost"]["bytes_per_node"], 0),
    "bytes of neighbours' keys a node": (lambda one: 8 * one["keys_per_node"], 0),
    "seconds to settle": (lambda one: one["seconds"], 0),
    "GB": (lambda one: one["gigabytes"], 1),
}
"""Columns, with what they hold and its digits."""


def _trials(scope: Scope, paths: int) -> list[MillionTrial]:
    named = scope.graphs is not None and NAME in scope.graphs
    if not named and (scope.graphs is not None or scope.quick):
        return []
    return [MillionTrial(LARGE[NAME], seed, paths=paths) for seed in scope.seeds_or(NUM_SEEDS)]


def size_tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """A row for each graph and size of sketches, in one table; none where no size is asked for.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    rows = [
        _size_row(column_of(name), label, result_of(work))
        for name, of in _of_sizes(scope).items()
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


def _size_row(graph: str, label: str, one: Mapping[str, Any]) -> Row:
    cost = one["cost"]
    sizes = (f"{cost['entries_per_node']:.1f}", f"{cost['bytes_per_node']:.0f}")
    played = (one[which][memory] for which in ("beacons", "landmarks") for memory in MEMORIES)
    return (graph, label, *sizes, str(cost["rounds"]), *map(ratio_text, played))


def _of_sizes(scope: Scope) -> dict[str, dict[str, SketchTrial]]:
    if scope.quick:
        return {}
    return {
        name: {sketch_label(k): SketchTrial(LARGE[name], sketch_label(k)) for k in sizes}
        for name, sizes in SIZES.items()
        if scope.graphs is None or name in scope.graphs
    }
