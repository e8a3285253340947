"""The tables of Table 1: the paper's numbers above ours, and what joining attributes changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS, PublishedResult
from garden.experiments.paper.table1.claims import PAPER
from garden.experiments.report.headline import headline_table
from garden.experiments.report.intervals import Pooled
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import (
    Result,
    Row,
    difference_rows,
    footing_of,
    group_win_rates,
    percent_rows,
    ratio_rows,
)

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
    columns = ("strategy", *(f"{GRAPHS[ego]} ({ego})" for ego in pools))
    footing = footing_of({GRAPHS[ego]: pool for ego, pool in pools.items()})
    slug = join.replace(" ", "-")

    def table(name: str, caption: str, rows: Sequence[Row]) -> Table:
        return Table(f"{name}-{slug}", caption, columns, tuple(rows), footing)

    return [
        headline_table(f"headline-{slug}", pools, chosen, footing, as_published),
        table(
            "ratio",
            f"Oracle ratio, attributes joined {join} (95 % interval)",
            [*_paper_rows(pools, _ratio), *ratio_rows(pools), _chosen_row(pools, chosen)],
        ),
        table(
            "truncated",
            f"Truncated within 100 hops, %, attributes joined {join}",
            [*_paper_rows(pools, _truncation), *percent_rows(pools, "truncated")],
        ),
        table(
            "wins",
            f"Share of wins, %, ties shared, attributes joined {join}",
            [*_paper_rows(pools, _win_rate), *_group_rows(results)],
        ),
        table(
            "differences",
            f"Paired differences of the oracle ratio, attributes joined {join}",
            difference_rows(pools, COMPARISONS),
        ),
    ]


def joining_table(by_id: Pools, as_published: Pools) -> Table:
    """How much of what distance saves over random is left where neighbours are not alike.

    Args:
        by_id: Comparisons with each node's own attributes, by ego id.
        as_published: The same graphs with attributes as the paper joins them.
    """

    def saved(pool: Pooled) -> float:
        return pool.estimate("ratio", "random").mean - pool.estimate("ratio", "distance").mean

    def means(pools: Pools, of: Callable[[Pooled], float]) -> list[str]:
        return [f"{of(pools[ego]):.2f}" for ego in by_id]

    def garden(pool: Pooled) -> float:
        return pool.estimate("ratio", "garden").mean

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
    columns = ("oracle ratio", *(f"{GRAPHS[ego]} ({ego})" for ego in by_id))
    footing = "As published, each node has another node's attributes: neighbours are not alike."
    return Table("joining", "What joining attributes by id changes", columns, rows, footing)


def _paper_rows(pools: Pools, cell: Callable[[PublishedResult], str]) -> list[Row]:
    return [(f"paper: {agent}", *(cell(FACEBOOK[ego][agent]) for ego in pools)) for agent in AGENTS]


def _ratio(paper: PublishedResult) -> str:
    return f"{paper.oracle_ratio:.2f} ± {paper.plus_minus:.2f}"


def _truncation(paper: PublishedResult) -> str:
    return f"{100 * paper.truncation_rate:.1f}"


def _win_rate(paper: PublishedResult) -> str:
    return f"{100 * paper.win_rate:.1f}"


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
