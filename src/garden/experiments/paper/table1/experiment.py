"""Table 1: the paper's agents on five Facebook graphs, beside stronger baselines and trellis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS, by_name, title_of
from garden.experiments.paper.table1.alternatives import (
    RandomTruncation,
    TieRules,
    ties_table,
    truncation_table,
)
from garden.experiments.paper.table1.protocol import (
    protocol_cells,
    protocol_comparison,
    protocol_seeds,
    protocol_table,
)
from garden.experiments.paper.table1.tables import PAPER, joining_table, table1_claims, tables_of
from garden.experiments.report.claims import Claim
from garden.experiments.report.figures import BLACK, draw_intervals, new_figure, oracle_ratio_axis
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.report.tables import Result
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training, Work
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.registry import RULES
from garden.training.config import TrainingOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUM_SEEDS = {"by id": 10, "as published": 5}
SUFFIXES = {"by id": "", "as published": ",attributes=as-published"}
"""What follows a graph's spec for each way of joining attributes to nodes."""

_WALKERS = ("greedy", "distance", "connection", "random", "lookahead", "bidirectional", "evn")
LEARNED: Mapping[str, TrainingOptions] = {
    "garden": TrainingOptions(model="garden", method="a2c"),
    "garden (exact)": TrainingOptions(model="garden", method="exact"),
    "trellis": TrainingOptions(model="trellis", method="guided"),
}
QUICK: Mapping[str, TrainingOptions] = {
    "garden": TrainingOptions(model="garden", method="a2c", updates=40),
    "garden (exact)": TrainingOptions(model="garden", method="exact", updates=20),
    "trellis": TrainingOptions(model="trellis", method="guided", updates=60),
}
_MEMORIES = {"trellis": RULES}
_DRAWN = ("random", "distance", "garden", "bidirectional+visited", "trellis", "trellis+backtrack")


def comparison(join: str, ego: str, seed: int, quick: bool) -> Comparison:
    """All strategies on one split of one graph.

    Args:
        join: How attributes are joined to nodes, a key of :data:`SUFFIXES`.
        ego: The SNAP ego id.
        seed: Of the split and of the trainings.
        quick: Whether trainings are cut short.

    Returns:
        The unit of work.
    """
    graph = f"facebook:{ego}{SUFFIXES[join]}"
    contenders = []
    for name in _WALKERS:
        contenders += [ContenderSpec(name, name), ContenderSpec(f"{name}+visited", name, "visited")]
    for name, options in (QUICK if quick else LEARNED).items():
        training = Training(graph, seed, options)
        contenders.append(ContenderSpec(name, training))
        contenders.append(ContenderSpec(f"{name}, argmax", training, argmax=True))
        for memory in _MEMORIES.get(name, ("visited",)):
            contenders.append(ContenderSpec(f"{name}+{memory}", training, memory))
    return Comparison(graph, seed, tuple(contenders), win_groups=((PAPER, AGENTS),))


def choice_of_memory(join: str, ego: str, seed: int, quick: bool) -> Comparison:
    """The memories of trellis on validation pairs (all, or some), which choose one of them.

    Args:
        join: How attributes are joined: by id, or as published.
        ego: The Facebook graph, by number.
        seed: Of the split.
        quick: Whether trainings are cut short.
    """
    graph = f"facebook:{ego}{SUFFIXES[join]}"
    training = Training(graph, seed, (QUICK if quick else LEARNED)["trellis"])
    contenders = tuple(
        ContenderSpec(f"trellis+{memory}", training, memory) for memory in _MEMORIES["trellis"]
    )
    pairs = EvaluationConfig(split="validation", all_pairs=not quick, max_hops=PAPERS_LIMIT)
    return Comparison(graph, seed, contenders, pairs)


def works(scope: Scope) -> Sequence[Work]:
    """Both ways of joining attributes, every graph, every seed; the paper's own training."""
    ours = [
        make(join, ego, seed, scope.quick)
        for join in _joins(scope)
        for ego in scope.graphs_among(tuple(GRAPHS))
        for seed in _seeds(scope, join)
        for make in (comparison, choice_of_memory)
    ]
    protocol = _protocol_works(scope)
    return [*ours, *protocol, *map(TieRules, protocol), *_truncation_works(scope)]


def _protocol_works(scope: Scope) -> list[Comparison]:
    return [
        protocol_comparison(ego, seed, scope.quick)
        for ego in _egos_as_published(scope)
        for seed in protocol_seeds(scope, ego)
    ]


def _truncation_works(scope: Scope) -> list[RandomTruncation]:
    return [RandomTruncation(ego) for ego in _egos_as_published(scope)]


def _egos_as_published(scope: Scope) -> tuple[str, ...]:
    return scope.graphs_among(tuple(GRAPHS)) if "as published" in _joins(scope) else ()


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Five tables and a figure for each way of joining, what joining changes, the paper's way.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where a figure for each way of joining attributes is written.
    """
    tables: list[Table] = []
    claims: list[Claim] = []
    found = {join: _results(comparison, scope, join, result_of) for join in _joins(scope)}
    joined = {
        join: {ego: pooled(of_seeds) for ego, of_seeds in results.items()}
        for join, results in found.items()
    }
    in_the_papers_way = _by_ego(_protocol_works(scope), result_of)
    for join, results in found.items():
        choices = _results(choice_of_memory, scope, join, result_of)
        pools = joined[join]
        chosen = {ego: pooled(of_seeds).best() for ego, of_seeds in choices.items()}
        further = _as_published_rows(join, joined, in_the_papers_way)
        tables += tables_of(join, pools, chosen, results, further)
        claims += table1_claims(join, by_name(pools), by_name(results))
        write_figure(folder, _figure_name(join), _figure(pools))
    if in_the_papers_way:
        truncation = {work.ego: result_of(work) for work in _truncation_works(scope)}
        ties = _by_ego(list(map(TieRules, _protocol_works(scope))), result_of)
        tables += [protocol_table(in_the_papers_way), truncation_table(truncation)]
        tables.append(ties_table(ties))
    if len(joined) == len(SUFFIXES):
        tables.append(joining_table(joined["by id"], joined["as published"]))
    return Findings(
        claims=tuple(claims),
        tables=tuple(tables),
        figures=tuple(
            (_figure_name(join), f"Oracle ratio, attributes joined {join} (95 % interval)")
            for join in joined
        ),
    )


def _results(
    make: Callable[[str, str, int, bool], Comparison], scope: Scope, join: str, result_of: ResultOf
) -> dict[str, list[Result]]:
    """What the comparisons of each graph stored, one per seed."""
    return {
        ego: [result_of(make(join, ego, seed, scope.quick)) for seed in _seeds(scope, join)]
        for ego in scope.graphs_among(tuple(GRAPHS))
    }


def _by_ego(
    works: Sequence[Comparison] | Sequence[TieRules], result_of: ResultOf
) -> dict[str, list[Result]]:
    """What units on attributes as published stored, graph by graph."""
    results: dict[str, list[Result]] = {}
    names = {f"facebook:{ego}{SUFFIXES['as published']}": ego for ego in GRAPHS}
    for work in works:
        results.setdefault(names[work.graph], []).append(result_of(work))
    return results


def _as_published_rows(
    join: str, joined: Mapping[str, Mapping[str, Pooled]], protocol: Mapping[str, Sequence[Result]]
) -> list[tuple[str, dict[str, str]]]:
    """Rows of the headline that share the paper's join of attributes."""
    rows = []
    if protocol:
        rows.append(("… trained here in its way (`protocol=paper`)", protocol_cells(protocol)))
    if join == "by id" and "as published" in joined:
        pools = joined["as published"]
        cells = {ego: f"{pool.mean('ratio', 'garden'):.2f}" for ego, pool in pools.items()}
        rows.append(("… by `a2c` as we train it", cells))
    return rows


def _joins(scope: Scope) -> tuple[str, ...]:
    if scope.attributes is None:
        return tuple(SUFFIXES)
    return (scope.attributes.replace("-", " "),)


def _seeds(scope: Scope, join: str) -> tuple[int, ...]:
    return scope.seeds_or(NUM_SEEDS[join], FIRST_SEED)


def _figure_name(join: str) -> str:
    return f"facebook-{join.replace(' ', '-')}"


def _figure(pools: Mapping[str, Pooled]) -> Figure:
    """Points with intervals on a logarithmic scale, side by side for each graph."""
    figure = new_figure(9, 4.5)
    axes = figure.add_subplot()
    step = 0.7 / len(_DRAWN)
    for number, label in enumerate(_DRAWN):
        shift = (number - (len(_DRAWN) - 1) / 2) * step
        estimates = [pool.estimate("ratio", label) for pool in pools.values()]
        places = [place + shift for place in range(len(pools))]
        draw_intervals(axes, places, estimates, label, joined=False)
    paper = [FACEBOOK[ego]["garden"].oracle_ratio for ego in pools]
    axes.plot(
        range(len(pools)), paper, "_", color=BLACK, markersize=34, label="GARDEN in the paper"
    )
    oracle_ratio_axis(axes)
    axes.set_xticks(range(len(pools)), [*map(title_of, pools)])
    for place in range(1, len(pools)):
        axes.axvline(place - 0.5, color="0.85", linewidth=0.8)
    axes.set_xlim(-0.5, len(pools) - 0.5)
    figure.legend(frameon=False, ncols=4, loc="outside upper center")
    return figure


EXPERIMENT = Experiment(
    "facebook",
    "Five Facebook graphs (Table 1)",
    works,
    report,
    paper=(
        "GARDEN needs fewer hops than all baselines on all five graphs, is truncated less "
        "often, and wins about half of all pairs."
    ),
)
