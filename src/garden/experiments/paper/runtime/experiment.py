"""The runtime table: time per action and per representation, on graphs of growing size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garden.experiments.paper.published import ACTION_TIMES, EMBEDDING_TIMES, GRAPHS, title_of
from garden.experiments.paper.runtime.pooling import Timed, degree_growth, growth, pooled_timings
from garden.experiments.paper.runtime.timing import PARTS, TIMED, Timing
from garden.experiments.report.claims import Claim, claim_by_case, claim_of_signs
from garden.experiments.report.figures import STYLES, new_figure, share_legend
from garden.experiments.report.intervals import Estimate
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BETAS: Mapping[int, float] = {
    200: 130,
    500: 9.5,
    1000: 3.8,
    2000: 1.57,
    5000: 0.62,
    10_000: 0.314,
    20_000: 0.158,
}
"""β of Kaiser–Hilgetag graphs by their size: with the paper's α = 30 each gives a mean degree of
about 21, that of the five Facebook graphs. More nodes stand closer together, so that fewer of
those at any distance must be joined.
"""
_ALPHA = 30
_QUICK_SIZES = (200, 1000, 5000)
MUSAE = "musae-facebook"
GROWING = 1.1
"""A time grows if ten times the nodes multiply it by this or more."""

_DRAWN = ("random", "distance", "bidirectional", "mlpa2c", "garden", "trellis")
_HOLLOW = {"linestyle": "", "markerfacecolor": "white"}


def works(scope: Scope) -> Sequence[Work]:
    """Each graph once; with ``--seeds``, once for each draw of holders and targets."""
    return [work for graph in _graphs(scope).values() for work in _timings(graph, scope)]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table beside the paper's, one of larger graphs, and how times grow.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where ``runtime.png`` and ``.svg`` are written.
    """
    timed = {
        label: pooled_timings(label, [result_of(work) for work in _timings(graph, scope)])
        for label, graph in _graphs(scope).items()
    }
    small = {ego: timed[title_of(ego)] for ego in scope.graphs_among(tuple(GRAPHS))}
    grown = [timed[_size_label(size)] for size in _sizes(scope)]
    large = [*grown, *([timed[MUSAE]] if MUSAE in timed else [])]
    write_figure(folder, "runtime", _figure(small, grown, timed.get(MUSAE)))
    return Findings(
        claims=_claims([*small.values(), *large], grown),
        tables=(_facebook_table(small), _large_table(large), _growth_table(grown)),
        figures=(
            (
                "runtime",
                "Processor time of one action and of one representation against nodes; lines "
                "join Kaiser–Hilgetag graphs of about the same mean degree (in brackets); hollow "
                "marks are the Facebook graphs and, on the far right where it was timed, "
                "musae-facebook",
            ),
        ),
    )


def _sizes(scope: Scope) -> tuple[int, ...]:
    return _QUICK_SIZES if scope.quick else tuple(BETAS)


def _size_label(size: int) -> str:
    return f"n = {size:,}"


def _graphs(scope: Scope) -> dict[str, str]:
    """Specs by what tables call them."""
    facebook = {title_of(ego): f"facebook:{ego}" for ego in scope.graphs_among(tuple(GRAPHS))}
    grown = {
        _size_label(size): f"kaiser-hilgetag:n={size},alpha={_ALPHA},beta={BETAS[size]:g},seed=0"
        for size in _sizes(scope)
    }
    return {**facebook, **grown, **({} if scope.quick else {MUSAE: MUSAE})}


def _timings(graph: str, scope: Scope) -> list[Timing]:
    repeats = 5 if scope.quick else 20
    return [Timing(graph, seed, repeats=repeats) for seed in scope.seeds or (0,)]


def _footing(graphs: Sequence[Timed]) -> str:
    machines = "; ".join(dict.fromkeys(graph.machine for graph in graphs))
    loads = [load for graph in graphs for load in graph.loads]
    counts = sorted({len(graph.holder_degrees) for graph in graphs})
    return (
        "Milliseconds, mean (in brackets: with the median of the repeats; and with that of the "
        "processor's time) over "
        f"{' or '.join(map(str, counts))} targets with a random holder each; batch of one, no "
        f"cached scores. Models have untrained weights, which cost the same. On {machines}; "
        f"load average {min(loads):.1f} to {max(loads):.1f}: more than the CPUs means that times "
        "include waiting."
    )


def _sizes_of(graphs: Sequence[Timed]) -> list[tuple[str, ...]]:
    return [
        ("nodes", *(f"{graph.num_nodes:,}" for graph in graphs)),
        ("mean degree", *(f"{graph.mean_degree:.2f}" for graph in graphs)),
        ("mean degree of the holders", *(f"{graph.holder_degrees.mean():.2f}" for graph in graphs)),
    ]


def _rows_of(part: str, graphs: Sequence[Timed]) -> list[tuple[str, ...]]:
    return [
        (
            f"{part}: {name}",
            *(
                f"{g.means[name, part]:.4f} ({g.medians[name, part]:.4f}; {g.busy(name, part):.4f})"
                for g in graphs
            ),
        )
        for name in TIMED
    ]


def _facebook_table(graphs: Mapping[str, Timed]) -> Table:
    ours = list(graphs.values())
    rows = [
        *_sizes_of(ours),
        *(
            (f"paper, action: {agent}", *(f"{ACTION_TIMES[ego][agent]:.4f}" for ego in graphs))
            for agent in next(iter(ACTION_TIMES.values()))
        ),
        *_rows_of("action", ours),
        (
            "… garden, times the paper's",
            *(
                f"{graph.means['garden', 'action'] / ACTION_TIMES[ego]['garden']:.1f}"
                for ego, graph in graphs.items()
            ),
        ),
        ("paper, representation: garden", *(f"{EMBEDDING_TIMES[ego]:.4f}" for ego in graphs)),
        *_rows_of("representation", ours),
    ]
    return Table(
        "runtime-facebook",
        "Time per action and per representation on the Facebook graphs, ms",
        ("", *(graph.label for graph in ours)),
        tuple(rows),
        _footing(ours) + " The paper's times are from an Intel i7-11800H.",
    )


def _large_table(graphs: Sequence[Timed]) -> Table:
    rows = (*_sizes_of(graphs), *(row for part in PARTS for row in _rows_of(part, graphs)))
    return Table(
        "runtime-larger",
        f"The same on Kaiser–Hilgetag graphs (α = {_ALPHA}, β so that the mean degree stays about "
        "21) and on larger real ones, ms",
        ("", *(graph.label for graph in graphs)),
        rows,
        _footing(graphs),
    )


def _growth_table(grown: Sequence[Timed]) -> Table:
    rows = tuple((name, *(growth(grown, name, part).text() for part in PARTS)) for name in TIMED)
    return Table(
        "runtime-growth",
        "By what ten times the nodes multiply the time, at about the same degree (95 % interval)",
        ("strategy", *PARTS),
        rows,
        "Slope of log time (of the processor, median of repeats) against log n over the "
        "Kaiser–Hilgetag graphs, as a factor; "
        f"the degree of the holders has {degree_growth(grown):.2f}. Intervals by "
        "bootstrap over targets; what else the machine did meanwhile is not in them.",
    )


def _claims(graphs: Sequence[Timed], grown: Sequence[Timed]) -> tuple[Claim, ...]:
    """The paper's claims, on each graph that was timed; growth, on each strategy."""
    every = {one.label: all(one.means[name, "action"] < 1 for name in TIMED) for one in graphs}
    return (
        *(
            claim_by_case(
                f"garden: less than 1 ms for {'an action' if part == 'action' else f'a {part}'}",
                {graph.label: graph.means["garden", part] < 1 for graph in graphs},
            )
            for part in PARTS
        ),
        claim_by_case("every strategy: less than 1 ms for an action", every),
        claim_by_case(
            "an action costs learned agents more than walkers by attributes, and those more than "
            "a random walk",
            {graph.label: _is_in_the_papers_order(graph) for graph in graphs},
        ),
        claim_of_signs(
            f"ten times the nodes multiply the time of an action by less than {GROWING:g}",
            {name: _does_not_grow(growth(grown, name, "action")) for name in TIMED},
        ),
    )


def _does_not_grow(factor: Estimate) -> int:
    return int(factor.high < GROWING) - int(factor.low >= GROWING)


def _is_in_the_papers_order(graph: Timed) -> bool:
    learned = [graph.busy(name, "action") for name in ("garden", "mlpa2c", "mlpa2cwd")]
    attributes = [graph.busy(name, "action") for name in ("greedy", "distance")]
    return min(learned) > max(attributes) and min(attributes) > graph.busy("random", "action")


def _figure(small: Mapping[str, Timed], grown: Sequence[Timed], musae: Timed | None) -> Figure:
    figure = new_figure(11, 5)
    left, right = figure.subplots(1, 2, sharey=True)
    alone = [*small.values(), *([musae] if musae else [])]
    sizes = [graph.num_nodes for graph in small.values()]
    paper = {
        "action": [ACTION_TIMES[ego]["garden"] for ego in small],
        "representation": [EMBEDDING_TIMES[ego] for ego in small],
    }
    for axes, part in ((left, "action"), (right, "representation")):
        _draw_times(axes, part, alone, grown)
        axes.plot(sizes, paper[part], "k+", markersize=9, label="GARDEN in the paper")
        axes.set_title(f"one {part}")
    left.set_ylabel("milliseconds")
    share_legend(figure, left, loc="outside upper center", ncols=7)
    return figure


def _draw_times(axes: Axes, part: str, alone: Sequence[Timed], grown: Sequence[Timed]) -> None:
    """Lines through the grown graphs, hollow marks for the others."""
    for name in _DRAWN:
        look: dict[str, Any] = STYLES[name].line()
        for graphs, style in ((grown, {"label": name}), (alone, _HOLLOW)):
            axes.plot(
                [graph.num_nodes for graph in graphs],
                [graph.busy(name, part) for graph in graphs],
                **{**look, **style},
            )
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(
        [graph.num_nodes for graph in grown],
        [f"{graph.num_nodes:,}\n({graph.mean_degree:.1f})" for graph in grown],
    )
    axes.minorticks_off()
    axes.set_xlabel("nodes (mean degree)")


EXPERIMENT = Experiment(
    "runtime",
    "Time per action (runtime table)",
    works,
    report,
    paper=(
        "Choosing the next holder takes GARDEN well under a millisecond on a CPU, and "
        "embedding an ego graph about as long; both depend on the number of neighbours and "
        "not on the size of the graph. Learned agents cost more than attribute-based walkers, "
        "and those more than a random walk."
    ),
)
