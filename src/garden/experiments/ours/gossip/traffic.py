"""Traffic: how much of all hops the busiest node makes, and what a price on hubs changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from garden.experiments.ours.gossip.graphs import (
    FACEBOOK,
    GENERATED,
    PAGES,
    column_of,
    drawn_pairs,
    graphs_of,
)
from garden.experiments.ours.gossip.outcomes import outcome_of_walks
from garden.experiments.ours.gossip.sketch_walks import TIES_ONLY, Searchers, Walks, sketch_walks
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import pair_distances
from garden.random_streams import TRAFFIC_PAIRS
from garden.search.traffic import path_traffic, shortest_path_traffic
from garden.strategies.gossip.beacons import HOP, RULE, Beacons, Rank

K = 16
NUM_PAIRS = 100_000
NUM_RATIOS = 10_000
QUICK_PAIRS = 2_000
_GRAPHS: Mapping[str, str] = {**FACEBOOK, **PAGES, "power-law": GENERATED["power-law"]}
_VARIANTS: Mapping[str, tuple[Rank, float]] = {
    "rank=degree": ("degree", 0.0),
    "rank=hash": ("hash", 0.0),
    "rank=degree, hubs last among equal sums": ("degree", TIES_ONLY),
    "rank=degree, 1/8 hop for each class of a candidate": ("degree", HOP / 8),
}
_SHORTEST = "shortest paths"
_TITLES = "busiest node's share of all hops, % (multiple of that of shortest paths); oracle ratio"


@final
@dataclass(frozen=True)
class TrafficTrial(Work):
    """Messages with ``backtrack`` on one graph, and the hops that the busiest node makes."""

    kind: ClassVar[str] = "gossip-traffic"

    graph: str
    rank: Rank
    price: float  # of one class, in units of the score
    num_pairs: int = NUM_PAIRS
    num_ratios: int = NUM_RATIOS  # the first pairs, whose distances are measured
    k: int = K
    paths: int = Beacons.paths
    rule: int = RULE  # of the scores

    @property
    def title(self) -> str:
        """The graph, the rank and the price."""
        return f"{self.graph}, traffic, rank={self.rank}, price {self.price / HOP:g}"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """One walk for each pair."""
        graph = graph_of(self.graph)
        strategy = Beacons(k=self.k, rank=self.rank, paths=self.paths)
        searchers = Searchers.settled(graph, strategy, self.price)
        pairs = drawn_pairs(graph, self.num_pairs, TRAFFIC_PAIRS)
        walks = sketch_walks(searchers, pairs, Walks("backtrack", keep_paths=True))
        load = path_traffic(walks.paths, graph.num_nodes)
        measured = pairs[: self.num_ratios]
        distances = pair_distances(graph, measured)
        return {
            "busiest_share": load.busiest_share,
            "busiest_degree": int(graph.degrees[load.busiest]),
            **outcome_of_walks(walks.hops[: self.num_ratios], measured, distances),
        }


@final
@dataclass(frozen=True)
class ShortestTrafficTrial(Work):
    """Random shortest paths between the same pairs."""

    kind: ClassVar[str] = "gossip-shortest-traffic"
    titled: ClassVar[str] = "{unit.graph}, traffic of shortest paths"

    graph: str
    num_pairs: int = NUM_PAIRS

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """One path for each pair."""
        graph = graph_of(self.graph)
        load = shortest_path_traffic(graph, drawn_pairs(graph, self.num_pairs, TRAFFIC_PAIRS))
        return {
            "busiest_share": load.busiest_share,
            "busiest_degree": int(graph.degrees[load.busiest]),
        }


def works(scope: Scope) -> list[Work]:
    """Shortest paths and every variant, on every graph."""
    return [work for of in _trials(scope).values() for work in of.values()]


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """One table: a row for each variant, a column for each graph.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    found = {
        name: {label: result_of(work) for label, work in of.items()}
        for name, of in _trials(scope).items()
    }
    if not found:
        return []
    rows = [
        (label, *(_cell(of[label], of[_SHORTEST]) for of in found.values()))
        for label in (_SHORTEST, *_VARIANTS)
    ]
    num_pairs = QUICK_PAIRS if scope.quick else NUM_PAIRS
    table = Table(
        "gossip-traffic",
        f"beacons:k={K}+backtrack: {_TITLES}",
        ("variant", *map(column_of, found)),
        tuple(rows),
        f"{num_pairs:,} pairs a graph, one walk each, the ratio on the first "
        f"{min(NUM_RATIOS, num_pairs):,} of them; a hop belongs to the node that makes it. "
        "A class is half a doubling of the degree: at 1/8 hop each, a hub of 256 neighbours "
        "costs two hops.",
    )
    return [table]


def _trials(scope: Scope) -> dict[str, dict[str, Work]]:
    num_pairs = QUICK_PAIRS if scope.quick else NUM_PAIRS
    return {
        name: {
            _SHORTEST: ShortestTrafficTrial(spec, num_pairs),
            **{label: TrafficTrial(spec, *how, num_pairs) for label, how in _VARIANTS.items()},
        }
        for name, spec in graphs_of(scope, _GRAPHS).items()
    }


def _cell(one: Mapping[str, Any], shortest: Mapping[str, Any]) -> str:
    share = f"{100 * one['busiest_share']:.2f}"
    if "ratio" not in one:  # the shortest paths themselves
        return f"{share}; 1"
    multiple = one["busiest_share"] / shortest["busiest_share"]
    truncated = f", {100 * one['truncated']:.2g} % truncated" if one["truncated"] else ""
    return f"{share} (× {multiple:.2f}); {one['ratio']:.3f}{truncated}"
