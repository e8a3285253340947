"""What adapting `universal` to one graph buys, centrally and by agents that learn on their own.

The graphs are generated, and none is of the curriculum: the shipped policy has never met them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.datasets.random_attributed import attributed
from garden.datasets.task import SearchTask
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Section, Table
from garden.experiments.report.tables import difference_rows, footing_of, ratio_rows
from garden.experiments.run.config import FIRST_SEED, MAX_HOPS, Scope
from garden.experiments.run.experiment import Experiment, ResultOf, caveat
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import by_target, graph_of
from garden.graphs.graph import Graph
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.strategies.base import Strategy
from garden.strategies.memory import MEMORIES
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import load_universal
from garden.training.universal.config import AdaptConfig

if TYPE_CHECKING:
    from garden.experiments.run.policy_cache import Workbench
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
class Adapting(Work):
    """Both kinds after so many messages, beside the policy that they start from."""

    kind: ClassVar[str] = "adapting"

    graph: str
    seed: int
    messages: tuple[int, ...]
    updates: int = AdaptConfig().updates

    @property
    def title(self) -> str:
        """The graph and the split."""
        return f"{self.graph}, seed {self.seed}"

    def perform(self, bench: Workbench) -> dict[str, Any]:
        """Adapt on training targets, play on test pairs."""
        start = shipped_universal()
        task = SearchTask.split(graph_named(self.graph), seed=self.seed)
        adapted = {
            _label(kind, count): self._adapted(start, task, kind, count)
            for kind in KINDS
            for count in self.messages
        }
        contenders = [
            _contender(label, strategy, memory)
            for memory in PLAYED_WITH
            for label, strategy in [(BASE, start), *adapted.items()]
        ]
        report = compare(
            task,
            contenders,
            EvaluationConfig(episodes_per_pair=EPISODES_PER_PAIR, max_hops=MAX_HOPS),
        )
        return {
            "task_hash": report.task_hash,
            "targets": np.unique(report.pairs[:, 1]).tolist(),
            "num_pairs": len(report.pairs),
            "entrants": {one.name: by_target(report, one) for one in report.results},
            "facts": {label: dict(policy.record) for label, policy in adapted.items()},
        }

    def _adapted(self, start: Universal, task: SearchTask, kind: str, count: int) -> Adapted:
        from garden.training.universal.adapt import adapt_universal
        from garden.training.universal.adapt_local import adapt_locally

        config = AdaptConfig(updates=self.updates, local=kind == "local", messages=count)
        return (adapt_locally if config.local else adapt_universal)(start, task, config)


def shipped_universal() -> Universal:
    """The policy that comes with the package."""
    with as_file(files("garden") / "weights" / "universal") as folder:
        return load_universal(folder)


def graph_named(spec: str) -> Graph:
    """The graph of a spec; `attributed:seed=N` is one of the kinds that are generated."""
    family, _, seed = spec.partition(":seed=")
    return attributed(int(seed)) if family == "attributed" else graph_of(spec)


def works(scope: Scope) -> Sequence[Work]:
    """Every graph, every seed."""
    return [work for some in _works(scope).values() for work in some]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Section:
    """A table for messages without a memory, one for those that can turn back."""
    planned = _works(scope)
    pools = {name: pooled([result_of(one) for one in some]) for name, some in planned.items()}
    messages = next(iter(planned.values()))[0].messages
    return Section(
        name="adapt",
        title=EXPERIMENT.title,
        command=scope.command("adapt"),
        claim="None of the paper's, which trains a policy for each graph.",
        findings=(
            *caveat(scope),
            _room(pools),
            *(_finding(pools, kind, count) for count in messages for kind in KINDS),
        ),
        tables=(_ratios(pools), _differences(pools, messages)),
    )


def _ratios(pools: Mapping[str, Pooled]) -> Table:
    caption = (
        "Oracle ratio on test pairs, by the number of messages to training targets that were "
        "learned from"
    )
    return Table(
        "adapt", caption, ("", *pools), tuple(ratio_rows(pools)), f"{footing_of(pools)} {_METHOD}"
    )


def _differences(pools: Mapping[str, Pooled], messages: Sequence[int]) -> Table:
    duels = [
        (_with(_label(kind, count), memory), _with(BASE, memory))
        for memory in PLAYED_WITH
        for kind in KINDS
        for count in messages
    ]
    return Table(
        "adapt-differences",
        "Paired differences of the oracle ratio (95 % interval)",
        ("", *pools),
        tuple(difference_rows(pools, duels)),
        footing_of(pools),
    )


_METHOD = (
    "The central kind knows the graph, so that a message tells it no more than its target; the "
    "local kind learns from the message's outcome alone. Local agents, and all with a memory, are "
    f"played by sampling, {EPISODES_PER_PAIR} walks a pair."
)


def _works(scope: Scope) -> dict[str, list[Adapting]]:
    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    messages = QUICK_MESSAGES if scope.quick else MESSAGES
    updates = 5 if scope.quick else AdaptConfig().updates
    return {
        name: [Adapting(GRAPHS[name], seed, messages, updates) for seed in seeds]
        for name in scope.graphs_among(tuple(GRAPHS))
    }


def _contender(label: str, strategy: Strategy, memory: str) -> Contender:
    rule = MEMORIES[memory]
    trust = getattr(strategy, "edge_bias", None)
    return Contender(
        _with(label, memory), strategy, rule if trust is None else trust.with_memory(rule)
    )


def _label(kind: str, count: int) -> str:
    return f"{kind}, {count:,} messages"


def _with(label: str, memory: str) -> str:
    return label if memory == "none" else f"{label} +{memory}"


def _room(pools: Mapping[str, Pooled]) -> str:
    near = sum(pool.estimate("ratio", BASE).mean < NEAR for pool in pools.values())
    return (
        f"On {near} of {len(pools)} graphs universal needs less than {NEAR} times the shortest "
        "path as it is: hardly anything is left to buy there."
    )


def _finding(pools: Mapping[str, Pooled], kind: str, count: int) -> str:
    def told(memory: str) -> str:
        label, base = _with(_label(kind, count), memory), _with(BASE, memory)
        gaps = [pool.difference("ratio", label, base) for pool in pools.values()]
        ratios = [
            pool.estimate("ratio", label).mean / pool.estimate("ratio", base).mean
            for pool in pools.values()
        ]
        fewer, more = (sum(gap.sign == sign for gap in gaps) for sign in (-1, 1))
        change = 100 * (np.exp(np.mean(np.log(ratios))) - 1)
        return f"{change:+.0f} % (fewer hops for sure on {fewer}, more on {more})"

    return (
        f"{_label(kind, count).capitalize()}: the oracle ratio changes by {told('none')} of "
        f"{len(pools)} graphs, and with backtrack by {told('backtrack')}."
    )


EXPERIMENT = Experiment("adapt", "Adapting universal to one graph", works, report)
