"""What a policy was trained on: whether it fits a graph, and whether it has seen its targets.

Graphs are recognised by content, never by name alone (:mod:`garden.graphs.identity`,
:mod:`garden.graphs.link_sketches`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.graph import Graph
from garden.graphs.link_sketches import first_met
from garden.search.compare import Contender
from garden.search.config import EvaluationConfig
from garden.strategies.base import Strategy
from garden.strategies.protocols import Trained
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.policy import Universal

_LOG = logging.getLogger("garden")


def check_fit(strategy: Strategy, graph: Graph) -> None:
    """Refuse a policy made for other attributes, or with edge biases of another graph's agents.

    Args:
        strategy: Any strategy; one that was never trained fits every graph.
        graph: The graph that it is to be used on.
    """
    if isinstance(strategy, Trained):
        strategy.check_attributes(graph.attribute_names)
    if not isinstance(strategy, Adapted) or strategy.edge_bias is None:
        return
    if strategy.trained_graph != graph.content_hash:
        raise StrategyError(
            f"{strategy.name}: its agents are not those of {graph.name}: use it on the graph that "
            "they learned on, or adapt without `local=True`"
        )


def seen_in_training(
    contenders: Sequence[Contender], task: SearchTask, config: EvaluationConfig, allowed: bool
) -> bool:
    """Whether the training of a policy may have seen the targets of this evaluation.

    Args:
        contenders: Policies with their memories.
        task: The graph and its split.
        config: Which targets are evaluated.
        allowed: Whether that is recorded rather than refused.

    Raises:
        StrategyError: If a policy is made for another graph, or has seen the targets and that is
            not allowed. `universal` is never refused: that it was trained on the graph is logged.
    """
    seen = [contender for contender in contenders if _has_seen(contender.strategy, task, config)]
    if seen and not allowed:
        raise _seen_targets_error(seen[0], task, config)
    strategies = {id(contender.strategy): contender.strategy for contender in contenders}
    met = any(has_met(strategy, task.graph) for strategy in strategies.values())
    return bool(seen) or met


def has_met(strategy: Strategy, graph: Graph) -> bool:
    """Whether `universal`, or what was adapted from it, was trained on this graph; logged if so.

    It was if at least a tenth of the links of either are links of the other
    (:mod:`garden.graphs.link_sketches`). Without sketches of its training graphs, the kinds
    that it lists decide.

    Args:
        strategy: Any strategy; of others than these it is false.
        graph: The graph, recognised by its links.
    """
    start = strategy.policy if isinstance(strategy, Adapted) else strategy
    if not isinstance(start, Universal):
        return False
    if start.met:
        sketch = first_met(start.met, graph)
        name = None if sketch is None else sketch.identity.name
    else:
        name = graph.name if start.names(graph.name) else None
    if name is None:
        return False
    same = "" if name == graph.name else f", which shares links with {graph.name}"
    _LOG.info(
        "universal was trained on %s%s: `garden reproduce universal` has its ratio without",
        name,
        same,
    )
    return True


def _has_seen(strategy: Strategy, task: SearchTask, config: EvaluationConfig) -> bool:
    check_fit(strategy, task.graph)
    if not isinstance(strategy, Trained) or not strategy.trained_on.is_of(task.graph):
        return False
    return strategy.trained_task != task.content_hash or config.split == "all"


def _seen_targets_error(
    contender: Contender, task: SearchTask, config: EvaluationConfig
) -> StrategyError:
    strategy = contender.strategy
    assert isinstance(strategy, Trained)
    if config.split == "all":
        reason = "every node is a target, those of its training included"
    elif strategy.trained_graph != task.graph.content_hash:
        reason = f"it was trained on another form of this graph, {strategy.trained_on.name}"
    else:
        reason = f"it was trained on another split: use `seed={strategy.trained_seed}`"
    return StrategyError(
        f"{contender.label}: {reason} (or `allow_seen_targets=True`, which is recorded)"
    )
