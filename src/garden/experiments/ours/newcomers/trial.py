"""One agent among newcomers, as a unit of work: trained without them, tested with them as targets.

Everything is played from all sources: without a memory, exactly, and with each memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from garden.datasets.task import SearchTask
from garden.experiments.ours.newcomers.worlds import Removal, World, task_towards, world_of
from garden.experiments.ours.universal_holdout import HoldoutTraining
from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, outcomes_of
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.models.trellis.old_neighbours import ByOldNeighbours
from garden.resolve import contender_of, strategy_named
from garden.search.compare import compare
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.base import Strategy
from garden.strategies.explore import ExploreMemory
from garden.strategies.registry import RULES
from garden.training.config import TrainingOptions
from garden.training.universal.config import AdaptConfig, UniversalConfig
from garden.training.universal.curriculum import MUSAE

if TYPE_CHECKING:
    from garden.strategies.universal.policy import Universal

AgentKind = Literal["trained", "rule", "universal", "adapted"]
MEMORYLESS = "none"
EVALUATION = EvaluationConfig(all_pairs=True, episodes_per_pair=5, max_hops=PAPERS_LIMIT)
WITHOUT_FACEBOOK = HoldoutTraining("facebook", UniversalConfig(), ("twitch", MUSAE, "generated"))
"""`universal` that no Facebook ego network was ever shown to, so that none of these graphs' kin
was."""


@final
@dataclass(frozen=True)
class Agent:
    """What searches for newcomers: a trained model with its options, or a rule."""

    label: str
    kind: AgentKind = "trained"
    options: TrainingOptions = field(default_factory=TrainingOptions)
    size: ModelConfig = field(default_factory=ModelConfig)
    rule: str = ""
    """The name of a rule without training."""
    trained_as: str = ""
    """The label of the agent whose policy it plays by old neighbours; empty for its own."""

    def training(self, graph: str, seed: int) -> Training:
        """How it is trained, by the graph's spec and the seed of the split of training targets."""
        return Training(graph, seed, self.options, self.size)


@final
@dataclass(frozen=True)
class NewcomerTrial(Work):
    """One agent, one draw of newcomers."""

    kind: ClassVar[str] = "newcomer-trial"

    graph: str
    seed: int
    agent: Agent
    removal: Removal = "a tenth"
    index: int = 0

    @property
    def title(self) -> str:
        """The graph, the draw and the agent."""
        which = f", node {self.index}" if self.removal == "one" else ""
        return f"{self.graph}, {self.removal}, seed {self.seed}{which}: {self.agent.label}"

    def to_json(self) -> dict[str, Any]:
        """The unit as plain values, with whatever its agent is made from."""
        agent = self.agent
        content: dict[str, Any] = {
            "graph": self.graph,
            "seed": self.seed,
            "removal": self.removal,
            "index": self.index,
            "agent": agent.label,
            "kind": agent.kind,
            "rule": agent.rule,
        }
        if agent.kind == "trained":
            content["training"] = agent.training(self.graph, self.seed).to_json()
            if agent.trained_as:
                content["by"] = [*ByOldNeighbours.address, ExploreMemory.name]
        elif agent.kind != "rule":
            content["universal"] = WITHOUT_FACEBOOK.to_json()
        return content

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Train on what is left of the graph, put newcomers back, and play.

        Args:
            cache: Says where policies lie and where to train.

        Returns:
            Outcomes by contender, under ``test``, ``detached``, ``ordinary`` and ``validation``;
            how many nodes there are; and how the agent was trained.
        """
        world = world_of(graph_of(self.graph), self.seed, self.removal, self.index)
        task = SearchTask.split(world.training, seed=self.seed)
        strategy, trained = self._agent(task, cache)

        def towards(graph: Graph, targets: np.ndarray) -> dict[str, Any] | None:
            return self._played(strategy, graph, targets) if len(targets) else None

        chosen = world.validation
        return {
            "test": towards(world.test.graph, world.test.attached),
            "detached": towards(world.test.graph, world.test.detached),
            "ordinary": towards(world.training, task.test_targets),
            "validation": (
                towards(chosen.graph, chosen.attached)
                if chosen
                else towards(world.training, task.validation_targets)
            ),
            "num_nodes": sizes_of(world),
            "trained": trained,
        }

    def _played(self, strategy: Strategy, graph: Graph, targets: np.ndarray) -> dict[str, Any]:
        explores = (ExploreMemory.name,) if self.agent.trained_as else ()
        memories = (MEMORYLESS, *RULES, *explores)
        contenders = [contender_of(memory, strategy, memory) for memory in memories]
        task = task_towards(graph, targets, self.seed)
        return outcomes_of(compare(task, contenders, EVALUATION))

    def _agent(self, task: SearchTask, cache: PolicyCache) -> tuple[Strategy, dict[str, Any]]:
        """The strategy, and how it was trained."""
        if self.agent.kind == "rule":
            return strategy_named(self.agent.rule), {}
        if self.agent.kind == "trained":
            return self._trained(task, cache)
        policy = WITHOUT_FACEBOOK.policy(cache.policies)
        record = {"key": WITHOUT_FACEBOOK.key}
        if self.agent.kind == "universal":
            return policy, record
        return adapted_to(policy, task, record)

    def pretrain(self, cache: PolicyCache) -> None:
        """Train the policy on what is left of the graph, where it is not there yet.

        Args:
            cache: Says where policies lie and where to train.
        """
        if self.agent.kind == "trained" and not self.is_trained(cache):
            world = world_of(graph_of(self.graph), self.seed, self.removal, self.index)
            self._train(SearchTask.split(world.training, seed=self.seed), cache)

    def is_trained(self, cache: PolicyCache) -> bool:
        """Whether its policy lies in the cache, trained to the end."""
        from garden.training.run import SUMMARY_FILE

        return (self.folder_in(cache) / SUMMARY_FILE).exists()

    def folder_in(self, cache: PolicyCache) -> Path:
        """Where its policy lies, or will."""
        return cache.policies / self._own_training.key[:20]

    def _train(self, task: SearchTask, cache: PolicyCache) -> None:
        from garden.training.config import RunOptions
        from garden.training.run import train_seeds

        options = self.agent.training(self.graph, self.seed).full_options
        device = RunOptions(device=cache.device)
        folders = [self.folder_in(cache)]
        train_seeds([task], options, self.agent.size, device, folders=folders, force=True)

    def _trained(self, task: SearchTask, cache: PolicyCache) -> tuple[Strategy, dict[str, Any]]:
        from garden.models.policy_files import load_policy
        from garden.training.run import SUMMARY_FILE

        if not self.is_trained(cache):
            self._train(task, cache)
        folder = self.folder_in(cache)
        summary = json.loads((folder / SUMMARY_FILE).read_text(encoding="utf-8"))
        policy = load_policy(folder)
        kept = ("seconds", "updates", "best_update", "validation_ratio", "temperature")
        how = {name: policy.info.training.get(name) for name in ("device", "stack", "versions")}
        record = {**how, **{name: summary.get(name) for name in kept}}
        if self.agent.trained_as:
            return ByOldNeighbours.of(policy, task.graph), record
        return policy, record

    @property
    def _own_training(self) -> NewcomerTrial:
        """The trial by which the policy is trained and stored."""
        label = self.agent.trained_as
        if not label:
            return self
        return replace(self, agent=replace(self.agent, label=label, trained_as=""))


def adapted_to(
    policy: Universal, task: SearchTask, record: dict[str, Any]
) -> tuple[Strategy, dict[str, Any]]:
    """The policy adapted to the graph before the newcomers, and its record.

    Args:
        policy: The policy to start from.
        task: The graph without newcomers, and its split.
        record: How the policy was trained.
    """
    from garden.training.universal.adapt import adapt_universal

    adapted = adapt_universal(policy, task, AdaptConfig())
    return adapted, {**record, "adapted": dict(adapted.record)}


def sizes_of(world: World) -> dict[str, int]:
    """How many nodes each graph of the world has."""
    chosen = world.validation
    return {
        "training": world.training.num_nodes,
        "test": world.test.graph.num_nodes,
        "validation": chosen.graph.num_nodes if chosen else 0,
    }
