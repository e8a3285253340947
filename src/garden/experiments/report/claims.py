"""Claims held against results: values that a table renders. People write the prose, in the docs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from garden.experiments.report.intervals import Estimate, Pooled

Verdict = Literal["holds", "fails", "undecided", "mixed"]
MORE_HOPS, FEWER_HOPS = 1, -1
"""On which side of 0 a difference of oracle ratios must lie for a claim to hold."""


@dataclass(frozen=True)
class Claim:
    """A statement, and the cases (graphs, densities, …) that decide it."""

    text: str
    """The statement, true or false of each case."""

    holds_on: tuple[str, ...] = ()
    """Cases where it is true: of a difference, the whole 95 % interval is on its side of 0."""

    fails_on: tuple[str, ...] = ()
    """Cases where it is false: the whole interval is on the other side of 0."""

    undecided_on: tuple[str, ...] = ()
    """Cases that do not decide: the interval includes 0."""

    @property
    def verdict(self) -> Verdict:
        """One word where all cases agree, else ``mixed``."""
        found: list[Verdict] = []
        found += ["holds"] * bool(self.holds_on)
        found += ["fails"] * bool(self.fails_on)
        found += ["undecided"] * bool(self.undecided_on)
        return found[0] if len(found) == 1 else "mixed"


def claim_of_signs(text: str, signs: Mapping[str, int]) -> Claim:
    """A claim from one sign per case.

    Args:
        text: The statement.
        signs: By case: 1 where it holds, −1 where it fails, 0 where it is undecided.

    Returns:
        The claim, with its cases sorted by their sign.
    """

    def cases(sign: int) -> tuple[str, ...]:
        return tuple(case for case, found in signs.items() if found == sign)

    return Claim(text, cases(1), cases(-1), cases(0))


def claim_by_case(text: str, cases: Mapping[str, bool]) -> Claim:
    """A claim that needs no interval: each case is either so or not.

    Args:
        text: The statement.
        cases: By case, whether it holds.

    Returns:
        The claim, undecided on no case.
    """
    return claim_of_signs(text, {case: 1 if is_so else -1 for case, is_so in cases.items()})


def claim_of_differences(text: str, differences: Mapping[str, Estimate], side: int = 1) -> Claim:
    """A claim that differences lie on one side of 0.

    Args:
        text: The statement.
        differences: The paired difference of each case, with its 95 % interval.
        side: 1 if differences above 0 bear the statement out, −1 if those below do.

    Returns:
        The claim, undecided on cases whose interval includes 0.
    """
    return claim_of_signs(text, {case: side * one.sign for case, one in differences.items()})


def claim_of_comparison(
    pools: Mapping[str, Pooled],
    mine: str,
    other: str,
    metric: str = "ratio",
    side: int = FEWER_HOPS,
    text: str | None = None,
) -> Claim:
    """A claim about a paired comparison of two contenders on the same pairs.

    Args:
        pools: The comparisons, by case.
        mine: The label of the contender that the claim is about.
        other: The label of the one that it is compared with.
        metric: ``ratio``, ``truncated`` or another metric that was pooled.
        side: −1 where the claim is that ``mine`` has less of the metric, 1 where it has more.
        text: The statement; if left out, it is made of labels and metric.

    Returns:
        The claim, by case.
    """
    amount = {"ratio": "hops", "truncated": "truncated walks"}.get(metric, metric)
    statement = text or f"{mine}: {'fewer' if side < 0 else 'more'} {amount} than {other}"
    differences = {case: pool.difference(metric, mine, other) for case, pool in pools.items()}
    return claim_of_differences(statement, differences, side)


def claim_rows(claims: Iterable[Claim]) -> list[tuple[str, ...]]:
    """A row per claim: statement, verdict, and the cases on which it holds, fails or neither."""
    return [
        (
            claim.text,
            claim.verdict,
            _listed(claim.holds_on),
            _listed(claim.fails_on),
            _listed(claim.undecided_on),
        )
        for claim in claims
    ]


CLAIM_COLUMNS = ("claim", "verdict", "holds on", "fails on", "undecided on")


def _listed(cases: Sequence[str]) -> str:
    return ", ".join(cases) or "–"
