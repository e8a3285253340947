"""What every strategy is: two functions, `represent` and `score`, and a way to select.

A strategy is handed ego graphs and never the graph. It turns each into a representation that can
travel in a message, and says how good a candidate's representation is for a target's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Protocol, Self, get_args, runtime_checkable

import numpy as np

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraph, EgoGraphs
from garden.graphs.identity import GraphIdentity
from garden.strategies.representations import Representations

Selection = Literal["softmax", "argmax"]

PAIRS_PER_BLOCK = 1 << 20  # aligned pairs that `score` asks `score_pairs` for at a time


class _ClassName:
    """The name of whichever class it is read from."""

    def __get__(self, instance: object, owner: type) -> str:
        return owner.__name__


class Strategy(ABC):
    """A strategy: subclass it and write ``represent`` and ``score``; the rest follows.

    Where aligned pairs are easier to score than a table, write ``score_pairs`` in its place; where
    speed matters, write both.
    """

    name: ClassVar[str] = _ClassName()  # type: ignore[assignment]
    selection: ClassVar[Selection] = "softmax"
    needs_attributes: ClassVar[bool] = True
    scores_compare: ClassVar[bool] = False  # also those of neighbours of different holders

    @property
    def parameters(self) -> dict[str, Any]:
        """What was tuned or fitted, as reports show it."""
        return {}

    @abstractmethod
    def represent(self, egos: EgoGraphs) -> Representations:
        """One representation per ego graph, each from that ego graph alone."""

    def represent_one(self, ego: EgoGraph) -> Representations:
        """The representation of one ego graph, as a peer makes its own."""
        return self.represent(ego.as_batch())

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """How good candidate i is for target i, over aligned rows, (num_pairs,) float64."""
        _refuse_one_without_scores(self)
        scores = np.empty(len(targets))
        for run in targets.runs_of_equal_rows():  # the neighbours of one holder share a target
            rows = np.arange(run.start, run.stop)
            table = self.score(candidates.take(rows), targets.take(rows[:1]))
            scores[run] = checked_scores(table, (1, len(rows)), self.name)[0]
        return scores

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """How good each candidate is for each target, (num_targets, num_candidates) float64."""
        _refuse_one_without_scores(self)
        table = np.empty((len(targets), len(candidates)))
        for block in target_blocks(len(targets), len(candidates), PAIRS_PER_BLOCK):
            rows = np.repeat(np.arange(block.start, block.stop), len(candidates))
            columns = np.tile(np.arange(len(candidates)), block.stop - block.start)
            scores = self.score_pairs(candidates.take(columns), targets.take(rows))
            scores = checked_scores(scores, (len(rows),), self.name)
            table[block] = scores.reshape(-1, len(candidates))
        return table


@runtime_checkable
class Tempered(Protocol):
    """A strategy whose score is inversely proportional to a temperature that can be tuned."""

    temperature: float | None

    def with_temperature(self, temperature: float) -> Self:
        """The same strategy at this temperature."""
        ...


@runtime_checkable
class Fitted(Protocol):
    """A strategy that learns something from the ego graphs of the training nodes."""

    @property
    def fitted(self) -> bool:
        """Whether it has learned already; if so, it is left as it is."""
        ...

    def fit(self, egos: EgoGraphs) -> Self:
        """The same strategy, fitted."""
        ...


@runtime_checkable
class Trained(Protocol):
    """A strategy that was trained on a graph, and remembers which targets it may have seen."""

    trained_graph: str
    trained_task: str
    trained_seed: int

    @property
    def trained_on(self) -> GraphIdentity:
        """By what the graph is known again, under other attributes or in another order."""
        ...

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Refuse attributes other than those it was trained on."""
        ...


def target_blocks(num_targets: int, num_candidates: int, max_entries: int) -> Iterator[slice]:
    """Slices of the targets whose score tables stay below ``max_entries`` entries, or of one."""
    size = max(1, max_entries // max(1, num_candidates))
    for start in range(0, num_targets, size):
        yield slice(start, min(start + size, num_targets))


def check_declarations(strategy: Strategy) -> None:
    """Refuse a strategy that does not say what every strategy must say."""
    name = getattr(strategy, "name", None)
    if not isinstance(name, str) or not name:
        raise StrategyError(f"{type(strategy).__name__}: its name is {name!r}, not a text")
    selection = getattr(strategy, "selection", None)
    if selection not in get_args(Selection):
        raise StrategyError(
            f"{name}: selection is {selection!r}: choose from {', '.join(get_args(Selection))}"
        )
    if hasattr(strategy, "fit") and not isinstance(strategy, Fitted):
        raise StrategyError(f"{name}: it has fit, but no property `fitted` to say when it is done")
    _refuse_one_without_scores(strategy)


def _refuse_one_without_scores(strategy: Strategy) -> None:
    """Either scoring function is made from the other, so that one must be written."""
    table, pairs = (getattr(strategy, name) for name in ("score", "score_pairs"))
    if (
        getattr(table, "__func__", None) is Strategy.score
        and getattr(pairs, "__func__", None) is Strategy.score_pairs
    ):
        raise StrategyError(f"{strategy.name}: it cannot score: write score or score_pairs")


def checked_representations(rows: Representations, num_rows: int, name: str) -> Representations:
    """What ``represent`` gave, or an error where that is not one row per ego graph."""
    if not isinstance(rows, Representations):
        raise StrategyError(f"{name}: represent gave a {type(rows).__name__}, no Representations")
    if len(rows) != num_rows:
        raise StrategyError(f"{name}: represent gave {len(rows)} rows for {num_rows} ego graphs")
    return rows


def checked_scores(scores: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """The scores as a float64 array, or an error where they are not finite or of another shape."""
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise StrategyError(f"{name}: a score is no number") from None
    if table.shape != shape:
        raise StrategyError(f"{name}: scores have shape {table.shape}, expected {shape}")
    if not np.isfinite(table).all():
        raise StrategyError(f"{name}: a score is NaN or infinite")
    return table


def require_attributes(egos: EgoGraphs, strategy: str) -> None:
    """Refuse ego graphs whose members have no attributes."""
    if egos.num_attributes == 0:
        raise StrategyError(
            f"{strategy} compares attributes and this graph has none: "
            "use random or connection, or give the nodes attributes"
        )
