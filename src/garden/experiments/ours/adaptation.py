"""What adapting `universal` to one graph buys, centrally and by agents that learn on their own.

The graphs are generated, and none is of the curriculum: the shipped policy has never met them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

from garden.datasets.task import SearchTask
from garden.experiments.report.claims import Claim, claim_by_case, claim_of_comparison
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import difference_rows, footing_of, ratio_rows
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import outcomes_of, task_of
from garden.resolve import contender_of, strategy_named
from garden.search.compare import compare
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import AdaptConfig

if TYPE_CHECKING:
    from garden.experiments.run.policy_cache import PolicyCache
    from garden.strategies.universal.adapted import Adapted

GRAPHS: Mapping[str, str] = {
    "sparse": "kaiser-hilgetag:n=300,alpha=30,beta=0.1,seed=2001",
    "dense": "kaiser-hilgetag:n=300,alpha=30,beta=0.5,seed=2002",
    **{f"generated-{seed}": f"attributed:seed={seed}" for seed in range(2001, 2005)},
}
MESSAGES = (100, 1_000, 10_000)
QUICK_MESSAGES = (20, 50)
NUM_SEEDS = 3
EPISODES_PER_PAIR = 5
KINDS = ("central", "local")
PLAYED_WITH = ("none", "backtrack")
BASE = "universal"
NEAR = 1.05


@final
@dataclass(frozen=True)
class Adaptation(Work):
    """Both ways of adapting after some numbers of messages, beside the policy they start from."""

    kind: ClassVar[str] = "adaptation"

    graph: str
    seed: int
    messages: tuple[int, ...]
    updates: int = AdaptConfig().updates

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Adapt on training targets, play on test pairs.

        Args:
            cache: Where policies come from; none is needed.

        Returns:
            Outcomes by contender, and under ``adapted`` the record of each adaptation.
        """
        start = strategy_named(BASE)
        assert isinstance(start, Universal)
        task = task_of(self.graph, self.seed)
        adapted = {
            label_of(kind, count): self._adapted(start, task, kind, count)
            for kind in KINDS
            for count in self.messages
        }
        contenders = [
            contender_of(with_memory(label, memory), strategy, memory)
            for memory in PLAYED_WITH
            for label, strategy in [(BASE, start), *adapted.items()]
        ]
        evaluation = EvaluationConfig(episodes_per_pair=EPISODES_PER_PAIR, max_hops=PAPERS_LIMIT)
        return {
            **outcomes_of(compare(task, contenders, evaluation)),
            "adapted": {label: dict(policy.record) for label, policy in adapted.items()},
        }

    def _adapted(self, start: Universal, task: SearchTask, kind: str, count: int) -> Adapted:
        from garden.training.universal.adapt import adapt_universal
        from garden.training.universal.adapt_local import adapt_locally

        config = AdaptConfig(updates=self.updates, local=kind == "local", messages=count)
        return (adapt_locally if config.local else adapt_universal)(start, task, config)


def works(scope: Scope) -> Sequence[Work]:
    """Every graph with every seed: adapted from each number of messages, in both ways."""
    return [work for some in _works(scope).values() for work in some]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table for messages without a memory, one for those that can turn back.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    planned = _works(scope)
    pools = {name: pooled([result_of(one) for one in some]) for name, some in planned.items()}
    messages = next(iter(planned.values()))[0].messages
    return Findings(
        claims=_claims(pools, messages),
        tables=(
            Table(
                "adapt",
                "Oracle ratio on test pairs, by the number of messages to training targets that "
                "were learned from",
                ("", *pools),
                tuple(ratio_rows(pools)),
                f"{footing_of(pools)} {_METHOD}",
            ),
            Table(
                "adapt-differences",
                "Paired differences of the oracle ratio (95 % interval)",
                ("", *pools),
                tuple(difference_rows(pools, _comparisons(messages))),
                footing_of(pools),
            ),
        ),
    )


_METHOD = (
    "The central kind knows the graph, so that a message gives it no more than a target; the "
    "local kind learns from the message's outcome alone. Local agents, and all with a memory, are "
    f"played by sampling, {EPISODES_PER_PAIR} walks a pair."
)


def _works(scope: Scope) -> dict[str, list[Adaptation]]:
    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    messages = QUICK_MESSAGES if scope.quick else MESSAGES
    updates = 5 if scope.quick else AdaptConfig().updates
    return {
        name: [Adaptation(GRAPHS[name], seed, messages, updates) for seed in seeds]
        for name in scope.graphs_among(tuple(GRAPHS))
    }


def label_of(kind: str, count: int) -> str:
    """A policy adapted in one of two ways, from so many messages.

    Args:
        kind: ``central`` or ``local``.
        count: How many messages it learned from.
    """
    return f"{kind}, {count:,} messages"


def with_memory(label: str, memory: str) -> str:
    """The label of a policy that is played with a memory.

    Args:
        label: The policy's own label.
        memory: ``none`` leaves the label as it is.
    """
    return label if memory == "none" else f"{label} +{memory}"


def _comparisons(messages: Sequence[int]) -> list[tuple[str, str]]:
    """Each adapted policy beside the one that it starts from, with the same memory."""
    return [
        (with_memory(label_of(kind, count), memory), with_memory(BASE, memory))
        for memory in PLAYED_WITH
        for kind in KINDS
        for count in messages
    ]


def _claims(pools: Mapping[str, Pooled], messages: Sequence[int]) -> tuple[Claim, ...]:
    near = {name: pool.mean("ratio", BASE) < NEAR for name, pool in pools.items()}
    return (
        claim_by_case(f"{BASE}, not adapted: an oracle ratio below {NEAR:g}", near),
        *(claim_of_comparison(pools, mine, base) for mine, base in _comparisons(messages)),
    )


EXPERIMENT = Experiment("adapt", "Adapting universal to one graph", works, report)
