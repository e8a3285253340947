"""Oracle ratios where profiles are missing or noisy, and where views are out of date."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

from garden.datasets.perturb import rewired, with_noisy_profiles, without_profiles
from garden.experiments.ours.universal_holdout import HoldoutTraining
from garden.experiments.paper.published import GRAPHS, by_name, title_of
from garden.experiments.paper.table1.experiment import LEARNED
from garden.experiments.report.claims import Claim, claim_of_comparison
from garden.experiments.report.figures import (
    draw_intervals,
    new_figure,
    oracle_ratio_axis,
    share_legend,
)
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.report.tables import footing_of
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import BEST_RULE, Training, Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, outcomes_of, task_of
from garden.graphs.graph import Graph
from garden.resolve import contender_of, strategy_named
from garden.search.compare import compare
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.training.universal.config import UniversalConfig

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Perturbation = Literal["missing", "noise", "rewired"]
EGOS = ("414", "0", "3437")
NUM_SEEDS = 3
LEVELS: Mapping[Perturbation, tuple[float, ...]] = {
    "missing": (0.0, 0.1, 0.3, 0.5),
    "noise": (math.inf, 8.0, 6.0, 5.0, 4.0, 3.0),  # ε of randomised response
    "rewired": (0.0, 0.05, 0.1, 0.2),
}
TITLES: Mapping[Perturbation, str] = {
    "missing": "share of nodes without a profile",
    "noise": "ε of randomised response, per attribute",
    "rewired": "share of links that changed since the views were taken",
}
_ON_NOISE = (
    " Noise is drawn once: it also distinguishes nodes that had the same profile, by which rules "
    "that recognise profiles gain."
)
_QUICK_UPDATES = 40
LABELS = (
    "bidirectional",
    BEST_RULE,
    "universal",
    "universal+backtrack",
    "trellis",
    "trellis+backtrack",
)
"""The contenders."""


@final
@dataclass(frozen=True)
class Perturbed(Work):
    """Strategies on one split of one graph, of which something was perturbed."""

    kind: ClassVar[str] = "perturbed"
    titled: ClassVar[str] = "{unit.graph}, seed {unit.seed}, {unit.perturbation} {unit.level:g}"

    graph: str
    seed: int
    perturbation: Perturbation
    level: float
    training: Training
    holdout: HoldoutTraining
    """How universal is trained, without this graph."""

    def to_json(self) -> dict[str, Any]:
        """The unit as plain values; infinity, which JSON does not have, as a string."""
        level = self.level if math.isfinite(self.level) else "inf"
        return {**super().to_json(), "level": level}

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Play the split's test pairs; a policy knows the graph as it was.

        Args:
            cache: Where policies come from.

        Returns:
            Outcomes by contender, target by target.
        """
        road, views = perturbed_graph(
            graph_of(self.graph), self.perturbation, self.level, self.seed
        )
        task = replace(task_of(self.graph, self.seed), graph=road)
        strategies = {
            "bidirectional": strategy_named("bidirectional"),
            "universal": self.holdout.policy(cache.policies),
            "trellis": cache.policy(self.training),
        }
        contenders = []
        for label in LABELS:
            name, _, memory = label.partition("+")
            contenders.append(contender_of(label, strategies[name], memory or "none"))
        return outcomes_of(
            compare(task, contenders, EvaluationConfig(max_hops=PAPERS_LIMIT), views=views)
        )


def perturbed_graph(
    graph: Graph, perturbation: Perturbation, level: float, seed: int
) -> tuple[Graph, Graph]:
    """A graph after a perturbation.

    Args:
        graph: The graph as it was.
        perturbation: What changes: profiles go missing or get noise, or links are rewired.
        level: How much, one of :data:`LEVELS`.
        seed: Of the random change.

    Returns:
        The graph that messages travel on, and the one that agents have seen.
    """
    if perturbation == "rewired":
        return rewired(graph, level, seed), graph
    make = without_profiles if perturbation == "missing" else with_noisy_profiles
    changed = make(graph, level, seed)
    return changed, changed


def works(scope: Scope) -> Sequence[Work]:
    """Every perturbation, level, graph and seed."""
    return [
        perturbed(ego, seed, perturbation, level, scope.quick)
        for perturbation in LEVELS
        for level in levels_of(perturbation, scope)
        for ego in scope.graphs_among(EGOS)
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    ]


def perturbed(
    ego: str, seed: int, perturbation: Perturbation, level: float, quick: bool
) -> Perturbed:
    """One unit; universal was trained without this graph.

    Args:
        ego: The Facebook graph, by number.
        seed: Of the split and of the perturbation.
        perturbation: What is done to the graph.
        level: How much of it.
        quick: Whether trainings are cut short.
    """
    graph = f"facebook:{ego}"
    options, config = LEARNED["trellis"], UniversalConfig()
    kinds = HoldoutTraining(graph, config).kinds
    if quick:
        options = replace(options, updates=_QUICK_UPDATES)
        config, kinds = replace(config, updates=_QUICK_UPDATES), (*kinds[:5], "generated")
    holdout = HoldoutTraining(graph, config, kinds)
    return Perturbed(graph, seed, perturbation, level, Training(graph, seed, options), holdout)


def levels_of(perturbation: Perturbation, scope: Scope) -> tuple[float, ...]:
    """The levels to play: of a quick run the least and the most.

    Args:
        perturbation: What is done to the graph.
        scope: How much is made.

    Returns:
        One of the tuples of :data:`LEVELS`, from no change to the most.
    """
    levels = LEVELS[perturbation]
    return (levels[0], levels[-1]) if scope.quick else levels


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table, a figure and claims for each perturbation.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where a figure for each perturbation is written.
    """
    tables: list[Table] = []
    claims: list[Claim] = []
    for perturbation in LEVELS:
        pools = {
            ego: {
                level: pooled(
                    [
                        result_of(perturbed(ego, seed, perturbation, level, scope.quick))
                        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
                    ]
                )
                for level in levels_of(perturbation, scope)
            }
            for ego in scope.graphs_among(EGOS)
        }
        tables.append(_table(perturbation, pools))
        claims += _claims(perturbation, pools)
        write_figure(folder, f"robustness-{perturbation}", _figure(perturbation, pools))
    return Findings(
        claims=tuple(claims),
        tables=tuple(tables),
        figures=tuple(
            (f"robustness-{one}", f"Oracle ratio against {TITLES[one]} (95 % interval)")
            for one in LEVELS
        ),
    )


Pools = Mapping[str, Mapping[float, Pooled]]


def _table(perturbation: Perturbation, pools: Pools) -> Table:
    levels = (
        f"{GRAPHS[ego]}, {_level_text(perturbation, level)}"
        for ego, of in pools.items()
        for level in of
    )
    rows = tuple(
        (
            label,
            *(f"{pool.mean('ratio', label):.2f}" for of in pools.values() for pool in of.values()),
        )
        for label in LABELS
    )
    footing = footing_of({ego: next(iter(of.values())) for ego, of in by_name(pools).items()})
    footing += _ON_NOISE if perturbation == "noise" else ""
    caption = f"Oracle ratio against {TITLES[perturbation]}"
    return Table(f"robustness-{perturbation}", caption, ("strategy", *levels), rows, footing)


def _level_text(perturbation: Perturbation, level: float) -> str:
    if perturbation == "noise":
        return "no noise" if math.isinf(level) else f"ε = {level:g}"
    return f"{100 * level:g} %"


def _claims(perturbation: Perturbation, pools: Pools) -> list[Claim]:
    """Policies against the best rule, at every level on every graph."""
    cases = {
        f"{GRAPHS[ego]} at {_level_text(perturbation, level)}": pool
        for ego, of in pools.items()
        for level, pool in of.items()
    }
    return [
        claim_of_comparison(
            cases, label, BEST_RULE, text=f"{perturbation}: {label}, fewer hops than {BEST_RULE}"
        )
        for label in ("universal+backtrack", "trellis+backtrack")
    ]


def _figure(perturbation: Perturbation, pools: Pools) -> Figure:
    """A panel for each graph, on a logarithmic scale."""
    figure = new_figure(11, 4.4)
    panels = figure.subplots(1, len(pools), sharey=True, squeeze=False)[0]
    for panel, (ego, of) in zip(panels, pools.items(), strict=True):
        for number, label in enumerate(LABELS):
            places = [place + 0.04 * (number - len(LABELS) / 2) for place in range(len(of))]
            draw_intervals(
                panel, places, [pool.estimate("ratio", label) for pool in of.values()], label
            )
        panel.set_xticks(range(len(of)), [_level_text(perturbation, level) for level in of])
        panel.set_title(title_of(ego))
        panel.set_xlabel(TITLES[perturbation], fontsize=9)
        oracle_ratio_axis(panel, label="")
    panels[0].set_ylabel("oracle ratio (1 is the shortest path)")
    share_legend(figure, panels[0], ncols=6, loc="outside upper center")
    return figure


EXPERIMENT = Experiment("robustness", "Missing and noisy profiles, old views", works, report)
