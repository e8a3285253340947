"""Trellis on real graphs of thousands of nodes, where no table of all pairs fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from garden.experiments.columns import Row, footing_of
from garden.experiments.config import FIRST_SEED, Scope
from garden.experiments.experiment import Experiment, ResultOf, caveat
from garden.experiments.headline import BEST_RULE
from garden.experiments.outputs import Section, Table
from garden.experiments.statistics import Pooled, pooled
from garden.experiments.work import Comparison, Entrant, Training, Work
from garden.search.config import EvaluationConfig
from garden.training.config import TrainingOptions

_MEMORIES = ("visited", "backtrack", "frontier")
_QUICK_UPDATES = 10


@final
@dataclass(frozen=True)
class _Graph:
    num_seeds: int
    options: TrainingOptions


GRAPHS: Mapping[str, _Graph] = {
    "twitch:PTBR": _Graph(10, TrainingOptions(updates=1200, validate_every=100)),
    "musae-facebook": _Graph(3, TrainingOptions(updates=2500, validate_every=250)),
}


def comparison(graph: str, seed: int, split: str, quick: bool) -> Comparison:
    """Trellis with every memory, and on test targets the best rule without training."""
    options = GRAPHS[graph].options
    if quick:
        options = replace(options, updates=_QUICK_UPDATES)
    training = Training(graph, seed, options)
    entrants = [Entrant(f"trellis+{memory}", training, memory) for memory in _MEMORIES]
    if split == "test":
        rule = Entrant(BEST_RULE, "bidirectional", "visited")
        entrants = [rule, Entrant("trellis", training), *entrants]
    return Comparison(graph, seed, tuple(entrants), EvaluationConfig(split=split))  # type: ignore[arg-type]


def works(scope: Scope) -> Sequence[Work]:
    """Every graph, every seed: validation targets, which choose the memory, and test targets."""
    return [
        comparison(graph, seed, split, scope.quick)
        for graph in scope.graphs_among(tuple(GRAPHS))
        for seed in _seeds(scope, graph)
        for split in ("test", "validation")
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Section:
    """One table."""
    graphs = scope.graphs_among(tuple(GRAPHS))

    def of(graph: str, split: str) -> Pooled:
        seeds = _seeds(scope, graph)
        return pooled([result_of(comparison(graph, seed, split, scope.quick)) for seed in seeds])

    pools = {graph: of(graph, "test") for graph in graphs}
    chosen = {graph: _best(of(graph, "validation")) for graph in graphs}
    rows = [
        (label, *(_cell(pool, label) for pool in pools.values()))
        for label in next(iter(pools.values())).labels
    ]
    rows.append(
        ("memory chosen on validation", *(chosen[graph].partition("+")[2] for graph in graphs))
    )
    return Section(
        name="larger",
        title=EXPERIMENT.title,
        command=scope.command("larger"),
        claim="None of the paper's, whose graphs have up to 532 nodes.",
        findings=(
            *caveat(scope),
            *(_finding(graph, pools[graph], chosen[graph]) for graph in graphs),
        ),
        tables=(_table(graphs, rows, footing_of(pools)),),
    )


def _table(graphs: Sequence[str], rows: Sequence[Row], footing: str) -> Table:
    caption = "Oracle ratio on test pairs, mean over seeds (worst seed), and how many are truncated"
    return Table("larger", caption, ("strategy", *graphs), tuple(rows), footing)


def _seeds(scope: Scope, graph: str) -> tuple[int, ...]:
    return scope.seeds_or(GRAPHS[graph].num_seeds, FIRST_SEED)


def _best(pool: Pooled) -> str:
    return min(pool.labels, key=lambda label: pool.estimate("ratio", label).mean)


def _cell(pool: Pooled, label: str) -> str:
    truncated = 100 * pool.estimate("truncated", label).mean
    ratio = f"{pool.estimate('ratio', label).mean:.3f} ({pool.worst('ratio', label):.3f})"
    return f"{ratio}, {truncated:.2f} %"


def _finding(graph: str, pool: Pooled, chosen: str) -> str:
    def ratio(label: str) -> str:
        return pool.estimate("ratio", label).text(3)

    gap = pool.difference("ratio", chosen, BEST_RULE)
    words = {-1: "fewer hops than", 0: "not to be told from", 1: "more hops than"}
    return (
        f"{graph}: trellis needs {ratio('trellis')} times the shortest path without a memory and "
        f"{ratio(chosen)} with the one that validation chose, {words[gap.sign]} the best rule "
        f"without training ({ratio(BEST_RULE)}; difference {gap.text(3)})."
    )


EXPERIMENT = Experiment("larger", "Trellis on larger graphs", works, report)
