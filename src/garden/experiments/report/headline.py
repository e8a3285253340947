"""The table that the README opens with: the paper's agent, the best rule, our own model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garden.experiments.paper.published import FACEBOOK, title_of
from garden.experiments.report.intervals import Pooled
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import mean_and_worst

BEST_RULE = "bidirectional+visited"
PAPERS_ROW = "the paper's GARDEN, attributes as published"


def headline_table(
    name: str,
    pools: Mapping[str, Pooled],
    chosen: Mapping[str, str],
    footing: str,
    as_published: Sequence[tuple[str, Mapping[str, str]]] = (),
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
