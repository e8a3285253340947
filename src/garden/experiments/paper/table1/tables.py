"""The tables and claims of Table 1: the paper's numbers above ours, and what joining changes.

The headline is the table that the README opens with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from garden.experiments.paper.published import (
    AGENTS,
    FACEBOOK,
    PublishedResult,
    by_name,
    title_of,
)
from garden.experiments.report.claims import Claim, claim_by_case, claim_of_comparison
from garden.experiments.report.intervals import Pooled
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import (
    Result,
    Row,
    difference_rows,
    footing_of,
    group_win_rates,
    mean_and_worst,
    percent_rows,
    ratio_rows,
)
from garden.experiments.run.jobs import BEST_RULE

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

COMPARISONS = (
    ("garden", "distance"),
    ("garden, argmax", "garden"),
    ("garden", "bidirectional"),
    ("garden (exact)", "garden"),
    ("trellis", "garden"),
    ("trellis", "bidirectional+visited"),
    ("trellis, argmax", "trellis"),
    ("trellis+backtrack", "trellis"),
)
_LEAST = 1e-3  # hops over the shortest path: where distance saves none, no share of it is left

Pools = Mapping[str, Pooled]  # by ego id
PAPERS_ROW = "the paper's GARDEN, attributes as published"


def tables_of(
    join: str,
    pools: Pools,
    chosen: Mapping[str, str],
    results: Mapping[str, Sequence[Result]],
    as_published: Sequence[tuple[str, Mapping[str, str]]] = (),
) -> list[Table]:
    """The five tables for one way of joining attributes.

    Args:
        join: How attributes were joined, ``by id`` or ``as published``.
        pools: The comparisons, by ego id.
        chosen: Trellis with the memory that validation targets chose, by ego id.
        results: What each seed's comparison stored, by ego id.
        as_published: Rows of the headline that are of attributes as published.

    Returns:
        The headline, oracle ratios, truncation, wins and paired differences.
    """
    columns = ("strategy", *map(title_of, pools))
    footing = footing_of(by_name(pools))
    slug = join.replace(" ", "-")

    def papers(cell: Callable[[PublishedResult], str]) -> list[Row]:
        return [
            (f"paper: {agent}", *(cell(FACEBOOK[ego][agent]) for ego in pools)) for agent in AGENTS
        ]

    def table(name: str, caption: str, rows: Sequence[Row]) -> Table:
        return Table(f"{name}-{slug}", caption, columns, tuple(rows), footing)

    return [
        _headline_table(f"headline-{slug}", pools, chosen, footing, as_published),
        table(
            "ratio",
            f"Oracle ratio, attributes joined {join} (95 % interval)",
            [*papers(PublishedResult.ratio_text), *ratio_rows(pools), _chosen_row(pools, chosen)],
        ),
        table(
            "truncated",
            f"Truncated within 100 hops, %, attributes joined {join}",
            [
                *papers(lambda paper: f"{100 * paper.truncation_rate:.1f}"),
                *percent_rows(pools, "truncated"),
            ],
        ),
        table(
            "wins",
            f"Share of wins, %, ties shared, attributes joined {join}",
            [*papers(lambda paper: f"{100 * paper.win_rate:.1f}"), *_group_rows(results)],
        ),
        table(
            "differences",
            f"Paired differences of the oracle ratio, attributes joined {join}",
            difference_rows(pools, COMPARISONS),
        ),
    ]


def _headline_table(
    name: str,
    pools: Pools,
    chosen: Mapping[str, str],
    footing: str,
    as_published: Sequence[tuple[str, Mapping[str, str]]],
) -> Table:
    """Means over seeds by graph, the table that the README shows.

    Args:
        name: The table's name, and its file's.
        pools: The comparisons, one per graph.
        chosen: By graph, the contender that is trellis with the memory that validation chose.
        footing: What stands under the table.
        as_published: Further rows, below the paper's and like it of attributes as published: a
            label and the oracle ratio by graph, of some of them.

    Returns:
        A row per strategy and a column per graph.
    """

    def means(label: str) -> list[str]:
        return [f"{pool.mean('ratio', label):.2f}" for pool in pools.values()]

    def with_worst(labels: Mapping[str, str]) -> list[str]:
        return [mean_and_worst(pool, labels[ego]) for ego, pool in pools.items()]

    def truncated(labels: Mapping[str, str]) -> list[str]:
        return [f"{100 * pool.mean('truncated', labels[ego]):.2f} %" for ego, pool in pools.items()]

    memoryless = dict.fromkeys(pools, "trellis")
    rows = (
        (PAPERS_ROW, *(f"{FACEBOOK[ego]['garden'].oracle_ratio:.2f}" for ego in pools)),
        *((label, *(cells.get(ego, "–") for ego in pools)) for label, cells in as_published),
        ("`garden`, by `a2c`", *means("garden")),
        ("`garden`, by `exact`", *means("garden (exact)")),
        (f"best training-free rule, `{BEST_RULE}`", *means(BEST_RULE)),
        ("`trellis` (worst seed)", *with_worst(memoryless)),
        ("… truncated", *truncated(memoryless)),
        ("`trellis`, memory chosen on validation (worst seed)", *with_worst(chosen)),
        ("… truncated", *truncated(chosen)),
        ("… which memory", *(chosen[ego].partition("+")[2] for ego in pools)),
        ("the shortest path", *("1" for _ in pools)),
    )
    columns = ("", *map(title_of, pools))
    return Table(name, "Hops over the shortest path, test targets", columns, rows, footing)


def joining_table(by_id: Pools, as_published: Pools) -> Table:
    """How much of what distance saves over random is left where neighbours are not alike.

    Args:
        by_id: Comparisons with each node's own attributes, by ego id.
        as_published: The same graphs with attributes as the paper joins them.
    """

    def saved(pool: Pooled) -> float:
        return pool.mean("ratio", "random") - pool.mean("ratio", "distance")

    def garden(pool: Pooled) -> float:
        return pool.mean("ratio", "garden")

    def means(pools: Pools, of: Callable[[Pooled], float]) -> list[str]:
        return [f"{of(pools[ego]):.2f}" for ego in by_id]

    shares = [
        f"{100 * saved(as_published[ego]) / max(saved(by_id[ego]), _LEAST):.0f} %" for ego in by_id
    ]
    rows = (
        ("random − distance, by id", *means(by_id, saved)),
        ("random − distance, as published", *means(as_published, saved)),
        ("… share of the former", *shares),
        ("garden, by id", *means(by_id, garden)),
        ("garden, as published", *means(as_published, garden)),
    )
    columns = ("oracle ratio", *map(title_of, by_id))
    footing = "As published, each node has another node's attributes: neighbours are not alike."
    return Table("joining", "What joining attributes by id changes", columns, rows, footing)


def _chosen_row(pools: Pools, chosen: Mapping[str, str]) -> Row:
    return (
        "trellis, memory chosen on validation",
        *(
            f"{pool.estimate('ratio', chosen[ego]).text()}, {chosen[ego].partition('+')[2]}"
            for ego, pool in pools.items()
        ),
    )


def _group_rows(results: Mapping[str, Sequence[Result]]) -> list[Row]:
    def cell(of: Sequence[Result], agent: str) -> str:
        rates = group_win_rates(of, PAPER, agent)
        return f"{100 * sum(rates) / len(rates):.1f}"

    return [
        (f"{agent}, among the five", *(cell(of, agent) for of in results.values()))
        for agent in AGENTS
    ]


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
