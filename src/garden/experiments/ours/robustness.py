"""What strategies lose when profiles are missing or noisy, and when views have grown old."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from garden.datasets.perturb import rewired, with_noisy_profiles, without_profiles
from garden.experiments.ours.universal_holdout import Schooling
from garden.experiments.paper.published import GRAPHS
from garden.experiments.paper.table1.experiment import LEARNED
from garden.experiments.report.headline import BEST_RULE
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Section, Table, write_figure
from garden.experiments.report.tables import footing_of
from garden.experiments.run.config import FIRST_SEED, MAX_HOPS, Scope
from garden.experiments.run.experiment import Experiment, ResultOf, caveat
from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import Workbench, by_target, graph_of, task_of
from garden.graphs.graph import Graph
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.strategies.memory import memory_for
from garden.strategies.registry import WALKERS
from garden.training.universal.config import UniversalConfig

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Harm = Literal["missing", "noise", "rewired"]
EGOS = ("414", "0", "3437")
NUM_SEEDS = 3
LEVELS: Mapping[Harm, tuple[float, ...]] = {
    "missing": (0.0, 0.1, 0.3, 0.5),
    "noise": (math.inf, 8.0, 6.0, 5.0, 4.0, 3.0),  # ε of randomised response
    "rewired": (0.0, 0.05, 0.1, 0.2),
}
TITLES: Mapping[Harm, str] = {
    "missing": "share of nodes without a profile",
    "noise": "ε of randomised response, per attribute",
    "rewired": "share of links that changed since the views were taken",
}
_ON_NOISE = (
    "Noise is told once and for all, so that it also tells a node from others of its profile: "
    "rules that recognise profiles gain by it what a policy that knows where profiles live loses."
)
_QUICK_UPDATES = 40
_STYLES = {
    "bidirectional": ("0.6", ":", "o"),
    BEST_RULE: ("0.6", "-", "o"),
    "universal": ("0.35", ":", "s"),
    "universal+backtrack": ("0.35", "-", "s"),
    "trellis": ("0.0", ":", "^"),
    "trellis+backtrack": ("0.0", "-", "^"),
}


@final
@dataclass(frozen=True)
class Harmed(Work):
    """Strategies on one split of one graph, of which something is amiss."""

    kind: ClassVar[str] = "harmed"

    graph: str
    seed: int
    harm: Harm
    level: float
    training: Training
    schooling: Schooling

    @property
    def title(self) -> str:
        """The graph, the split and the harm."""
        return f"{self.graph}, seed {self.seed}, {self.harm} {self.level:g}"

    def trainings(self) -> tuple[Training, ...]:
        """The policy that was trained on the graph while nothing was amiss."""
        return (self.training,)

    def to_json(self) -> dict[str, Any]:
        """The unit as plain values; infinity is told in words."""
        level = self.level if math.isfinite(self.level) else "inf"
        return {
            "graph": self.graph,
            "seed": self.seed,
            "harm": self.harm,
            "level": level,
            "training": self.training.to_json(),
            "schooling": self.schooling.to_json(),
        }

    def perform(self, bench: Workbench) -> dict[str, Any]:
        """Play the split's test pairs; a policy knows the graph as it was."""
        whole = graph_of(self.graph)
        road, views = harmed_graph(whole, self.harm, self.level, self.seed)
        task = replace(task_of(self.graph, self.seed), graph=road)
        strategies = {
            "bidirectional": WALKERS["bidirectional"](),
            "universal": self.schooling.policy(bench.policies),
            "trellis": bench.policy(self.training),
        }
        contenders = []
        for label in _STYLES:
            name, _, memory = label.partition("+")
            contenders.append(
                Contender(label, strategies[name], memory_for(strategies[name], memory or "none"))
            )
        report = compare(task, contenders, EvaluationConfig(max_hops=MAX_HOPS), views=views)
        return {
            "task_hash": report.task_hash,
            "targets": np.unique(report.pairs[:, 1]).tolist(),
            "num_pairs": len(report.pairs),
            "entrants": {one.name: by_target(report, one) for one in report.results},
        }


def harmed_graph(graph: Graph, harm: Harm, level: float, seed: int) -> tuple[Graph, Graph]:
    """The graph that messages travel on, and the one that agents have seen."""
    if harm == "rewired":
        return rewired(graph, level, seed), graph
    make = without_profiles if harm == "missing" else with_noisy_profiles
    told = make(graph, level, seed)
    return told, told


def works(scope: Scope) -> Sequence[Work]:
    """Every harm, level, graph and seed."""
    return [
        harmed(ego, seed, harm, level, scope.quick)
        for harm in LEVELS
        for level in levels_of(harm, scope)
        for ego in scope.graphs_among(EGOS)
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    ]


def harmed(ego: str, seed: int, harm: Harm, level: float, quick: bool) -> Harmed:
    """One unit; universal was trained without this graph."""
    graph = f"facebook:{ego}"
    options, config = LEARNED["trellis"], UniversalConfig()
    kinds = Schooling(graph, config).kinds
    if quick:
        options = replace(options, updates=_QUICK_UPDATES)
        config, kinds = replace(config, updates=_QUICK_UPDATES), (*kinds[:5], "generated")
    schooling = Schooling(graph, config, kinds)
    return Harmed(graph, seed, harm, level, Training(graph, seed, options), schooling)


def levels_of(harm: Harm, scope: Scope) -> tuple[float, ...]:
    """The levels to play: in a hurry the least and the most."""
    levels = LEVELS[harm]
    return (levels[0], levels[-1]) if scope.quick else levels


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Section:
    """A table and a figure for each harm."""
    tables, findings = [], []
    for harm in LEVELS:
        pools = {
            ego: {
                level: _pool(ego, harm, level, scope, result_of) for level in levels_of(harm, scope)
            }
            for ego in scope.graphs_among(EGOS)
        }
        tables.append(_table(harm, pools))
        findings += [_finding(harm, ego, of) for ego, of in pools.items()]
        write_figure(folder, f"robustness-{harm}", _figure(harm, pools))
    return Section(
        name="robustness",
        title=EXPERIMENT.title,
        command=scope.command("robustness"),
        claim="None of the paper's, whose agents see what is there.",
        findings=(*caveat(scope), *findings, _ON_NOISE),
        tables=tuple(tables),
        figures=tuple(
            (f"robustness-{harm}", f"Oracle ratio against {TITLES[harm]}") for harm in LEVELS
        ),
    )


Pools = Mapping[str, Mapping[float, Pooled]]


def _pool(ego: str, harm: Harm, level: float, scope: Scope, result_of: ResultOf) -> Pooled:
    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    return pooled([result_of(harmed(ego, seed, harm, level, scope.quick)) for seed in seeds])


def _table(harm: Harm, pools: Pools) -> Table:
    columns = ["strategy"]
    columns += [
        f"{GRAPHS[ego]}, {_shown(harm, level)}" for ego, of in pools.items() for level in of
    ]
    rows = tuple(
        (label, *(_cell(pool, label) for of in pools.values() for pool in of.values()))
        for label in _STYLES
    )
    footing = footing_of({GRAPHS[ego]: next(iter(of.values())) for ego, of in pools.items()})
    caption = f"Oracle ratio against {TITLES[harm]}"
    return Table(f"robustness-{harm}", caption, tuple(columns), rows, footing)


def _cell(pool: Pooled, label: str) -> str:
    return f"{pool.estimate('ratio', label).mean:.2f}"


def _shown(harm: Harm, level: float) -> str:
    if harm == "noise":
        return "no noise" if math.isinf(level) else f"ε = {level:g}"
    return f"{100 * level:g} %"


def _finding(harm: Harm, ego: str, of: Mapping[float, Pooled]) -> str:
    levels = list(of)
    mild, worst = levels[0], levels[-1]
    at_first, at_last = of[mild], of[worst]
    parts = [
        f"{label} {at_first.estimate('ratio', label).mean:.2f} → "
        f"{at_last.estimate('ratio', label).mean:.2f}"
        for label in (BEST_RULE, "universal+backtrack", "trellis+backtrack")
    ]
    return (
        f"{GRAPHS[ego]}, {TITLES[harm]}, from {_shown(harm, mild)} to {_shown(harm, worst)}: "
        + ", ".join(parts)
        + "."
    )


def _figure(harm: Harm, pools: Pools) -> Figure:
    """A panel for each graph, on a logarithmic scale; strategies differ by line and mark."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    panels = figure.subplots(1, len(pools), sharey=True, squeeze=False)[0]
    for panel, (ego, of) in zip(panels, pools.items(), strict=True):
        for label, (shade, line, mark) in _STYLES.items():
            means = [pool.estimate("ratio", label).mean for pool in of.values()]
            panel.plot(range(len(of)), means, color=shade, linestyle=line, marker=mark, label=label)
        panel.set_xticks(range(len(of)), [_shown(harm, level) for level in of])
        panel.set_title(f"{GRAPHS[ego]} ({ego})")
        panel.set_yscale("log")
        panel.axhline(1.0, color="black", linewidth=0.6)
        panel.set_xlabel(TITLES[harm], fontsize=9)
    panels[0].set_ylabel("oracle ratio")
    panels[0].legend(frameon=False, fontsize=8)
    return figure


EXPERIMENT = Experiment("robustness", "Missing and noisy profiles, old views", works, report)
