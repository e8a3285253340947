"""One policy for every graph, each time tested on a graph that it was never trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, final

from garden.datasets.task import NUM_PAIRS, SearchTask
from garden.experiments.ours.universal_holdout import (
    CHOOSING_PAIRS,
    HoldoutTraining,
    validation_of_memories,
)
from garden.experiments.paper.published import GRAPHS, title_of
from garden.experiments.report.claims import claim_of_comparison
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import difference_rows, footing_of, percent_rows, ratio_rows
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import BEST_RULE, Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, outcomes_of
from garden.resolve import contender_of, memory_for, strategy_named
from garden.search.compare import compare
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.registry import RULES
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import FACEBOOK, KINDS

NUM_SEEDS = 1
CHOSEN = "memory chosen on validation graphs"
_COMPARISON = ("universal+visited", BEST_RULE)
_ALL_PAIRS = EvaluationConfig(
    split="all", all_pairs=True, episodes_per_pair=1, max_hops=PAPERS_LIMIT
)
_DRAWN_PAIRS = EvaluationConfig(split="all", episodes_per_pair=5, max_hops=PAPERS_LIMIT)
_QUICK_KINDS = (*FACEBOOK, "generated")
_QUICK_UPDATES = 40
_HOW_IT_WAS_MADE = (
    "Every node may be a target, and walks are truncated at 100 hops. A policy is tested on a "
    "graph that it was neither trained nor validated on, nor on any piece of it; for Twitch, on "
    "no graph of Twitch at all; a Facebook graph is tested with the other four among the training "
    "graphs. Ratios on all of these graphs were looked at while universal was made: after those of "
    "facebook:414, generated graphs got dead ends, the inputs got the shape of ego graphs and the "
    "signature of a link, the weight of the return was raised, and the term of similarity was "
    "bounded (at ±1.5, chosen on validation graphs with backtrack among 0, 1, 1.5, 2 and 3). The "
    "policies are the first that the settled code trained."
)


@final
@dataclass(frozen=True)
class _Graph:
    spec: str
    kind: str  # of the curriculum, left out for this graph
    num_pairs: int | None = None  # drawn from all; every pair of nodes where there is no number


TESTED: Mapping[str, _Graph] = {
    **{ego: _Graph(f"facebook:{ego}", f"facebook:{ego}") for ego in GRAPHS},
    "twitch:PTBR": _Graph("twitch:PTBR", "twitch", 20_000),
    "twitch:RU": _Graph("twitch:RU", "twitch", 20_000),
    "musae-facebook": _Graph("musae-facebook", "musae-facebook", 2_000),
}


@final
@dataclass(frozen=True)
class UniversalHoldout(Work):
    """A policy on a graph of the kind that it was trained without, with every memory."""

    kind: ClassVar[str] = "universal-hold-out"

    graph: str
    seed: int
    holdout: HoldoutTraining
    evaluation: EvaluationConfig = field(default_factory=lambda: _ALL_PAIRS)
    num_pairs: int = NUM_PAIRS  # where not all pairs are played

    def to_json(self) -> dict[str, Any]:
        """The unit with the memories that it plays, and how many pairs choose among them."""
        memories = [memory_for(Universal, name).address for name in RULES]
        return {**super().to_json(), "memories": memories, "choosing_pairs": CHOOSING_PAIRS}

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Play the same pairs with each memory and with the best rule; validate the memories.

        Args:
            cache: Whose folder holds the policy, or will.

        Returns:
            Outcomes by contender, ratios of the memories on validation graphs, and how the policy
            was trained.
        """
        policy = self.holdout.policy(cache.policies)
        task = SearchTask.split(graph_of(self.graph), self.seed, self.num_pairs)
        rule, _, memory = BEST_RULE.partition("+")
        contenders = [
            contender_of(BEST_RULE, strategy_named(rule), memory),
            contender_of("universal", policy),
            *(contender_of(f"universal+{name}", policy, name) for name in RULES),
        ]
        return {
            **outcomes_of(compare(task, contenders, self.evaluation)),
            "validation": validation_of_memories(policy, self.holdout.training_graphs()),
            "trained": {"key": self.holdout.key, **policy.training},
        }


def works(scope: Scope) -> Sequence[Work]:
    """Every graph and seed, each with a policy that was trained without that graph."""
    return [work for of in _plan(scope).values() for work in of]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Ratios with every memory, how many walks are truncated, and how far off the best rule is.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    results = {name: [result_of(work) for work in of] for name, of in _plan(scope).items()}
    pools = {name: pooled([_with_chosen(one) for one in of]) for name, of in results.items()}
    chosen = {
        name: ", ".join(dict.fromkeys(chosen_memory(one) for one in of))
        for name, of in results.items()
    }
    return Findings(
        claims=(claim_of_comparison(pools, *_COMPARISON),),
        tables=_tables(pools, chosen),
    )


def chosen_memory(result: Mapping[str, Any]) -> str:
    """The memory with the least oracle ratio on the validation graphs of the policy's training."""
    ratios: Mapping[str, float] = result["validation"]
    return min(ratios, key=ratios.__getitem__)


def _plan(scope: Scope) -> dict[str, list[UniversalHoldout]]:
    """The units by the column of their graph."""
    return {
        title_of(name) if name in GRAPHS else name: [
            UniversalHoldout(
                TESTED[name].spec,
                seed,
                _training(TESTED[name].kind, seed, scope.quick),
                _DRAWN_PAIRS if TESTED[name].num_pairs else _ALL_PAIRS,
                TESTED[name].num_pairs or NUM_PAIRS,
            )
            for seed in scope.seeds_or(NUM_SEEDS, 0)
        ]
        for name in scope.graphs_among(tuple(TESTED), quick=("414", "686"))
    }


def _training(without: str, seed: int, quick: bool) -> HoldoutTraining:
    if quick:
        return HoldoutTraining(
            without, UniversalConfig(updates=_QUICK_UPDATES, seed=seed), _QUICK_KINDS
        )
    return HoldoutTraining(without, UniversalConfig(seed=seed), KINDS)


def _with_chosen(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result with one more contender: universal with the memory that validation chose."""
    contenders = result["contenders"]
    played = contenders[f"universal+{chosen_memory(result)}"]
    return {**result, "contenders": {**contenders, CHOSEN: played}}


def _tables(pools: Mapping[str, Pooled], chosen: Mapping[str, str]) -> tuple[Table, ...]:
    columns = ("strategy", *pools)
    return (
        Table(
            "universal",
            "Oracle ratio on graphs never trained on (95 % interval)",
            columns,
            (*ratio_rows(pools), ("… which", *(chosen[column] for column in pools))),
            f"{footing_of(pools)} {_HOW_IT_WAS_MADE}",
        ),
        Table(
            "universal-differences",
            "Paired differences of the oracle ratio (95 % interval); below 0 the first needs "
            "fewer hops",
            columns,
            tuple(difference_rows(pools, (_COMPARISON,), digits=3)),
        ),
        Table(
            "universal-truncated",
            "Truncated walks, per cent",
            columns,
            tuple(percent_rows(pools, "truncated")),
        ),
    )


EXPERIMENT = Experiment("universal", "One policy for every graph", works, report)
