"""The protocol of strategies: `represent`, `score`, and a way to select.

A strategy is handed ego graphs and never the graph. It turns each into a representation that fits
into a message, and scores a candidate's representation against a target's. Search reads its scores
as tables over a whole graph, in blocks of targets that fit memory (:func:`score_blocks`). What
only some strategies have, a temperature or a training, is in :mod:`garden.strategies.protocols`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from garden.errors import StrategyError, kind_of
from garden.graphs.ego import EgoGraph, EgoGraphs
from garden.strategies.protocols import Fitted, Tempered
from garden.strategies.representations import Representations

Selection = Literal["softmax", "argmax"]
Knowledge = Literal["ego", "gossip"]
"""What agents know: their neighbours' ego graphs, or also what neighbours told them in rounds."""

PAIRS_PER_BLOCK = 1 << 20  # aligned pairs that `score` asks `score_pairs` for at a time
ENTRIES_PER_BLOCK = 1 << 22  # of a table of :func:`score_blocks`
MAX_KEPT = 1 << 25  # entries of all tables that a memo keeps, 256 MiB


class _ClassName:
    """The name of whichever class it is read from."""

    def __get__(self, instance: object, owner: type) -> str:
        return owner.__name__


class Strategy(ABC):
    """A strategy: subclass it and write ``represent`` and ``score``; the rest follows.

    Where the holder h of a message to t has neighbours N(h), it chooses v ∈ N(h) with probability

        softmax:  exp s(v, t) / Σ_{w ∈ N(h)} exp s(w, t)
        argmax:   1 / k for each of the k neighbours of highest score

    Where aligned pairs are easier to score than a table, write ``score_pairs`` in place of
    ``score``; where speed matters, write both.

    Attributes:
        name: As reports call it; by default the name of the class.
        selection: How a neighbour is chosen by its score.
        needs_attributes: Whether it refuses graphs without attributes.
        scores_compare: Whether scores of the neighbours of different holders compare, which the
            `frontier` memory uses.
        knows: What its agents know, as reports say it.
        shows_links: Whether rows show a node's links by profile keys, which the `explore` memory
            needs.

    """

    name: ClassVar[str] = _ClassName()  # type: ignore[assignment]
    selection: ClassVar[Selection] = "softmax"
    needs_attributes: ClassVar[bool] = True
    scores_compare: ClassVar[bool] = False
    knows: ClassVar[Knowledge] = "ego"
    shows_links: ClassVar[bool] = False

    @property
    def parameters(self) -> dict[str, Any]:
        """What was tuned or fitted, as reports list it: values that JSON can hold."""
        return {}

    @abstractmethod
    def represent(self, egos: EgoGraphs) -> Representations:
        """One representation per ego graph, in their order, each from that ego graph alone."""

    def represent_one(self, ego: EgoGraph) -> Representations:
        """The representation of one ego graph, as a peer makes its own."""
        return self.represent(ego.as_batch())

    @staticmethod
    def rows_are_sound(rows: Representations, num_attributes: int) -> bool:
        """Whether rows that a peer was sent fit together so far that scoring them is safe.

        Args:
            rows: Of the names, types and shapes of the peer's own row; floats are finite.
            num_attributes: How many attributes profiles have.

        """
        return True

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The scores of aligned pairs; higher is better.

        Args:
            candidates: num_pairs rows.
            targets: As many rows: target i goes with candidate i.

        Returns:
            (num_pairs,) float64.

        """
        _refuse_one_without_scores(self)
        scores = np.empty(len(targets))
        for run in targets.runs_of_equal_rows():  # the neighbours of one holder share a target
            rows = np.arange(run.start, run.stop)
            table = self.score(candidates.take(rows), targets.take(rows[:1]))
            scores[run] = checked_scores(table, (1, len(rows)), self.name)[0]
        return scores

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The scores of all pairs; higher is better.

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows.

        Returns:
            (num_targets, num_candidates) float64.

        """
        _refuse_one_without_scores(self)
        table = np.empty((len(targets), len(candidates)))
        for block in target_blocks(len(targets), len(candidates), PAIRS_PER_BLOCK):
            rows = np.repeat(np.arange(block.start, block.stop), len(candidates))
            columns = np.tile(np.arange(len(candidates)), block.stop - block.start)
            scores = self.score_pairs(candidates.take(columns), targets.take(rows))
            scores = checked_scores(scores, (len(rows),), self.name)
            table[block] = scores.reshape(-1, len(candidates))
        return table


Scored = Iterable[tuple[slice, np.ndarray]]
"""Blocks of targets, each with its table of scores, (num_targets_of_block, num_nodes) float64."""

ScoreSource = Callable[[Strategy, Representations, np.ndarray], Scored]
"""Gives the score tables of a strategy for some targets: :func:`score_blocks` or a memo of it."""


def is_ready(strategy: Strategy) -> bool:
    """Whether nothing of the strategy is left to fit or to tune."""
    if isinstance(strategy, Fitted) and not strategy.fitted:
        return False
    return not isinstance(strategy, Tempered) or strategy.temperature is not None


def target_blocks(num_targets: int, num_candidates: int, max_entries: int) -> Iterator[slice]:
    """Slices of the targets whose score tables hold at most ``max_entries`` entries, or of one.

    Args:
        num_targets: Rows of the whole table.
        num_candidates: Columns of it.
        max_entries: The most entries of a block.

    """
    size = max(1, max_entries // max(1, num_candidates))
    for start in range(0, num_targets, size):
        yield slice(start, min(start + size, num_targets))


def weighted_blocks(weights: np.ndarray, max_weight: int) -> Iterator[slice]:
    """Slices of targets that weigh at most ``max_weight`` together, or of one that weighs more.

    Args:
        weights: What each target adds, (num_targets,) integers.
        max_weight: What a slice may weigh.
    """
    fill = np.cumsum(weights)
    start = 0
    while start < len(weights):
        full = (fill[start - 1] if start else 0) + max_weight
        stop = max(start + 1, int(np.searchsorted(fill, full, side="right")))
        yield slice(start, stop)
        start = stop


def score_blocks(
    strategy: Strategy, representations: Representations, targets: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Scores of all nodes for some targets, a block of targets at a time.

    Args:
        strategy: Who scores.
        representations: One row per node of the graph, made by this strategy.
        targets: Positions of the targets, (num_targets,).

    Yields:
        A slice of ``targets`` and its scores, (num_targets_of_block, num_nodes) float64; their
        shape and values are checked.
    """
    for block in target_blocks(len(targets), len(representations), ENTRIES_PER_BLOCK):
        table = strategy.score(representations, representations.take(targets[block]))
        expected = (block.stop - block.start, len(representations))
        yield block, np.ascontiguousarray(checked_scores(table, expected, strategy.name))


class ScoreMemo:
    """:func:`score_blocks` with a cache, for contenders that share a strategy and targets.

    A strategy is recognised by its identity: contenders must hold the same object. Once all tables
    together exceed :data:`MAX_KEPT` entries, the oldest are dropped; a table that is larger by
    itself is never kept.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, bytes], tuple[Strategy, list[tuple[slice, np.ndarray]]]] = {}
        self._room = MAX_KEPT

    def __call__(
        self, strategy: Strategy, representations: Representations, targets: np.ndarray
    ) -> Scored:
        """Score tables as :func:`score_blocks` gives them, from the cache where they are there."""
        key = (id(strategy), targets.tobytes())
        if key in self._kept:
            return self._kept[key][1]
        size = len(targets) * len(representations)
        if size > MAX_KEPT:
            return score_blocks(strategy, representations, targets)
        while size > self._room:
            oldest = next(iter(self._kept))
            self._room += sum(table.size for _, table in self._kept.pop(oldest)[1])
        blocks = list(score_blocks(strategy, representations, targets))
        self._kept[key] = (strategy, blocks)  # the strategy too: its identity stays taken
        self._room -= size
        return blocks


def check_declarations(strategy: Strategy) -> None:
    """Refuse a strategy without a name, a known selection, a scoring function, or `fitted`."""
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
    """``rows``, or an error of the strategy where they are not what it had to give.

    Args:
        rows: What ``represent`` gave.
        num_rows: How many rows there must be, one per ego graph.
        name: The strategy's, for the error.
    """
    if not isinstance(rows, Representations):
        raise StrategyError(f"{name}: represent gave {kind_of(rows)}, no Representations")
    if len(rows) != num_rows:
        raise StrategyError(f"{name}: represent gave {len(rows)} rows for {num_rows} ego graphs")
    return rows


def checked_scores(scores: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """The scores as a float64 array.

    Args:
        scores: What ``score`` or ``score_pairs`` of a strategy gave.
        shape: The shape that they must have.
        name: The strategy's, for the error where they are not finite or of another shape.

    """
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise StrategyError(f"{name}: a score is no number") from None
    if table.shape != shape:
        raise StrategyError(f"{name}: scores have shape {table.shape}, expected {shape}")
    if not np.isfinite(table).all():
        raise StrategyError(f"{name}: a score is NaN or infinite")
    return table


def scores_at_holder(
    strategy: Strategy, candidates: Representations, target_row: Representations
) -> np.ndarray:
    """A holder's scores of its neighbours, (num_candidates,) float64.

    Args:
        strategy: Who scores.
        candidates: The representations of the holder's neighbours, one row each.
        target_row: The representation of the target, one row, which the message carries.
    """
    if getattr(strategy.score_pairs, "__func__", None) is Strategy.score_pairs:
        table = strategy.score(candidates, target_row)  # what score_pairs would ask for
        return checked_scores(table, (1, len(candidates)), strategy.name)[0]
    rows = np.zeros(len(candidates), dtype=np.int64)
    scores = strategy.score_pairs(candidates, target_row.take(rows))
    return checked_scores(scores, (len(candidates),), strategy.name)


def require_attributes(egos: EgoGraphs, strategy: str) -> None:
    """Refuse ego graphs without attributes.

    Args:
        egos: What a strategy is about to represent.
        strategy: Its name, for the error.
    """
    if egos.num_attributes == 0:
        raise StrategyError(
            f"{strategy} compares attributes and this graph has none: "
            "use random or connection, or give the nodes attributes"
        )
