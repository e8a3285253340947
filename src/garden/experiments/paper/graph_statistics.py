"""The statistics of the five Facebook graphs beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

from garden.datasets.graph_summary import graph_statistics
from garden.experiments.paper.published import GRAPHS, STATISTICS, title_of
from garden.experiments.report.claims import claim_by_case
from garden.experiments.report.sections import Findings, Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of

_JOINS = {"by id": "", "as published": ",attributes=as-published"}


@final
@dataclass(frozen=True)
class Description(Work):
    """What one graph is like."""

    kind: ClassVar[str] = "description"
    titled: ClassVar[str] = "{unit.graph}"

    graph: str

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Count and measure the graph.

        Args:
            cache: Where policies come from; none is needed.

        Returns:
            What ``graph_statistics`` finds, and ``homophily``: by how much profiles of linked nodes
            are more alike than those of any two.
        """
        found = graph_statistics(graph_of(self.graph))
        return {**found, "homophily": found["cosine_over_edges"] / found["cosine_over_pairs"] - 1}


def works(scope: Scope) -> Sequence[Work]:
    """Every graph, joined both ways."""
    return [
        Description(f"facebook:{ego}{suffix}")
        for ego in scope.graphs_among(tuple(GRAPHS))
        for suffix in _JOINS.values()
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """One row per graph: nodes, links, attributes, distances and homophily.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    found = {
        ego: {join: result_of(Description(f"facebook:{ego}{end}")) for join, end in _JOINS.items()}
        for ego in scope.graphs_among(tuple(GRAPHS))
    }
    table = Table.of_cells(
        "graphs",
        "The five Facebook graphs; the paper's values in brackets",
        [_row(ego, of["by id"], of["as published"]) for ego, of in found.items()],
        "Homophily: mean cosine similarity over edges, against that over all pairs.",
    )
    return Findings(
        claims=(
            claim_by_case(
                "nodes, attributes, mean distance and density are the paper's, to its two decimals",
                {GRAPHS[ego]: _is_the_papers(ego, of["by id"]) for ego, of in found.items()},
            ),
            *(
                claim_by_case(
                    f"{join}: neighbours' attributes are more alike than those of all pairs",
                    {GRAPHS[ego]: of[join]["homophily"] > 0 for ego, of in found.items()},
                )
                for join in _JOINS
            ),
        ),
        tables=(table,),
    )


def _is_the_papers(ego: str, ours: Mapping[str, Any]) -> bool:
    paper = STATISTICS[ego]
    return (
        (ours["num_nodes"], ours["num_attributes"]) == (paper.num_nodes, paper.num_attributes)
        and abs(ours["mean_distance"] - paper.mean_distance) < 0.005
        and abs(ours["density"] - paper.density) < 0.005
    )


def _row(
    ego: str, by_id: Mapping[str, Any], as_published: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    paper = STATISTICS[ego]
    return (
        ("graph", title_of(ego)),
        ("nodes", f"{by_id['num_nodes']} ({paper.num_nodes})"),
        ("edges", str(by_id["num_edges"])),
        ("mean distance", f"{by_id['mean_distance']:.2f} ({paper.mean_distance:.2f})"),
        ("density", f"{by_id['density']:.2f} ({paper.density:.2f})"),
        ("attributes", f"{by_id['num_attributes']} ({paper.num_attributes})"),
        ("homophily, by id", f"{by_id['homophily']:+.1%}"),
        ("homophily, as published", f"{as_published['homophily']:+.1%}"),
    )


EXPERIMENT = Experiment(
    "graphs",
    "The Facebook graphs",
    works,
    report,
    paper="Five ego graphs of the SNAP Facebook data, their largest connected components.",
)
