"""The checker of strategies: every check on every small graph, all problems at once."""

from __future__ import annotations

import numpy as np

from garden.errors import GardenError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import StrategyLike, strategy_named
from garden.strategies.base import Strategy
from garden.strategies.duck_typed import as_strategy
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.import_path import made_strategy
from garden.strategies.representations import Representations
from garden.testing.declarations import check_declared, copy_of, ready_strategy
from garden.testing.findings import Findings, RefusedError, StoppedError
from garden.testing.probes import Probe, probes
from garden.testing.represent_checks import checked_rows
from garden.testing.round_checks import settled_rows
from garden.testing.score_checks import check_scores


class StrategyCheckError(StrategyError):
    """What is wrong with a strategy.

    Attributes:
        problems: A sentence for each problem.

    """

    def __init__(self, name: str, problems: tuple[str, ...]) -> None:
        count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = [f"{number}. {problem}" for number, problem in enumerate(problems, 1)]
        super().__init__("\n".join([f"{name} has {count}:", *lines]))
        self.problems = problems


def check_strategy(
    strategy: StrategyLike | type[object],
    num_attributes: int | None = None,
    exact: bool = False,
) -> None:
    """Raise :class:`StrategyCheckError`, which lists all that is wrong, or return silently.

    The strategy is run on small graphs: are its rows well formed, do they depend on their own ego
    graph alone, do scores depend on their two rows alone, is nothing random or remembered? Of a
    strategy with rounds, rows must settle, depend after r rounds on the ego graphs of agents within
    r hops alone, and not on the order in which neighbours are heard.

    Args:
        strategy: An object with ``represent`` and ``score``, or ``begin``, ``hear`` and ``score``,
            a class of such, or a name such as ``mypackage.mine:Strategy``.
        num_attributes: For a strategy that works for a single number of attributes, such as a
            trained model, that number; by default graphs of several widths are used.
        exact: Ask that rows of the same ego graph agree to the last bit and in the same order, as
            those of the walkers do; by default floats may differ by rounding.

    """
    problems = strategy_problems(strategy, num_attributes, exact)
    if problems:
        raise StrategyCheckError(_called(strategy), problems)


def strategy_problems(
    strategy: StrategyLike | type[object],
    num_attributes: int | None = None,
    exact: bool = False,
) -> tuple[str, ...]:
    """The sentences that :func:`check_strategy` would raise with; empty if all is well.

    Args:
        strategy: As there.
        num_attributes: As there.
        exact: As there.

    """
    try:
        made = _made(strategy)
    except GardenError as error:
        return (str(error),)
    found = Findings(exact)
    check_declared(made, found)
    refusals = [
        _refusal(copy_of(made), probe, found.at(probe.where))
        for probe in probes(num_attributes, made.needs_attributes is False)
    ]
    if all(refusals):
        found.add(
            "refused",
            f"It refuses every graph that it was tried on ({refusals[0]}): if it works for a "
            "single number of attributes, check it with num_attributes=….",
        )
    return found.sentences


def _refusal(strategy: Strategy, probe: Probe, found: Findings) -> str:
    """Check on one graph; where the strategy says that it is not for it, what it says."""
    try:
        with np.errstate(all="ignore"):  # what comes of it is looked at instead
            ready = ready_strategy(strategy, ego_graphs(probe.graph), found)
            fresh = copy_of(ready)
            rows = _rows(ready, fresh, probe.graph, found)
            check_scores(ready, fresh, rows, probe.graph, found)
    except RefusedError as refusal:
        return str(refusal)
    except StoppedError:
        pass
    return ""


def _rows(strategy: Strategy, fresh: Strategy, graph: Graph, found: Findings) -> Representations:
    """The rows that scores are checked on, themselves checked."""
    if isinstance(strategy, GossipStrategy) and isinstance(fresh, GossipStrategy):
        return settled_rows(strategy, fresh, graph, found)
    return checked_rows(strategy, fresh, graph, found)


def _made(strategy: StrategyLike | type[object]) -> Strategy:
    if isinstance(strategy, str):
        return strategy_named(strategy)
    if isinstance(strategy, type):
        return made_strategy(strategy, strategy.__name__)
    return as_strategy(strategy)


def _called(strategy: StrategyLike | type[object]) -> str:
    if isinstance(strategy, str):
        return strategy
    kind = strategy if isinstance(strategy, type) else type(strategy)
    return kind.__name__
