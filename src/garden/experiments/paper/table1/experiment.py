"""Table 1: the paper's agents on five Facebook graphs, beside stronger baselines and trellis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from garden.experiments.ours.trellis_memories import chosen_of
from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS
from garden.experiments.paper.table1.claims import claims_held, what_joining_changes
from garden.experiments.report.headline import headline_table
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Section, Table, write_figure
from garden.experiments.report.tables import (
    Result,
    circle_rates,
    difference_rows,
    footing_of,
    percent_rows,
    ratio_rows,
)
from garden.experiments.run.config import FIRST_SEED, MAX_HOPS, Scope
from garden.experiments.run.experiment import Experiment, ResultOf, caveat
from garden.experiments.run.jobs import Comparison, Entrant, Training, Work
from garden.search.config import EvaluationConfig
from garden.strategies.memory import RULES
from garden.training.config import TrainingOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUM_SEEDS = {"by id": 10, "as published": 5}
_SUFFIX = {"by id": "", "as published": ",attributes=as-published"}
_WALKERS = ("greedy", "distance", "connection", "random", "lookahead", "bidirectional", "evn")
LEARNED: Mapping[str, TrainingOptions] = {
    "garden": TrainingOptions(model="garden", method="a2c"),
    "garden (exact)": TrainingOptions(model="garden", method="exact"),
    "trellis": TrainingOptions(model="trellis", method="guided"),
}
_QUICK: Mapping[str, TrainingOptions] = {
    "garden": TrainingOptions(model="garden", method="a2c", updates=40),
    "garden (exact)": TrainingOptions(model="garden", method="exact", updates=20),
    "trellis": TrainingOptions(model="trellis", method="guided", updates=60),
}
_MEMORIES = {"trellis": RULES}
_DRAWN = ("random", "distance", "garden", "bidirectional+visited", "trellis", "trellis+backtrack")


def comparison(join: str, ego: str, seed: int, quick: bool) -> Comparison:
    """Everybody on one split of one graph."""
    graph = f"facebook:{ego}{_SUFFIX[join]}"
    entrants = []
    for name in _WALKERS:
        entrants += [Entrant(name, name), Entrant(f"{name}+visited", name, "visited")]
    for name, options in (_QUICK if quick else LEARNED).items():
        training = Training(graph, seed, options)
        entrants.append(Entrant(name, training))
        entrants.append(Entrant(f"{name}, argmax", training, argmax=True))
        for memory in _MEMORIES.get(name, ("visited",)):
            entrants.append(Entrant(f"{name}+{memory}", training, memory))
    return Comparison(graph, seed, tuple(entrants), circles=(("paper", AGENTS),))


def choice_of_memory(join: str, ego: str, seed: int, quick: bool) -> Comparison:
    """The memories of trellis on all validation pairs, or some, to choose the one to recommend."""
    graph = f"facebook:{ego}{_SUFFIX[join]}"
    training = Training(graph, seed, (_QUICK if quick else LEARNED)["trellis"])
    entrants = [Entrant(f"trellis+{memory}", training, memory) for memory in _MEMORIES["trellis"]]
    pairs = EvaluationConfig(split="validation", all_pairs=not quick, max_hops=MAX_HOPS)
    return Comparison(graph, seed, tuple(entrants), pairs)


def works(scope: Scope) -> Sequence[Work]:
    """Both ways of joining attributes, every graph, every seed."""
    return [
        make(join, ego, seed, scope.quick)
        for join in _joins(scope)
        for ego in scope.graphs_among(tuple(GRAPHS))
        for seed in _seeds(scope, join)
        for make in (comparison, choice_of_memory)
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Section:
    """Five tables for each way of joining, and a figure."""
    tables: list[Table] = []
    findings: list[str] = []
    joined: dict[str, dict[str, Pooled]] = {}
    for join in _joins(scope):
        egos, seeds = scope.graphs_among(tuple(GRAPHS)), _seeds(scope, join)
        results = {
            ego: [result_of(comparison(join, ego, seed, scope.quick)) for seed in seeds]
            for ego in egos
        }
        pools = {ego: pooled(of_seeds) for ego, of_seeds in results.items()}
        joined[join] = pools
        choices = {
            ego: [result_of(choice_of_memory(join, ego, seed, scope.quick)) for seed in seeds]
            for ego in egos
        }
        chosen = {ego: chosen_of(pooled(of_seeds)) for ego, of_seeds in choices.items()}
        slug = join.replace(" ", "-")
        tables.append(headline_table(f"headline-{slug}", pools, chosen, _footing(pools)))
        tables.append(_ratio_table(f"ratio-{slug}", join, pools, chosen))
        tables.append(_truncation_table(f"truncated-{slug}", join, pools))
        tables.append(_win_table(f"wins-{slug}", join, pools, results))
        tables.append(_difference_table(f"differences-{slug}", join, pools))
        findings += claims_held(join, pools, results)
        write_figure(folder, f"facebook-{slug}", _figure(pools))
    if len(joined) == len(_SUFFIX):
        findings.append(what_joining_changes(joined["by id"], joined["as published"]))
    return Section(
        name="facebook",
        title=EXPERIMENT.title,
        command=scope.command("facebook"),
        claim=(
            "GARDEN needs fewer hops than all baselines on all five graphs, is truncated less "
            "often, and wins about half of all pairs."
        ),
        findings=(*caveat(scope), *findings, *_left_out(scope)),
        tables=tuple(tables),
        figures=tuple(
            (f"facebook-{join.replace(' ', '-')}", f"Oracle ratio, attributes joined {join}")
            for join in _joins(scope)
        ),
    )


def _joins(scope: Scope) -> tuple[str, ...]:
    if scope.attributes is None:
        return tuple(_SUFFIX)
    return (scope.attributes.replace("-", " "),)


def _left_out(scope: Scope) -> list[str]:
    """What a reader of one way of joining must know."""
    return [
        f"Attributes joined {join} are not part of this run."
        for join in _SUFFIX
        if join not in _joins(scope)
    ]


def _seeds(scope: Scope, join: str) -> tuple[int, ...]:
    return scope.seeds_or(NUM_SEEDS[join], FIRST_SEED)


def _columns(pools: Mapping[str, Pooled]) -> tuple[str, ...]:
    return ("strategy", *(f"{GRAPHS[ego]} ({ego})" for ego in pools))


def _footing(pools: Mapping[str, Pooled]) -> str:
    return footing_of({GRAPHS[ego]: pool for ego, pool in pools.items()})


def _ratio_table(
    name: str, join: str, pools: Mapping[str, Pooled], chosen: Mapping[str, str]
) -> Table:
    rows = [
        (
            f"paper: {agent}",
            *(
                f"{FACEBOOK[ego][agent].oracle_ratio:.2f} ± {FACEBOOK[ego][agent].plus_minus:.2f}"
                for ego in pools
            ),
        )
        for agent in AGENTS
    ]
    rows += ratio_rows(pools)
    rows.append(
        (
            "trellis, memory chosen on validation",
            *(
                f"{pool.estimate('ratio', chosen[ego]).text()}, {chosen[ego].partition('+')[2]}"
                for ego, pool in pools.items()
            ),
        )
    )
    caption = f"Oracle ratio, attributes joined {join} (95 % interval)"
    return Table(name, caption, _columns(pools), tuple(rows), _footing(pools))


def _truncation_table(name: str, join: str, pools: Mapping[str, Pooled]) -> Table:
    rows = [
        (f"paper: {agent}", *(f"{100 * FACEBOOK[ego][agent].truncation_rate:.1f}" for ego in pools))
        for agent in AGENTS
    ]
    rows += percent_rows(pools, "truncated")
    caption = f"Truncated within 100 hops, %, attributes joined {join}"
    return Table(name, caption, _columns(pools), tuple(rows), _footing(pools))


def _win_table(
    name: str,
    join: str,
    pools: Mapping[str, Pooled],
    results: Mapping[str, Sequence[Result]],
) -> Table:
    def among_five(ego: str, agent: str) -> float:
        rates = circle_rates(results[ego], "paper", agent)
        return 100 * sum(rates) / len(rates)

    rows = [
        (f"paper: {agent}", *(f"{100 * FACEBOOK[ego][agent].win_rate:.1f}" for ego in pools))
        for agent in AGENTS
    ]
    rows += [
        (f"{agent}, among the five", *(f"{among_five(ego, agent):.1f}" for ego in pools))
        for agent in AGENTS
    ]
    rows += percent_rows(pools, "wins", ", among all")
    caption = f"Share of wins, %, ties shared, attributes joined {join}"
    return Table(name, caption, _columns(pools), tuple(rows), _footing(pools))


def _difference_table(name: str, join: str, pools: Mapping[str, Pooled]) -> Table:
    duels = (
        ("garden", "distance"),
        ("garden, argmax", "garden"),
        ("garden", "bidirectional"),
        ("garden (exact)", "garden"),
        ("trellis", "garden"),
        ("trellis", "bidirectional+visited"),
        ("trellis, argmax", "trellis"),
        ("trellis+backtrack", "trellis"),
    )
    rows = tuple(difference_rows(pools, duels))
    caption = f"Paired differences of the oracle ratio, attributes joined {join}"
    return Table(name, caption, _columns(pools), rows, _footing(pools))


def _figure(pools: Mapping[str, Pooled]) -> Figure:
    """Bars on a logarithmic scale, told apart by hatching as well as by shade."""
    from matplotlib.figure import Figure

    shades = ("0.95", "0.8", "0.6", "0.45", "0.25", "0.0")
    hatches = ("", "//", "", "\\\\", "", "")
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.add_subplot()
    width = 0.8 / len(_DRAWN)
    for number, label in enumerate(_DRAWN):
        estimates = [pool.estimate("ratio", label) for pool in pools.values()]
        heights = [one.mean for one in estimates]
        errors = [
            [max(0.0, one.mean - one.low) for one in estimates],
            [max(0.0, one.high - one.mean) for one in estimates],
        ]
        axes.bar(
            [place + (number - (len(_DRAWN) - 1) / 2) * width for place in range(len(pools))],
            heights,
            width,
            yerr=errors,
            label=label,
            color=shades[number],
            hatch=hatches[number],
            edgecolor="black",
            linewidth=0.6,
            error_kw={"linewidth": 0.8, "ecolor": "0.35"},
        )
    paper = [FACEBOOK[ego]["garden"].oracle_ratio for ego in pools]
    axes.plot(range(len(pools)), paper, "kD", markersize=5, label="paper's GARDEN", linestyle="")
    axes.set_yscale("log")
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(pools)), [f"{GRAPHS[ego]} ({ego})" for ego in pools])
    axes.set_ylabel("oracle ratio (1 is the shortest path)")
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.17))
    return figure


EXPERIMENT = Experiment("facebook", "Five Facebook graphs (Table 1)", works, report)
