"""The value map of the appendix, and how well values and learned spaces follow the distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from garden.experiments.paper.published import GRAPHS, by_name, title_of
from garden.experiments.paper.table1.experiment import LEARNED
from garden.experiments.paper.value_map.closeness import (
    ATTRIBUTES,
    DEGREE,
    EMBEDDING,
    GUESSES,
    TRELLIS_EMBEDDINGS,
    UNTRAINED,
    VALUE,
    Closeness,
    correlations,
)
from garden.experiments.report.claims import Claim, claim_of_comparison, claim_of_differences
from garden.experiments.report.figures import new_figure
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.report.tables import difference_rows, ratio_rows
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import graph_of
from garden.training.config import TrainingOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NUM_SEEDS = 10
QUICK: Mapping[str, TrainingOptions] = {
    "garden": TrainingOptions(model="garden", method="a2c", updates=15),
    "trellis": TrainingOptions(model="trellis", method="guided", updates=60),
}
SPECS: Mapping[str, str] = {ego: f"facebook:{ego}" for ego in GRAPHS}
_METRIC = "correlation"
_PANELS = {"value": VALUE, "score": "DistanceWalker's score", "distance": "true distance"}
_COMPARISONS = (
    (VALUE, ATTRIBUTES),
    (VALUE, DEGREE),
    (EMBEDDING, ATTRIBUTES),
    (EMBEDDING, UNTRAINED),
    (UNTRAINED, ATTRIBUTES),
    (TRELLIS_EMBEDDINGS, ATTRIBUTES),
    (TRELLIS_EMBEDDINGS, EMBEDDING),
)


def works(scope: Scope) -> Sequence[Work]:
    """Correlations for every graph and seed, the first of each graph with its map."""
    return [work for ego in _graphs(scope) for work in _of_graph(ego, scope)]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Correlations in two tables, their paired differences, and the map.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where ``values.png`` and ``.svg``, the map, are written.
    """
    results = {ego: [result_of(work) for work in _of_graph(ego, scope)] for ego in _graphs(scope)}
    pools = {ego: pooled(of_seeds, metrics=(_METRIC,)) for ego, of_seeds in results.items()}
    maps = {ego: of_seeds[0]["map"] for ego, of_seeds in results.items()}
    write_figure(folder, "values", _figure(maps))
    return Findings(
        claims=_claims(pools),
        tables=_tables(results, pools, _options(scope)),
        figures=(
            (
                "values",
                "Nodes by their rank, lighter is nearer to the starred target (the test target of "
                f"median degree, seed {_seeds(scope)[0]}): garden's learned value, "
                "DistanceWalker's score, and the true distance; ρ is the rank correlation with it",
            ),
        ),
    )


def _graphs(scope: Scope) -> tuple[str, ...]:
    return scope.graphs_among(tuple(GRAPHS), quick=("414", "686"))


def _seeds(scope: Scope) -> tuple[int, ...]:
    return scope.seeds_or(NUM_SEEDS, FIRST_SEED)


def _options(scope: Scope) -> Mapping[str, TrainingOptions]:
    """Those of Table 1, so that its policies serve here too; those of a quick run are shorter."""
    return QUICK if scope.quick else LEARNED


def _of_graph(ego: str, scope: Scope) -> list[Closeness]:
    """The first seed is also mapped."""
    options = _options(scope)
    graph, seeds = SPECS[ego], _seeds(scope)
    return [
        Closeness(
            graph,
            seed,
            garden=Training(graph, seed, options["garden"]),
            trellis=Training(graph, seed, options["trellis"]),
            mapped=seed == seeds[0],
        )
        for seed in seeds
    ]


def _tables(
    results: Mapping[str, Sequence[Mapping[str, Any]]],
    pools: Mapping[str, Pooled],
    options: Mapping[str, TrainingOptions],
) -> tuple[Table, ...]:
    columns = ("nearness by", *map(title_of, pools))
    footing = ". ".join(f"{name}: {pool.footing}" for name, pool in by_name(pools).items()) + "."

    def mean_of_all(ego: str, name: str) -> float:
        found = [result["contenders"][name]["correlation_of_all"] for result in results[ego]]
        return sum(found) / len(found)

    return (
        Table(
            "values",
            "Spearman's rank correlation with the distance in the graph, over all sources of a "
            "test target, mean over targets (95 % interval)",
            columns,
            tuple(ratio_rows(pools, _METRIC)),
            _meanings(options) + footing,
        ),
        Table(
            "values-all-pairs",
            "The same over all pairs of a source and a test target at once, mean over seeds",
            columns,
            tuple((name, *(f"{mean_of_all(ego, name):.2f}" for ego in pools)) for name in GUESSES),
            footing,
        ),
        Table(
            "values-differences",
            "Paired differences of the correlation by target (95 % interval)",
            columns,
            tuple(difference_rows(pools, _COMPARISONS, _METRIC)),
            footing,
        ),
    )


def _meanings(options: Mapping[str, TrainingOptions]) -> str:
    updates = {name: options[name].resolved().updates for name in ("garden", "trellis")}
    return (
        f"1: nearer always means fewer hops; 0: no relation. {VALUE}: of the critic, which a2c "
        f"trains ({updates['garden']:,} updates; trellis by guided, {updates['trellis']:,}). "
        f"{EMBEDDING}: minus the Euclidean distance between representations, also before "
        f"training. {TRELLIS_EMBEDDINGS}: the same between the embeddings of nodes' own profiles. "
        f"{ATTRIBUTES}: DistanceWalker's score. {DEGREE}: of the source, whatever the target. "
    )


def _claims(pools: Mapping[str, Pooled]) -> tuple[Claim, ...]:
    """The value follows the distance, and which of two estimates follows it better."""
    named = by_name(pools)
    alone = {case: pool.estimate(_METRIC, VALUE) for case, pool in named.items()}
    return (
        claim_of_differences(f"{VALUE}: correlated with nearness in the graph", alone),
        *(
            claim_of_comparison(
                named, mine, other, _METRIC, side=1, text=f"{mine}: better correlated than {other}"
            )
            for mine, other in _COMPARISONS
        ),
    )


def _figure(maps: Mapping[str, Mapping[str, Any]]) -> Figure:
    """A row per graph; ranks make the three panels of a row comparable."""
    from matplotlib.cm import ScalarMappable

    from garden.plots.layout import node_coordinates
    from garden.plots.style import COLOUR_MAP

    figure = new_figure(9, 3 * len(maps) + 0.6)
    grid = figure.subplots(len(maps), len(_PANELS), squeeze=False)
    for line, (ego, drawn) in zip(grid, maps.items(), strict=True):
        positions = node_coordinates(graph_of(SPECS[ego]))
        for axes, panel in zip(line, _PANELS, strict=True):
            _draw_panel(axes, ego, drawn, panel, positions)
    bar = figure.colorbar(
        ScalarMappable(cmap=COLOUR_MAP), ax=grid, location="bottom", shrink=0.4, aspect=40, pad=0.01
    )
    bar.set_ticks([0, 1], labels=["far", "near"])
    return figure


def _draw_panel(
    axes: Axes, ego: str, drawn: Mapping[str, Any], panel: str, positions: np.ndarray
) -> None:
    from garden.plots.trip import draw_target
    from garden.plots.walk import draw_graph

    target = drawn["target"]
    hops = np.array(drawn["distance"])
    nearness = -hops if panel == "distance" else np.array(drawn[panel])
    shades = (rankdata(nearness) - 1) / max(1, len(nearness) - 1)  # from 0 to 1, ties alike
    draw_graph(axes, graph_of(SPECS[ego]), positions, shades)
    draw_target(axes, positions[target])
    title = f"{title_of(ego)}: {_PANELS[panel]}"
    if panel != "distance":
        agreement = correlations(nearness[None], hops[None], np.array([target]))[0]
        title += f", ρ = {agreement:.2f}"
    axes.set_title(title, fontsize=9)


EXPERIMENT = Experiment(
    "values",
    "What the value function knows (appendix)",
    works,
    report,
    paper=(
        "The values that GARDEN learns stand in for the distance in the graph: they are "
        "highest in the target's own cluster and in those linked well to it, where the "
        "attribute distance of DistanceWalker is of little help. Reward alone uncovers a "
        "hidden metric space in which the graph can be navigated. The paper shows this as "
        "pictures."
    ),
)
