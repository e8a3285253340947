"""What a policy knows of a graph already: whether it fits, and whether it has seen the targets."""

from __future__ import annotations

import logging

from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.graph import Graph
from garden.search.compare import Contender
from garden.search.config import EvaluationConfig
from garden.strategies.adapted import Adapted
from garden.strategies.base import Strategy, Trained
from garden.strategies.universal import Universal

_LOG = logging.getLogger("garden")


def check_fit(strategy: Strategy, graph: Graph) -> None:
    """Refuse a policy whose attributes or agents are not this graph's."""
    if isinstance(strategy, Trained):
        strategy.check_attributes(graph.attribute_names)
    if not isinstance(strategy, Adapted) or strategy.trust is None:
        return
    if strategy.trained_graph != graph.content_hash:
        raise StrategyError(
            f"{strategy.name}: its agents are not those of {graph.name}: use it on the graph that "
            "they learned on, or adapt without `local=True`"
        )


def has_seen(strategy: Strategy, task: SearchTask, config: EvaluationConfig) -> bool:
    """Whether a policy's training may have seen the targets of this evaluation."""
    check_fit(strategy, task.graph)
    if not isinstance(strategy, Trained) or strategy.trained_graph != task.graph.content_hash:
        return False
    return strategy.trained_task != task.content_hash or config.split == "all"


def has_met(strategy: Strategy, graph: Graph) -> bool:
    """Whether the policy for every graph was trained on this one, which is said and recorded."""
    start = strategy.policy if isinstance(strategy, Adapted) else strategy
    if not (isinstance(start, Universal) and start.has_met(graph.name)):
        return False
    _LOG.info(
        "universal was trained on %s too: `garden reproduce universal` has its ratio without",
        graph.name,
    )
    return True


def seen_targets_error(contender: Contender, config: EvaluationConfig) -> StrategyError:
    """What is said to whoever evaluates a policy on targets that it may have seen."""
    strategy = contender.strategy
    assert isinstance(strategy, Trained)
    reason = (
        "every node is a target, those of its training included"
        if config.split == "all"
        else f"it was trained on another split: use `seed={strategy.trained_seed}`"
    )
    return StrategyError(
        f"{contender.label}: {reason} (or `allow_seen_targets=True`, which is recorded)"
    )
