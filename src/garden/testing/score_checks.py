"""Checks on ``score`` and ``score_pairs``: finite numbers that depend on the two rows alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import numpy as np

from garden.errors import kind_of
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy
from garden.strategies.protocols import Tempered
from garden.strategies.representations import Representations
from garden.testing.declarations import at_temperature, copy_of
from garden.testing.equality import differing_row, rebuilt, same_numbers, score_room
from garden.testing.findings import Findings, counted
from garden.testing.played_rounds import rows_of
from garden.testing.probes import reordered, sibling

_UNSTEADY = ("represent random", "represent remembers", "rounds remember")
_ORDER = ("order", "begin order", "hear order")


def check_scores(
    strategy: Strategy, fresh: Strategy, rows: Representations, graph: Graph, found: Findings
) -> None:
    """Check ``score`` and ``score_pairs`` on these rows.

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        rows: What it represents the graph's ego graphs by.
        graph: The graph.
        found: Where problems are noted.

    """
    scoring = _Scoring(strategy, found, rows)
    table = scoring.table(rows, scoring.targets)
    if _changes_by_itself(scoring, fresh, table, graph):
        return
    _check_company(scoring, table)
    if "candidates" not in found and "targets" not in found:  # else pairs disagree with the table
        _check_pairs(scoring, table)
    _check_inputs(scoring)
    if any(cause in found for cause in _UNSTEADY):
        return
    _check_bytes(scoring, table)
    _check_order(scoring, table, graph)
    _check_temperature(scoring)


class _Scoring:
    """A strategy's scores, each table and list checked for shape and numbers as it comes."""

    def __init__(
        self, strategy: Strategy, found: Findings, rows: Representations, who: str = ""
    ) -> None:
        self.strategy, self.found, self.rows, self.who = strategy, found, rows, who
        self.targets = rows.take(_targets(rows))

    def by(self, strategy: Strategy, who: str = "") -> np.ndarray:
        """The table of scores that another strategy, or a copy, gives for the same rows."""
        other = _Scoring(strategy, self.found, self.rows, who)
        return other.table(self.rows, self.targets)

    def expect_same(self, kind: str, ours: np.ndarray, theirs: np.ndarray, sentence: str) -> bool:
        """Whether scores are the same up to rounding; a problem of this kind if they are not."""
        same = self.same(ours, theirs)
        if not same:
            self.found.add(kind, sentence)
        return same

    def same(self, ours: np.ndarray, theirs: np.ndarray) -> bool:
        return same_numbers(ours, theirs, of_largest=score_room(self.rows, ours, theirs))

    def table(self, candidates: Representations, targets: Representations) -> np.ndarray:
        shape = (len(targets), len(candidates))
        given = f"{counted(shape[0], 'target')} and {counted(shape[1], 'candidate')}"
        return self._checked("score", self.strategy.score, candidates, targets, shape, given)

    def pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        shape, given = (len(candidates),), counted(len(candidates), "pair")
        return self._checked(
            "score_pairs", self.strategy.score_pairs, candidates, targets, shape, given
        )

    def _checked(
        self,
        what: str,
        function: Callable[[Representations, Representations], object],
        candidates: Representations,
        targets: Representations,
        shape: tuple[int, ...],
        given: str,
    ) -> np.ndarray:
        where = self.found.where
        scores = self.found.at(f"for {given} {where}").result_of(
            what + self.who, lambda: function(copy.deepcopy(candidates), copy.deepcopy(targets))
        )
        try:
            numbers = np.asarray(scores)
            fine = numbers.dtype.kind in "biuf"
        except Exception:  # a tensor that refuses, a list of unequal lists
            fine = False
        if not fine:
            raise self.found.stop(
                f"{what} dtype",
                f"{what} gives {_kind(scores)} {where}: give a NumPy array of floats.",
            )
        if numbers.shape != shape:
            hint = ": it lies on its side" if numbers.shape == shape[::-1] else ""
            raise self.found.stop(
                f"{what} shape",
                f"{what} gives shape {numbers.shape} for {given}, where {shape} is expected{hint} "
                f"{where}.",
            )
        if not np.isfinite(numbers).all():
            kind = "NaN" if np.isnan(numbers).any() else "infinite numbers"
            raise self.found.stop(
                f"{what} nan",
                f"{what} gives {kind} {where}: think of equal profiles, of profiles of zeros "
                "and of a candidate that is the target.",
            )
        return numbers.copy()  # a strategy may fill one array again and again


def _targets(rows: Representations) -> np.ndarray:
    """Four targets, one twice: no probe has four nodes, so that a table on its side is seen."""
    return np.array([len(rows) - 1, 0, len(rows) // 2, 0])


def _kind(scores: object) -> str:
    if isinstance(scores, np.ndarray):
        return f"an array of {scores.dtype}"
    return kind_of(scores)


def _changes_by_itself(scoring: _Scoring, fresh: Strategy, table: np.ndarray, graph: Graph) -> bool:
    """Whether the same rows get other scores the next time: randomness, or state kept."""
    found, strategy = scoring.found, scoring.strategy
    newcomer = " by a copy that has represented nothing yet"
    first, second = (scoring.by(copy_of(fresh), newcomer) for _ in range(2))
    if not same_numbers(first, second, exact=True):
        found.add(
            "score random",
            f"score gives other scores when it is called again with the same rows {found.where}: "
            "draw nothing at random; a softmax, or ties, are drawn for you.",
        )
        return True
    again = scoring.by(strategy)
    rows_of(strategy, ego_graphs(sibling(graph)), found)
    back = scoring.by(strategy)
    if not all(same_numbers(table, other, exact=True) for other in (again, back, first)):
        found.add(
            "score remembers",
            f"score remembers earlier calls: it depends on what represent or score was given "
            f"before {found.where}. All that it needs must stand in the representations.",
        )
        return True
    return False


def _check_inputs(scoring: _Scoring) -> None:
    rows, targets = scoring.rows, scoring.targets
    some = rows.take(np.arange(len(targets)) % len(rows))
    for what, score, candidates in (
        ("score", scoring.strategy.score, rows),
        ("score_pairs", scoring.strategy.score_pairs, some),
    ):
        given = copy.deepcopy(candidates), copy.deepcopy(targets)
        scoring.found.result_of(what, partial(score, *given))
        if any(
            differing_row(before, after, exact=True) is not None
            for before, after in zip((candidates, targets), given, strict=True)
        ):
            scoring.found.add(
                "score changes its input",
                f"{what} changes the representations that it is given: work on a copy, they are "
                "used again.",
            )


def _check_pairs(scoring: _Scoring, table: np.ndarray) -> None:
    rows, targets, where = scoring.rows, scoring.targets, scoring.found.where
    which, candidate = np.divmod(np.arange(table.size), len(rows))
    if not scoring.expect_same(
        "pairs",
        scoring.pairs(rows.take(candidate), targets.take(which)),
        table.ravel(),
        f"score_pairs and score disagree on the same candidates and targets {where}.",
    ):
        return
    one = np.array([0])
    scoring.pairs(rows.take(one), targets.take(one))  # one pair: for its shape
    few = np.random.default_rng(2).permutation(table.size)[:5]
    scoring.expect_same(
        "pairs company",
        scoring.pairs(rows.take(candidate[few]), targets.take(which[few])),
        table.ravel()[few],
        f"score_pairs depends on the other pairs beside it {where}: each score must come from its "
        "own two rows.",
    )


def _check_company(scoring: _Scoring, table: np.ndarray) -> None:
    """Check that no score changes with fewer candidates or targets, or in another order."""
    rows, targets, where = scoring.rows, scoring.targets, scoring.found.where
    few = np.random.default_rng(5).permutation(len(rows))[: len(rows) // 2 + 1]
    scoring.expect_same(
        "candidates",
        scoring.table(rows.take(few), targets),
        table[:, few],
        f"A score depends on which other candidates stand beside it {where}: each must come from "
        "its own candidate and target (the softmax is taken for you).",
    )
    others = np.array([2, 1])
    scoring.expect_same(
        "targets",
        scoring.table(rows, targets.take(others)),
        table[others],
        f"A score depends on which other targets stand beside it {where}: each must come from its "
        "own candidate and target.",
    )
    one = np.array([0])
    scoring.table(rows.take(one), targets.take(one))  # one by one: for its shape


def _check_bytes(scoring: _Scoring, table: np.ndarray) -> None:
    scoring.expect_same(
        "bytes",
        scoring.table(rebuilt(scoring.rows), rebuilt(scoring.targets)),
        table,
        "Scores change when a representation has travelled: nothing but the numbers in its arrays "
        f"does {scoring.found.where}.",
    )


def _check_order(scoring: _Scoring, table: np.ndarray, graph: Graph) -> None:
    found, rows = scoring.found, scoring.rows
    if not rows.ragged or any(cause in found for cause in _ORDER):
        return
    others = rows_of(scoring.strategy, reordered(ego_graphs(graph)), found)
    scoring.expect_same(
        "order",
        scoring.table(others, others.take(_targets(rows))),
        table,
        f"Scores depend on the order in which an ego graph's neighbours stand {found.where}, which "
        "means nothing.",
    )


def _check_temperature(scoring: _Scoring) -> None:
    strategy, found = scoring.strategy, scoring.found
    if not isinstance(strategy, Tempered) or "with_temperature changes" in found:
        return
    cold, warm = (scoring.by(at_temperature(strategy, value, found)) for value in (0.5, 2.0))
    scoring.expect_same(
        "temperature",
        cold,
        4 * warm.astype(np.float64),
        "Scores are not inversely proportional to the temperature, which tuning takes for granted "
        f"{found.where}.",
    )
