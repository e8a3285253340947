"""Hold-out training of the policy for every graph: each policy does without one kind of graph.

Training graphs are made once per process and shared by all policies, whatever each leaves out, so
that a graph's targets are the same in every training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.datasets.task import draw_pairs
from garden.experiments.run.jobs import FORMAT, address_of
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.random_streams import HOLDOUT_PAIRS
from garden.resolve import memory_for
from garden.search.config import PAPERS_LIMIT
from garden.search.metrics import expected_hops
from garden.search.rollout import rollout, sampled_distributions
from garden.strategies.base import ScoreMemo
from garden.strategies.registry import RULES
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import holds_universal, load_universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import KINDS, curriculum

if TYPE_CHECKING:
    from garden.training.universal.train import GraphBatch

LATER_FEATURES = (
    "distinct", "alike", "blank", "distinct_t", "alike_t", "blank_t", "direct", "direct_log",
)  # fmt: skip
"""Features that came after these policies, which do without them."""
CHOOSING_PAIRS = 10_000  # of each validating graph, one walk each: they choose the memory


class UniversalTraining(ABC):
    """How one policy is trained, by whose address it is found again."""

    kind: ClassVar[str]

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Every option with its value, so that another default is another policy."""

    @abstractmethod
    def trained(self) -> Universal:
        """The policy, trained now."""

    @cached_property
    def key(self) -> str:
        """The address of this training."""
        return address_of([self.kind, FORMAT, self.to_json()])

    def policy(self, policies: Path) -> Universal:
        """The policy: from its folder among these, or trained now."""
        folder = policies / self.key[:20]
        if not holds_universal(folder):
            self.trained().save(folder, force=True)
        return load_universal(folder)


@final
@dataclass(frozen=True)
class HoldoutTraining(UniversalTraining):
    """How one policy is trained: on some kinds of graphs, without one of them."""

    kind: ClassVar[str] = "hold-out-training"

    without: str
    """The kind that is held out, neither trained nor validated on."""

    config: UniversalConfig
    kinds: tuple[str, ...] = KINDS

    def to_json(self) -> dict[str, Any]:
        """Every option with its value, so that another default is another policy.

        What the network does not see is the same for all of these policies, and older than the
        option that says so.
        """
        config = asdict(self.config)
        return {
            "without": self.without,
            "kinds": list(self.kinds),
            "config": {name: value for name, value in config.items() if name != "ignored"},
        }

    def training_graphs(self) -> list[GraphBatch]:
        """What it is trained on, and what it is validated on."""
        return [one for one in training_graphs_of(self.kinds) if one.kind != self.without]

    def trained(self) -> Universal:
        """The policy, trained now on graphs of the kinds that are not held out."""
        from garden.training.universal.train import (
            train_universal,
            training_record,
            with_best_temperature,
        )

        graphs = self.training_graphs()
        config = replace(self.config, ignored=LATER_FEATURES)
        policy = with_best_temperature(train_universal(graphs, config), graphs)
        return replace(policy, training=training_record(self.config, graphs))


@lru_cache(maxsize=1)
def training_graphs_of(kinds: tuple[str, ...]) -> tuple[GraphBatch, ...]:
    """The training graphs of these kinds, made once per process."""
    from garden.training.universal.train import batch_of

    graphs = curriculum(without=[kind for kind in KINDS if kind not in kinds])
    return tuple(batch_of(graph, number) for number, graph in enumerate(graphs))


def validation_of_memories(policy: Universal, graphs: Sequence[GraphBatch]) -> dict[str, float]:
    """The mean log of the oracle ratio with each memory, every validation graph counting alike.

    Args:
        policy: The policy.
        graphs: Training graphs; those that validate are played.

    Returns:
        The mean by the name of the memory, rounded to six digits.
    """
    logs = [
        [np.log(ratio) for ratio in _ratios(policy, graph).values()]
        for graph in graphs
        if graph.validates
    ]
    means = np.mean(logs, axis=0)
    return {memory: round(float(mean), 6) for memory, mean in zip(RULES, means, strict=True)}


def _ratios(policy: Universal, validation: GraphBatch) -> Mapping[str, float]:
    """The oracle ratio with each memory, on the same pairs to the graph's validation targets."""
    graph = validation.links.graph
    rows = policy.represent(ego_graphs(graph))
    pairs = draw_pairs(
        validation.targets.cpu().numpy(), graph.num_nodes, CHOOSING_PAIRS, [0, HOLDOUT_PAIRS]
    )
    reach = pair_distances(graph, pairs)
    memo = ScoreMemo()

    def ratio(memory: str) -> float:
        walks = rollout(
            graph, policy, rows, pairs, memory_for(policy, memory), PAPERS_LIMIT, 1, 0, scored=memo
        )
        hops = expected_hops(sampled_distributions(walks.hops, PAPERS_LIMIT))
        return float((hops / reach).mean())

    return {memory: ratio(memory) for memory in RULES}
