"""Bars for ``beacons:k=16``: figures over ten rank seeds, and what they are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.graphs import (
    COLLECTION,
    FACEBOOK,
    PAGES,
    TWITCH,
    by_case,
    column_of,
    graphs_of,
    pairs_to_targets,
)
from garden.experiments.ours.gossip.outcomes import MEMORIES, outcome, outcomes_by_memory
from garden.experiments.ours.gossip.sketch_labels import sketch_label, with_memory
from garden.experiments.ours.gossip.sketch_walks import Searchers
from garden.experiments.report.claims import Claim, claim_by_case
from garden.experiments.report.intervals import over_seeds
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work, later
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import pair_distances
from garden.search.chain import hop_distributions
from garden.search.config import PAPERS_LIMIT
from garden.search.metrics import expected_hops
from garden.strategies.gossip.beacons import RULE, Beacons

NUM_SEEDS = 10
K = 16
PATHS = (Beacons.paths, 0)  # the default, and none
_GRAPHS: Mapping[str, str] = {**FACEBOOK, **TWITCH, **PAGES, **COLLECTION}
_MEMORYLESS_BARS = {
    **dict.fromkeys(FACEBOOK, 1.01),
    "musae-facebook": 1.03,
    "twitch:PTBR": 1.005,
}
_BACKTRACK_BARS = {"musae-facebook": 1.02}
MAX_EXACT = 1.3e8  # links, both ways, times targets: beyond it memoryless walks are sampled


@final
@dataclass(frozen=True)
class BarTrial(Work):
    """``beacons`` with one rank seed on one graph, to every node or to 300 of them."""

    kind: ClassVar[str] = "gossip-bar"
    titled: ClassVar[str] = "{unit.graph}, rank seed {unit.rank_seed}, paths={unit.paths}"

    graph: str
    rank_seed: int
    k: int = K
    rule: int = RULE  # of the scores
    paths: int = later(0)

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Memoryless by exact chains where they are affordable; with ``backtrack`` by walks."""
        graph = graph_of(self.graph)
        strategy = Beacons(k=self.k, seed=self.rank_seed, paths=self.paths)
        searchers = Searchers.settled(graph, strategy)
        pairs = pairs_to_targets(graph)
        distances = pair_distances(graph, pairs)
        num_targets = len(np.unique(pairs[:, 1]))
        exact = len(graph.indices) * num_targets <= MAX_EXACT
        played = {}
        if exact:
            table = hop_distributions(graph, strategy, searchers.rows, pairs, PAPERS_LIMIT)
            played["none"] = outcome(expected_hops(table), table[:, -1], distances, pairs[:, 1])
        sampled = ("backtrack",) if exact else MEMORIES
        return {
            "num_nodes": graph.num_nodes,
            "num_targets": num_targets,
            "num_pairs": len(pairs),
            "evaluation": "exact" if exact else "sampled",
            **played,
            **outcomes_by_memory(searchers, pairs, distances, sampled),
        }


def works(scope: Scope) -> list[Work]:
    """Every graph, every rank seed, with paths and without."""
    return [work for paths in PATHS for of in _trials(scope, paths).values() for work in of]


def findings(scope: Scope, result_of: ResultOf) -> tuple[list[Claim], list[Table]]:
    """The bars as claims, and tables of figures.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    claims: list[Claim] = []
    tables: list[Table] = []
    for paths in PATHS:
        trials = _trials(scope, paths)
        results = {name: [result_of(work) for work in of] for name, of in trials.items()}
        if results:
            claims += _claims(results, paths)
            tables.append(_table(results, paths))
    return claims, tables


def _trials(scope: Scope, paths: int) -> dict[str, list[BarTrial]]:
    return {
        name: [BarTrial(spec, seed, paths=paths) for seed in scope.seeds_or(NUM_SEEDS)]
        for name, spec in graphs_of(scope, _GRAPHS).items()
    }


Results = Mapping[str, Sequence[Mapping[str, Any]]]


def _claims(results: Results, paths: int) -> list[Claim]:
    claims = []
    for memory, bars in (("none", _MEMORYLESS_BARS), ("backtrack", _BACKTRACK_BARS)):
        label = with_memory(sketch_label(K, paths), memory)
        for bar in sorted(set(bars.values())):
            cases = {
                column_of(name): _mean(of, memory, "ratio") <= bar
                for name, of in results.items()
                if bars.get(name) == bar
            }
            if cases:
                claims.append(claim_by_case(f"{label}: a ratio of at most {bar:g}", cases))
    truncated = {
        name: all(one["backtrack"]["truncated"] == 0 for one in of) for name, of in results.items()
    }
    text = f"{sketch_label(K, paths)}+backtrack: nothing truncated"
    return [*claims, claim_by_case(text, by_case(truncated))]


def _mean(of: Sequence[Mapping[str, Any]], memory: str, metric: str) -> float:
    return float(np.mean([one[memory][metric] for one in of]))


def _table(results: Results, paths: int) -> Table:
    return Table.of_cells(
        "gossip-bars" if paths else "gossip-bars-without-paths",
        f"{sketch_label(K, paths)}, rank=degree: mean over rank seeds (least – greatest)",
        [_row(name, of) for name, of in results.items()],
        f"{len(next(iter(results.values())))} rank seeds. Every node is a target up to 2,000 "
        "nodes, 300 above; 50 sources a target, or all. Walks are truncated at 100 hops.",
    )


def _row(name: str, of: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    def spread(memory: str) -> str:
        ratios = [one[memory]["ratio"] for one in of]
        return f"{over_seeds(ratios).mean:.4f} ({min(ratios):.4f} – {max(ratios):.4f})"

    def bar(bars: Mapping[str, float]) -> str:
        return f"≤ {bars[name]:g}" if name in bars else "none set"

    return (
        ("graph", column_of(name)),
        ("nodes", str(of[0]["num_nodes"])),
        ("targets", str(of[0]["num_targets"])),
        ("pairs", str(of[0]["num_pairs"])),
        ("memoryless", spread("none")),
        ("evaluation", of[0]["evaluation"]),
        ("bar", bar(_MEMORYLESS_BARS)),
        ("+backtrack", spread("backtrack")),
        ("bar", bar(_BACKTRACK_BARS)),
        ("truncated, memoryless, %", f"{100 * _mean(of, 'none', 'truncated'):.4g}"),
        ("truncated, +backtrack, %", f"{100 * _mean(of, 'backtrack', 'truncated'):.4g}"),
    )
