"""Where trellis fails: the test targets with the worst ratio, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.experiments.paper.published import GRAPHS
from garden.experiments.report.claims import Claim, claim_by_case
from garden.experiments.report.figures import new_figure
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, task_of
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.graphs.identity import profile_keys
from garden.plots.layout import node_coordinates
from garden.plots.walk import draw_graph, draw_trip
from garden.resolve import memory_named
from garden.search.chain import hop_distributions
from garden.search.config import PAPERS_LIMIT
from garden.search.episode_rng import episode_streams
from garden.search.metrics import expected_hops
from garden.search.walk import walk
from garden.training.config import TrainingOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUM_SEEDS = 10
_WORST = 8  # targets of a graph in the table
_QUICK_UPDATES = 60
_NEAR = 1.05  # a ratio up to it is near the shortest path
HARDEST = "one neighbour, of a shared profile"


@final
@dataclass(frozen=True)
class FailureReport(Work):
    """Every test target of one split: its ratio, its traits, and a trip to the worst."""

    kind: ClassVar[str] = "failure-report"

    graph: str
    seed: int
    options: TrainingOptions

    @property
    def training(self) -> Training:
        """The policy whose failures are reported."""
        return Training(self.graph, self.seed, self.options)

    def trainings(self) -> tuple[Training, ...]:
        """The training of the policy that is looked into."""
        return (self.training,)

    def to_json(self) -> dict[str, Any]:
        """The training says it all."""
        return self.training.to_json()

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Play all sources against all test targets, exactly.

        Args:
            cache: Where the policy comes from.

        Returns:
            ``targets``, each with its mean oracle ratio and its traits; ``trip``, the nodes of a
            walk to the worst of them from the source that needs most hops; and ``trip_target``.
        """
        graph, task = graph_of(self.graph), task_of(self.graph, self.seed)
        policy = cache.policy(self.training)
        rows = policy.represent(ego_graphs(graph))
        pairs = task.all_pairs("test")
        pairs = pairs[np.argsort(pairs[:, 1], kind="stable")]
        hops = expected_hops(hop_distributions(graph, policy, rows, pairs, PAPERS_LIMIT))
        ratios = hops / pair_distances(graph, pairs)
        targets, number = np.unique(pairs[:, 1], return_inverse=True)
        means = np.bincount(number, weights=ratios) / np.bincount(number)
        worst = targets[means.argmax()]
        of_worst = np.flatnonzero(pairs[:, 1] == worst)
        source = int(pairs[of_worst[hops[of_worst].argmax()], 0])
        stream = int(episode_streams(self.seed, 0, 1)[0])
        trip = walk(
            graph, policy, rows, source, int(worst), memory_named("none"), PAPERS_LIMIT, stream
        )
        classes = profile_classes(graph)
        return {
            "task_hash": task.content_hash,
            "targets": [
                {"ratio": round(float(mean), 4), **traits_of(graph, classes, int(target))}
                for target, mean in zip(targets, means, strict=True)
            ],
            "trip": [int(node) for node in trip.nodes],
            "trip_target": int(worst),
        }


def profile_classes(graph: Graph) -> np.ndarray:
    """How many nodes share each node's profile, (num_nodes,)."""
    keys = profile_keys(graph.attributes)
    _, number, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    counts: np.ndarray = sizes[number.ravel()]
    return counts


def traits_of(graph: Graph, classes: np.ndarray, node: int) -> dict[str, Any]:
    """What may make a target hard to find.

    Args:
        graph: The graph.
        classes: How many nodes share each node's profile, (num_nodes,).
        node: The target.

    Returns:
        Its traits by name, as plain values.
    """
    around = graph.neighbours(node)
    return {
        "node": graph.node_names[node],
        "degree": len(around),
        "same_profile": int(classes[node]),
        "rarest_neighbour_profile": int(classes[around].min()),
        "max_neighbour_degree": int(graph.degrees[around].max()),
    }


def works(scope: Scope) -> Sequence[Work]:
    """A failure report of every graph and seed."""
    return [work for of in _reports(scope).values() for work in of]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """The worst targets of each graph, the traits they share, and a trip to the very worst.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where ``failures.png`` and ``.svg`` are written.
    """
    results = {ego: [result_of(work) for work in of] for ego, of in _reports(scope).items()}
    write_figure(folder, "failures", _figure(results))
    everything = [one for of in results.values() for result in of for one in result["targets"]]
    return Findings(
        claims=(_claim(everything),),
        tables=(_worst_table(results), _trait_table(everything)),
        figures=(
            ("failures", "A memoryless trip to the worst test target of each graph, all seeds"),
        ),
    )


def _reports(scope: Scope) -> dict[str, list[FailureReport]]:
    options = TrainingOptions(updates=_QUICK_UPDATES) if scope.quick else TrainingOptions()
    return {
        ego: [
            FailureReport(f"facebook:{ego}", seed, options)
            for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
        ]
        for ego in scope.graphs_among(tuple(GRAPHS))
    }


def _worst_table(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    rows = []
    for ego, of in results.items():
        found = [one for result in of for one in result["targets"]]
        rows += [
            (
                ("graph", GRAPHS[ego]),
                ("target", one["node"]),
                ("oracle ratio", f"{one['ratio']:.2f}"),
                ("neighbours", str(one["degree"])),
                ("nodes with its profile", str(one["same_profile"])),
                (
                    "nodes with its rarest neighbour's profile",
                    str(one["rarest_neighbour_profile"]),
                ),
                ("degree of its busiest neighbour", str(one["max_neighbour_degree"])),
            )
            for one in sorted(found, key=lambda one: -one["ratio"])[:_WORST]
        ]
    return Table.of_cells(
        "worst",
        "The worst test targets of each graph, over all seeds",
        rows,
        f"Ratios are means over all sources, memoryless, exact, truncated at {PAPERS_LIMIT} hops.",
    )


def _groups(targets: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    def ratios(keep: Any) -> list[float]:
        return [one["ratio"] for one in targets if keep(one)]

    return {
        HARDEST: ratios(lambda one: one["degree"] == 1 and one["rarest_neighbour_profile"] > 1),
        "one neighbour, of a profile of its own": ratios(
            lambda one: one["degree"] == 1 and one["rarest_neighbour_profile"] == 1
        ),
        "2 or 3 neighbours": ratios(lambda one: 2 <= one["degree"] <= 3),
        "4 to 9 neighbours": ratios(lambda one: 4 <= one["degree"] <= 9),
        "10 neighbours or more": ratios(lambda one: one["degree"] >= 10),
    }


def _trait_table(targets: Sequence[Mapping[str, Any]]) -> Table:
    everyone = [one["ratio"] for one in targets]
    excess = _excess(everyone)
    share = "share of all hops above the shortest"
    rows = [
        (
            ("targets with", name),
            ("how many", str(len(ratios))),
            ("mean ratio", f"{np.mean(ratios):.3f}" if ratios else "–"),
            ("worst", f"{max(ratios):.2f}" if ratios else "–"),
            (share, f"{100 * _excess(ratios) / excess:.0f} %" if excess else "–"),
            (f"ratio at most {_NEAR:g}", str(sum(ratio <= _NEAR for ratio in ratios))),
        )
        for name, ratios in {**_groups(targets), "any neighbours": everyone}.items()
    ]
    return Table.of_cells(
        "traits",
        "Test targets by their neighbours, all graphs and seeds",
        rows,
        "Shares weigh ratios, target by target.",
    )


def _excess(ratios: Sequence[float]) -> float:
    """The sum of ratios above 1."""
    return sum(ratio - 1 for ratio in ratios)


def _claim(targets: Sequence[Mapping[str, Any]]) -> Claim:
    """Which other groups of targets the hardest group has a greater mean ratio than."""
    means = {name: np.mean(ratios) for name, ratios in _groups(targets).items() if ratios}
    hardest = means.pop(HARDEST, np.float64(1))
    return claim_by_case(
        f"targets with {HARDEST}: a greater mean ratio than those with …",
        {name: bool(hardest > mean) for name, mean in means.items()},
    )


def _figure(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    figure = new_figure(4 * len(results), 4.4)
    for number, (ego, of) in enumerate(results.items(), 1):
        worst = max(of, key=lambda result: max(one["ratio"] for one in result["targets"]))
        graph = graph_of(f"facebook:{ego}")
        axes = figure.add_subplot(1, len(results), number)
        positions = node_coordinates(graph)
        draw_graph(axes, graph, positions)
        draw_trip(axes, positions[worst["trip"]], positions[worst["trip_target"]])
        end = "delivered" if worst["trip"][-1] == worst["trip_target"] else "truncated"
        name = graph.node_names[worst["trip_target"]]
        hops = len(worst["trip"]) - 1
        axes.set_title(f"{GRAPHS[ego]}: to {name}, {end} after {hops} hop{'s' * (hops != 1)}")
    return figure


EXPERIMENT = Experiment("failures", "Where trellis fails", works, report)
