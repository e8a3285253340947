"""What it costs to keep sketches when single links and nodes come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from garden.experiments.ours.gossip.graphs import FACEBOOK, PAGES, column_of, graphs_of
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.search.rounds import node_keys
from garden.search.sketch_updates import cost_summary, update_costs
from garden.strategies.gossip.beacons import Beacons, Rank

K = 16
NUM_CHANGES = 300
QUICK_CHANGES = 5
_GRAPHS: Mapping[str, str] = {**FACEBOOK, **PAGES}
_FIGURES = {
    "agents that spoke": "agents",
    **{name: name for name in ("entries", "withdrawals", "bytes", "rounds")},
}


@final
@dataclass(frozen=True)
class ChangeTrial(Work):
    """Changes of one graph at rest, of every kind."""

    kind: ClassVar[str] = "gossip-changes"
    titled: ClassVar[str] = "{unit.graph}, changes, rank={unit.rank}"

    graph: str
    rank: Rank
    num_changes: int = NUM_CHANGES
    k: int = K
    paths: int = Beacons.paths

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """The median and the worst of each figure, by kind of change."""
        graph = graph_of(self.graph)
        costs = update_costs(
            graph,
            node_keys(graph, seed=0),
            k=self.k,
            rank=self.rank,
            num_paths=self.paths,
            num_changes=self.num_changes,
        )
        return {
            "num_nodes": graph.num_nodes,
            "costs": {kind: cost_summary(of) for kind, of in costs.items()},
        }


def works(scope: Scope) -> list[Work]:
    """Every graph by degree; the Facebook graphs by hash too."""
    return list(_trials(scope).values())


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """One table: a row for each graph, rank and kind of change.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    trials = _trials(scope)
    if not trials:
        return []
    rows = [
        (column_of(name), rank, kind, *(_cell(summary[figure]) for figure in _FIGURES.values()))
        for (name, rank), work in trials.items()
        for kind, summary in result_of(work)["costs"].items()
    ]
    table = Table(
        "gossip-changes",
        f"beacons:k={K}: what a change costs, median / worst",
        ("graph", "rank", "change", *_FIGURES),
        tuple(rows),
        f"{_num_changes(scope)} changes of each kind, each from the same graph at rest, in "
        "synchronous rounds. An entry is 11 bytes, a withdrawal and its acknowledgement 9 each, a "
        "path 9 and 8 a step, once for every neighbour told.",
    )
    return [table]


def _trials(scope: Scope) -> dict[tuple[str, Rank], ChangeTrial]:
    ranks: dict[str, tuple[Rank, ...]] = {
        name: ("degree", "hash") if name in FACEBOOK else ("degree",) for name in _GRAPHS
    }
    return {
        (name, rank): ChangeTrial(spec, rank, _num_changes(scope))
        for name, spec in graphs_of(scope, _GRAPHS).items()
        for rank in ranks[name]
    }


def _num_changes(scope: Scope) -> int:
    return QUICK_CHANGES if scope.quick else NUM_CHANGES


def _cell(figure: Mapping[str, float]) -> str:
    return f"{figure['median']:,.0f} / {figure['worst']:,.0f}"
