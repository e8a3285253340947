"""What a policy knows of a graph already: whether it fits, and whether it has seen the targets."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.graph import Graph
from garden.graphs.link_sketches import first_met
from garden.search.compare import Contender
from garden.search.config import EvaluationConfig
from garden.strategies.base import Strategy, Trained
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.policy import Universal

_LOG = logging.getLogger("garden")


def check_fit(strategy: Strategy, graph: Graph) -> None:
    """Refuse a policy whose attributes or agents are not this graph's."""
    if isinstance(strategy, Trained):
        strategy.check_attributes(graph.attribute_names)
    if not isinstance(strategy, Adapted) or strategy.edge_bias is None:
        return
    if strategy.trained_graph != graph.content_hash:
        raise StrategyError(
            f"{strategy.name}: its agents are not those of {graph.name}: use it on the graph that "
            "they learned on, or adapt without `local=True`"
        )


def has_seen(strategy: Strategy, task: SearchTask, config: EvaluationConfig) -> bool:
    """Whether a policy's training may have seen the targets of this evaluation."""
    check_fit(strategy, task.graph)
    if not isinstance(strategy, Trained) or not strategy.trained_on.is_of(task.graph):
        return False
    return strategy.trained_task != task.content_hash or config.split == "all"


def has_met(strategy: Strategy, graph: Graph) -> bool:
    """Whether the policy for every graph was trained on this one, which is said and recorded.

    It has met a graph if at least a tenth of the links of either are links of the other
    (:mod:`garden.graphs.link_sketches`). Where a folder holds no sketches of its training graphs,
    the kinds that it names decide.
    """
    start = strategy.policy if isinstance(strategy, Adapted) else strategy
    if not isinstance(start, Universal):
        return False
    if start.met:
        known = first_met(start.met, graph)
        name = None if known is None else known.identity.name
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


def any_has_met(contenders: Sequence[Contender], graph: Graph) -> bool:
    """Whether any of these was trained on the graph; each strategy is asked once."""
    strategies = {id(one.strategy): one.strategy for one in contenders}
    return any(has_met(strategy, graph) for strategy in strategies.values())


def seen_targets_error(
    contender: Contender, task: SearchTask, config: EvaluationConfig
) -> StrategyError:
    """What is said to whoever evaluates a policy on targets that it may have seen."""
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
