"""Policies that route on any graph, each trained without one kind: found by address, or trained.

Lessons are made once per process and shared by all policies, whatever each leaves out, so that a
graph's targets are the same for everyone who learns from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from garden.datasets.task import draw_pairs
from garden.experiments.run.config import MAX_HOPS
from garden.experiments.run.jobs import FORMAT, address_of
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.random_streams import HOLDOUT_PAIRS
from garden.search.metrics import expected_hops
from garden.search.rollout import rollout, sampled_distributions
from garden.search.score_blocks import ScoreMemo
from garden.strategies.memory import RULES, memory_for
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import holds_universal, load_universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import KINDS, curriculum

if TYPE_CHECKING:
    from garden.training.universal.train import GraphBatch

CHOOSING_PAIRS = 10_000  # of each validating graph, one walk each: they choose the memory


@final
@dataclass(frozen=True)
class Schooling:
    """How one policy is trained: on all of some kinds of graphs but one kind."""

    without: str
    config: UniversalConfig
    kinds: tuple[str, ...] = KINDS

    def to_json(self) -> dict[str, Any]:
        """Every option with its value, so that another default is another policy."""
        return {
            "without": self.without,
            "kinds": list(self.kinds),
            "config": asdict(self.config),
        }

    @cached_property
    def key(self) -> str:
        """The address."""
        return address_of(["schooling", FORMAT, self.to_json()])

    def folder_in(self, policies: Path) -> Path:
        """Where the policy lies, or will."""
        return policies / self.key[:20]

    def lessons(self) -> list[GraphBatch]:
        """What it is taught, and what it is validated on."""
        return [lesson for lesson in lessons_on(self.kinds) if lesson.kind != self.without]

    def policy(self, policies: Path) -> Universal:
        """The policy: from its folder, or trained now."""
        folder = self.folder_in(policies)
        if not holds_universal(folder):
            self.trained().save(folder, force=True)
        return load_universal(folder)

    def trained(self) -> Universal:
        """The policy, trained."""
        from garden.training.universal.train import (
            train_universal,
            training_record,
            with_best_temperature,
        )

        lessons = self.lessons()
        policy = with_best_temperature(train_universal(lessons, self.config), lessons)
        return replace(policy, training=training_record(self.config, lessons))


@lru_cache(maxsize=1)
def lessons_on(kinds: tuple[str, ...]) -> tuple[GraphBatch, ...]:
    """The lessons of these kinds of graphs, made once per process."""
    from garden.training.universal.train import batch_of

    books = curriculum(without=[kind for kind in KINDS if kind not in kinds])
    return tuple(batch_of(book, number) for number, book in enumerate(books))


def validation_of_memories(policy: Universal, lessons: Sequence[GraphBatch]) -> dict[str, float]:
    """The mean log of the oracle ratio with each memory, every validating graph counting alike."""
    logs = [
        [np.log(ratio) for ratio in _ratios(policy, lesson).values()]
        for lesson in lessons
        if lesson.validates
    ]
    means = np.mean(logs, axis=0)
    return {memory: round(float(mean), 6) for memory, mean in zip(RULES, means, strict=True)}


def _ratios(policy: Universal, lesson: GraphBatch) -> Mapping[str, float]:
    """The oracle ratio with each memory, on the same pairs to the lesson's targets."""
    graph = lesson.links.graph
    rows = policy.represent(ego_graphs(graph))
    pairs = draw_pairs(
        lesson.targets.cpu().numpy(), graph.num_nodes, CHOOSING_PAIRS, [0, HOLDOUT_PAIRS]
    )
    reach = pair_distances(graph, pairs)
    memo = ScoreMemo()

    def ratio(memory: str) -> float:
        walks = rollout(
            graph, policy, rows, pairs, memory_for(policy, memory), MAX_HOPS, 1, 0, scored=memo
        )
        hops = expected_hops(sampled_distributions(walks.hops, MAX_HOPS))
        return float((hops / reach).mean())

    return {memory: ratio(memory) for memory in RULES}
