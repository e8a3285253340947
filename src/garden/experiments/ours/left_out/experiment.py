"""`garden reproduce left-out`: `universal` on graphs and on families that its training lacked.

Each real graph is played by three policies: one trained without it and its kin, one without its
whole family, and one trained on everything; beside them the shipped `universal` and rules that
need no training. Generated graphs, those whose profiles say nothing among them, are one family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

from garden.experiments.ours.left_out.graphs import (
    folds,
    generated_specs,
    graph_named,
    real_sources,
)
from garden.experiments.ours.left_out.holdouts import LeftOutTraining
from garden.experiments.ours.left_out.play import played
from garden.experiments.ours.left_out.tables import (
    EARLIER,
    EXPLORE,
    FAMILY,
    GRAPH,
    MEMORY,
    RULES,
    TAUGHT,
    findings_of,
    label_of,
)
from garden.experiments.report.sections import Findings
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work, later
from garden.experiments.run.policy_cache import PolicyCache
from garden.resolve import strategy_named
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.training_set import GENERATED, sources

CONFIG = UniversalConfig(updates=1500, bound=3.0)
_QUICK_CONFIG = UniversalConfig(updates=20)
MAX_PAIRS: Mapping[str, int] = {
    "collection:blogs/blogcatalog": 200,
    "collection:amazon/photo": 600,
    "positions": 4000,
}
"""Graphs of which fewer pairs are played, since a score costs up to 0.3 ms there."""
_MANY_NODES, _MANY_PAIRS = 2900, 2000


@final
@dataclass(frozen=True)
class LeftOut(Work):
    """One policy, or the rules, on one graph."""

    kind: ClassVar[str] = "left-out"

    graph: str
    who: str
    """``rules``, or one of :data:`.tables.POLICIES`."""

    training: LeftOutTraining | None = None
    memory: str = later(MEMORY)
    """What a policy plays with; rules have their own."""

    @property
    def title(self) -> str:
        """The graph and who plays it."""
        return f"{self.graph}, {label_of(self.who, self.memory)}"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Play the pairs of the graph.

        Args:
            cache: Whose folder holds the policy, or will.

        Returns:
            What :func:`.play.played` gives.
        """
        graph = graph_named(self.graph)
        limit = MAX_PAIRS.get(self.graph, _MANY_PAIRS if graph.num_nodes > _MANY_NODES else None)
        if self.who == "rules":
            return played(graph, RULES, max_pairs=limit)
        policy: Any = (
            strategy_named(EARLIER)
            if self.training is None
            else self.training.policy(cache.policies)
        )
        assert isinstance(policy, Universal)
        return played(graph, [f"{self.who}+{self.memory}"], policy, max_pairs=limit)


def works(scope: Scope) -> Sequence[Work]:
    """Every graph with the rules, `universal`, and the policies that lack it."""
    families = {source.spec: source.family for source in real_sources()}
    names = scope.graphs_among((*families, *generated_specs()), quick=("facebook:414",))
    config = _QUICK_CONFIG if scope.quick else CONFIG
    return [
        work for name in names for work in _works_of(name, families.get(name), config, scope.quick)
    ]


def _works_of(name: str, family: str | None, config: UniversalConfig, quick: bool) -> list[LeftOut]:
    relatives = tuple(source.spec for source in sources() if source.family == (family or GENERATED))
    found = [
        LeftOut(name, "rules"),
        LeftOut(name, EARLIER),
        LeftOut(name, FAMILY, LeftOutTraining(relatives, config)),
        LeftOut(name, TAUGHT, LeftOutTraining((), config)),
        LeftOut(name, EARLIER, None, EXPLORE),
    ]
    if family is not None:
        # A quick run does not compare all graphs with each other.
        fold = (name,) if quick else next(fold for fold in folds() if name in fold)
        without = LeftOutTraining(fold, config)
        found += [LeftOut(name, GRAPH, without, memory) for memory in (MEMORY, EXPLORE)]
    return found


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Ratios by graph and by family, and where the policy is worse than the best of the rules.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    results: dict[str, dict[str, Any]] = {}
    for work in works(scope):
        assert isinstance(work, LeftOut)
        who = label_of(work.who, work.memory)
        results.setdefault(work.graph, {})[who] = result_of(work)
    families = {source.spec: source.family for source in real_sources()}
    return findings_of(results, families, () if scope.quick else folds())


EXPERIMENT = Experiment("left-out", "Graphs and families left out", works, report)
