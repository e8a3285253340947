"""``beacons`` on a power law of a million nodes: ratio, size, time and memory over rank seeds."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.bars import NUM_SEEDS, PATHS, K, label_of
from garden.experiments.ours.gossip.graphs import LARGE, column_of, pairs_to_targets
from garden.experiments.ours.gossip.outcomes import outcome_of_walks
from garden.experiments.ours.gossip.priced_beacons import PricedBeacons
from garden.experiments.ours.gossip.sketch_walks import Searchers, Walks, sketch_walks
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import pair_distances
from garden.search.rounds import node_keys, settle
from garden.strategies.gossip.beacons import RULE, Beacons

NAME = "power-law-1e6"
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

    graph: str
    rank_seed: int
    k: int = K
    rule: int = RULE  # of the scores
    paths: int = 0

    @property
    def title(self) -> str:
        """The graph, the seed and the paths."""
        return f"{self.graph}, rank seed {self.rank_seed}, paths={self.paths}"

    def to_json(self) -> dict[str, Any]:
        """Every option; paths, which came later, where there are some."""
        content = super().to_json()
        if not self.paths:
            del content["paths"]
        return content

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
        hops = pair_distances(graph, pairs)
        searchers = Searchers(graph, PricedBeacons(strategy), settled.rows, keys)
        played = {
            memory: outcome_of_walks(
                sketch_walks(searchers, pairs, Walks(memory)).hops, pairs, hops
            )
            for memory in ("none", "backtrack")
        }
        others = len(settled.rows.ragged["neighbours"].values) / graph.num_nodes
        return {
            "num_targets": len(np.unique(pairs[:, 1])),
            "num_pairs": len(pairs),
            "cost": settled.cost.to_json(),
            "keys_per_node": others,
            "seconds": round(seconds, 1),
            "gigabytes": round(peak, 2),
            **played,
        }


def peak_gigabytes() -> float:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak * 1024 / 1e9


def works(scope: Scope) -> list[Work]:
    """Every rank seed, with paths and without; none in a quick run, or where others are named."""
    return [work for paths in PATHS for work in _trials(scope, paths)]


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
    figures = np.array([_figures(one) for one in results])
    rows = [
        (str(work.rank_seed), *_written(row)) for work, row in zip(trials, figures, strict=True)
    ]
    rows.append(("mean", *_written(figures.mean(axis=0))))
    rows.append(
        ("bar", *(f"≤ {_BARS[name]:g}" if name in _BARS else "none set" for name in _TITLES))
    )
    return Table(
        "gossip-million" if trials[0].paths else "gossip-million-without-paths",
        f"{label_of(trials[0].paths)}, rank=degree on {column_of(NAME)}, mean degree 16",
        ("rank seed", *_TITLES),
        tuple(rows),
        f"{results[0]['num_targets']} targets, 50 sources each, one walk a pair, truncated at "
        "100 hops. Seconds and memory to settle, by one core; memory is the most that the "
        "process had held by then, graph and earlier seeds included.",
    )


_TITLES = (
    "ratio, memoryless",
    "ratio, +backtrack",
    "truncated, +backtrack, %",
    "entries a node",
    "bytes of sketch a node",
    "bytes of neighbours' keys a node",
    "seconds to settle",
    "GB",
)


def _figures(one: dict[str, Any]) -> tuple[float, ...]:
    return (
        one["none"]["ratio"],
        one["backtrack"]["ratio"],
        100 * one["backtrack"]["truncated"],
        one["cost"]["entries_per_node"],
        one["cost"]["bytes_per_node"],
        8 * one["keys_per_node"],
        one["seconds"],
        one["gigabytes"],
    )


def _written(figures: np.ndarray) -> tuple[str, ...]:
    digits = (4, 4, 2, 1, 0, 0, 0, 1)
    return tuple(f"{value:.{places}f}" for value, places in zip(figures, digits, strict=True))


def _trials(scope: Scope, paths: int) -> list[MillionTrial]:
    named = scope.graphs is not None and NAME in scope.graphs
    if not named and (scope.graphs is not None or scope.quick):
        return []
    return [MillionTrial(LARGE[NAME], seed, paths=paths) for seed in scope.seeds_or(NUM_SEEDS)]
