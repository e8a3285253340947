"""What Table 1 says, and what it would say with stronger baselines, as claims by graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from garden.experiments.paper.published import AGENTS
from garden.experiments.report.claims import Claim, claim_by_case, claim_of_comparison
from garden.experiments.report.headline import BEST_RULE
from garden.experiments.report.intervals import Pooled
from garden.experiments.report.tables import Result, group_win_rates

PAPER = "paper"
"""The win group of the paper's five agents."""

COMPARED = (  # contender, compared with, metric
    ("distance", "random", "ratio"),
    ("connection", "random", "ratio"),
    ("garden", "distance", "ratio"),
    ("garden", "distance", "truncated"),
    ("bidirectional", "garden", "ratio"),
    (BEST_RULE, "garden", "ratio"),
    ("garden", "garden, argmax", "ratio"),
    ("trellis", "trellis, argmax", "ratio"),
    ("trellis", BEST_RULE, "ratio"),
)
"""Each claim: the first has less of the metric than the second."""


def table1_claims(
    join: str, pools: Mapping[str, Pooled], results: Mapping[str, Sequence[Result]]
) -> list[Claim]:
    """The claims for one way of joining attributes.

    Args:
        join: How attributes were joined, ``by id`` or ``as published``.
        pools: The comparisons, by column.
        results: What each seed's comparison stored, by column.

    Returns:
        One claim for each of :data:`COMPARED`, and who of the paper's five wins most.
    """
    claims = []
    for mine, other, metric in COMPARED:
        claim = claim_of_comparison(pools, mine, other, metric)
        claims.append(replace(claim, text=f"{join}: {claim.text}"))
    winners = {case: most_wins(of) == "garden" for case, of in results.items()}
    text = f"{join}: of the paper's five, garden wins most pairs"
    return [*claims, claim_by_case(text, winners)]


def most_wins(results: Sequence[Result]) -> str:
    """Who of the paper's five wins most pairs, over all seeds."""
    return max(AGENTS, key=lambda agent: sum(group_win_rates(results, PAPER, agent)))
