"""Whether a recurrent state in the message, which the paper suggests, helps trellis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from garden.experiments.paper.published import GRAPHS
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Section, Table
from garden.experiments.report.tables import difference_rows, footing_of
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf, caveat
from garden.experiments.run.jobs import Comparison, Entrant, Training, Work
from garden.strategies.memory import RECURRENT, RULES
from garden.training.config import TrainingOptions

EGOS = ("0", "3437")
NUM_SEEDS = 5
OPTIONS = TrainingOptions(model="trellis", method="guided", memory_updates=300)
_QUICK = replace(OPTIONS, updates=40, memory_updates=5)
_LEARNED = f"trellis+{RECURRENT}"
_DUELS = ((_LEARNED, "trellis"), *((_LEARNED, f"trellis+{rule}") for rule in RULES))


def comparison(ego: str, seed: int, quick: bool) -> Comparison:
    """One policy under every memory, on one split."""
    graph = f"facebook:{ego}"
    training = Training(graph, seed, _QUICK if quick else OPTIONS)
    memories = (RECURRENT, *RULES)
    entrants = (
        Entrant("trellis", training),
        *(Entrant(f"trellis+{memory}", training, memory) for memory in memories),
    )
    return Comparison(graph, seed, entrants)


def works(scope: Scope) -> Sequence[Work]:
    """The two graphs that leave room, every seed."""
    return [work for some in _works(scope).values() for work in some]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Section:
    """Ratios and paired differences."""
    pools = {ego: pooled([result_of(one) for one in of]) for ego, of in _works(scope).items()}
    columns = ("", *(f"{GRAPHS[ego]} ({ego})" for ego in pools))
    footing = footing_of({GRAPHS[ego]: pool for ego, pool in pools.items()})
    rows = tuple(
        (label, *(_cell(pool, label) for pool in pools.values()))
        for label in next(iter(pools.values())).labels
    )
    return Section(
        name="recurrent",
        title=EXPERIMENT.title,
        command=scope.command("recurrent"),
        claim="A memory in the message, such as a recurrent network, may help (future work).",
        findings=(*caveat(scope), *(_finding(ego, pool) for ego, pool in pools.items())),
        tables=(
            Table(
                "recurrent",
                "Oracle ratio on test pairs, mean over seeds (worst seed), and how many truncated",
                columns,
                rows,
                footing,
            ),
            Table(
                "recurrent-differences",
                "Paired differences of the oracle ratio (95 % interval)",
                columns,
                tuple(difference_rows(pools, _DUELS)),
                footing,
            ),
        ),
    )


def _works(scope: Scope) -> dict[str, list[Comparison]]:
    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    return {
        ego: [comparison(ego, seed, scope.quick) for seed in seeds]
        for ego in scope.graphs_among(EGOS)
    }


def _cell(pool: Pooled, label: str) -> str:
    ratio = f"{pool.estimate('ratio', label).mean:.3f} ({pool.worst('ratio', label):.3f})"
    return f"{ratio}, {100 * pool.estimate('truncated', label).mean:.2f} %"


def _finding(ego: str, pool: Pooled) -> str:
    words = {
        -1: "fewer hops than",
        0: "no more and no fewer hops for sure than",
        1: "more hops than",
    }

    def against(other: str) -> str:
        gap = pool.difference("ratio", _LEARNED, other)
        return f"{words[gap.sign]} {other} ({gap.text(3)})"

    best = min(
        (f"trellis+{rule}" for rule in RULES), key=lambda one: pool.estimate("ratio", one).mean
    )
    return (
        f"{GRAPHS[ego]}: the recurrent state needs {against('trellis')}, and {against(best)}, the "
        "best of the rules here."
    )


EXPERIMENT = Experiment("recurrent", "A recurrent state in the message", works, report)
