"""Checks on ``score`` and ``score_pairs``: finite numbers that depend on the two rows alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import numpy as np

from garden.errors import kind_of
from garden.graphs.ego_extraction import ego_graphs
from garden.strategies.base import Strategy
from garden.strategies.protocols import Tempered
from garden.strategies.representations import Representations
from garden.testing.declarations import at_temperature, copy_of
from garden.testing.equality import differing_row, rebuilt, same_numbers, score_room
from garden.testing.findings import Findings, counted
from garden.testing.played_rounds import rows_of
from garden.testing.probes import Probe, reordered, sibling

_UNSTEADY = ("represent random", "represent remembers", "rounds remember")
_ORDER = ("order", "begin order", "hear order")


def check_scores(
    strategy: Strategy, fresh: Strategy, rows: Representations, probe: Probe, found: Findings
) -> None:
    """Check ``score`` and ``score_pairs`` on these rows.

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        rows: What it represents the probe's ego graphs by.
        probe: The graph.
        found: Where problems are noted.

    """
    targets = rows.take(_targets(rows))
    scoring = _Scoring(strategy, probe.where, found, rows)
    table = scoring.table(rows, targets)
    if _changes_by_itself(scoring, fresh, rows, targets, table, probe):
        return
    _check_company(scoring, rows, targets, table)
    if "candidates" not in found and "targets" not in found:  # else pairs disagree with the table
        _check_pairs(scoring, rows, targets, table)
    _check_inputs(scoring, rows, targets)
    if any(cause in found for cause in _UNSTEADY):
        return
    _check_bytes(scoring, rows, targets, table)
    _check_order(scoring, rows, table, probe)
    _check_temperature(scoring, rows, targets)


class _Scoring:
    """A strategy's scores, each table and list checked for shape and numbers as it comes."""

    def __init__(
        self,
        strategy: Strategy,
        where: str,
        found: Findings,
        rows: Representations,
        who: str = "",
    ) -> None:
        self.strategy, self.where, self.found = strategy, where, found
        self.rows, self.who = rows, who

    def by(self, strategy: Strategy, who: str = "") -> _Scoring:
        return _Scoring(strategy, self.where, self.found, self.rows, who)

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
        scores = self.found.result_of(
            what + self.who,
            f"for {given} {self.where}",
            lambda: function(copy.deepcopy(candidates), copy.deepcopy(targets)),
        )
        try:
            numbers = np.asarray(scores)
            fine = numbers.dtype.kind in "biuf"
        except Exception:  # a tensor that refuses, a list of unequal lists
            fine = False
        if not fine:
            raise self.found.stop(
                f"{what} dtype",
                f"{what} gives {_kind(scores)} {self.where}: give a NumPy array of floats.",
            )
        if numbers.shape != shape:
            hint = ": it lies on its side" if numbers.shape == shape[::-1] else ""
            raise self.found.stop(
                f"{what} shape",
                f"{what} gives shape {numbers.shape} for {given}, where {shape} is expected{hint} "
                f"{self.where}.",
            )
        if not np.isfinite(numbers).all():
            kind = "NaN" if np.isnan(numbers).any() else "infinite numbers"
            raise self.found.stop(
                f"{what} nan",
                f"{what} gives {kind} {self.where}: think of equal profiles, of profiles of zeros "
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


def _changes_by_itself(
    scoring: _Scoring,
    fresh: Strategy,
    rows: Representations,
    targets: Representations,
    table: np.ndarray,
    probe: Probe,
) -> bool:
    """Whether the same rows get other scores the next time: randomness, or state kept."""
    found, strategy = scoring.found, scoring.strategy
    newcomer = " by a copy that has represented nothing yet"
    first, second = (scoring.by(copy_of(fresh), newcomer).table(rows, targets) for _ in range(2))
    if not same_numbers(first, second, exact=True):
        found.add(
            "score random",
            f"score gives other scores when it is called again with the same rows {scoring.where}: "
            "draw nothing at random; a softmax, or ties, are drawn for you.",
        )
        return True
    again = scoring.table(rows, targets)
    rows_of(strategy, ego_graphs(sibling(probe.graph)), scoring.where, found)
    back = scoring.table(rows, targets)
    if not all(same_numbers(table, other, exact=True) for other in (again, back, first)):
        found.add(
            "score remembers",
            f"score remembers earlier calls: it depends on what represent or score was given "
            f"before {scoring.where}. All that it needs must stand in the representations.",
        )
        return True
    return False


def _check_inputs(scoring: _Scoring, rows: Representations, targets: Representations) -> None:
    some = rows.take(np.arange(len(targets)) % len(rows))
    for what, score, candidates in (
        ("score", scoring.strategy.score, rows),
        ("score_pairs", scoring.strategy.score_pairs, some),
    ):
        given = copy.deepcopy(candidates), copy.deepcopy(targets)
        scoring.found.result_of(what, scoring.where, partial(score, *given))
        if any(
            differing_row(before, after, exact=True) is not None
            for before, after in zip((candidates, targets), given, strict=True)
        ):
            scoring.found.add(
                "score changes its input",
                f"{what} changes the representations that it is given: work on a copy, they are "
                "used again.",
            )


def _check_pairs(
    scoring: _Scoring, rows: Representations, targets: Representations, table: np.ndarray
) -> None:
    which, candidate = np.divmod(np.arange(table.size), len(rows))
    pairs = scoring.pairs(rows.take(candidate), targets.take(which))
    if not scoring.same(pairs, table.ravel()):
        scoring.found.add(
            "pairs",
            f"score_pairs and score disagree on the same candidates and targets {scoring.where}.",
        )
        return
    one = np.array([0])
    scoring.pairs(rows.take(one), targets.take(one))  # one pair: for its shape
    few = np.random.default_rng(2).permutation(table.size)[:5]
    apart = scoring.pairs(rows.take(candidate[few]), targets.take(which[few]))
    if not scoring.same(apart, table.ravel()[few]):
        scoring.found.add(
            "pairs company",
            f"score_pairs depends on the other pairs beside it {scoring.where}: each score must "
            "come from its own two rows.",
        )


def _check_company(
    scoring: _Scoring, rows: Representations, targets: Representations, table: np.ndarray
) -> None:
    """Check that no score changes with fewer candidates or targets, or in another order."""
    few = np.random.default_rng(5).permutation(len(rows))[: len(rows) // 2 + 1]
    if not scoring.same(scoring.table(rows.take(few), targets), table[:, few]):
        scoring.found.add(
            "candidates",
            f"A score depends on which other candidates stand beside it {scoring.where}: each must "
            "come from its own candidate and target (the softmax is taken for you).",
        )
    others = np.array([2, 1])
    if not scoring.same(scoring.table(rows, targets.take(others)), table[others]):
        scoring.found.add(
            "targets",
            f"A score depends on which other targets stand beside it {scoring.where}: each must "
            "come from its own candidate and target.",
        )
    one = np.array([0])
    scoring.table(rows.take(one), targets.take(one))  # one by one: for its shape


def _check_bytes(
    scoring: _Scoring, rows: Representations, targets: Representations, table: np.ndarray
) -> None:
    if not scoring.same(scoring.table(rebuilt(rows), rebuilt(targets)), table):
        scoring.found.add(
            "bytes",
            "Scores change when a representation has travelled: nothing but the numbers in its "
            f"arrays does {scoring.where}.",
        )


def _check_order(scoring: _Scoring, rows: Representations, table: np.ndarray, probe: Probe) -> None:
    if not rows.ragged or any(cause in scoring.found for cause in _ORDER):
        return
    egos = reordered(ego_graphs(probe.graph))
    others = rows_of(scoring.strategy, egos, scoring.where, scoring.found)
    if not scoring.same(scoring.table(others, others.take(_targets(rows))), table):
        scoring.found.add(
            "order",
            f"Scores depend on the order in which an ego graph's neighbours stand {scoring.where}, "
            "which means nothing.",
        )


def _check_temperature(scoring: _Scoring, rows: Representations, targets: Representations) -> None:
    strategy, found = scoring.strategy, scoring.found
    if not isinstance(strategy, Tempered) or "with_temperature changes" in found:
        return
    cold, warm = (
        scoring.by(at_temperature(strategy, value, scoring.where, found)).table(rows, targets)
        for value in (0.5, 2.0)
    )
    if not scoring.same(cold, 4 * warm.astype(np.float64)):
        found.add(
            "temperature",
            "Scores are not inversely proportional to the temperature, which tuning takes for "
            f"granted {scoring.where}.",
        )
