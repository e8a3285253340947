"""The result of a comparison, as JSON, as a data frame, as rows per pair, or as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from garden.graphs.graph import Graph
from garden.notebook import table_as_html
from garden.search.config import EvaluationConfig
from garden.search.metrics import DistanceBand, PairOutcomes
from garden.search.rounds import GossipCost
from garden.strategies.base import Knowledge

if TYPE_CHECKING:
    import pandas

COLUMNS = (
    "strategy",
    "memory",
    "oracle ratio",
    "95 % interval",
    "truncated",
    "wins",
    "hops",
    "evaluation",
    "knows",
)
REPRESENTED = "nodes represented"
BEYOND = "beyond the limit"


@dataclass(frozen=True)
class StrategyResult:
    """One strategy's results; the metrics are those of :mod:`garden.search.metrics`.

    Rates are fractions of 1.
    """

    name: str
    memory: str
    parameters: Mapping[str, Any]  # of the strategy, such as its tuned temperature
    evaluation: str  # "exact" or "sampled"
    knows: Knowledge  # what its agents know: their ego graphs, or also what neighbours told them
    gossip: GossipCost | None  # what the rounds cost, where it has rounds
    oracle_ratio: float | None  # None where every pair is further apart than the limit
    oracle_ratio_ci: tuple[float, float] | None  # None where there is a single target
    truncation_rate: float
    win_rate: float
    mean_hops: float
    by_distance: Mapping[int, DistanceBand]  # by the shortest distance of a pair
    outcomes: PairOutcomes = field(repr=False)
    represented_nodes: int | None = None  # nodes with a row, where the rest was left out
    evaluation_reason: str | None = None  # why it is exact or sampled

    def to_json(self) -> dict[str, Any]:
        """The result as plain values, without the outcomes of single pairs."""
        gossip = {} if self.gossip is None else {"gossip": self.gossip.to_json()}
        lazy = self.represented_nodes
        return {
            "name": self.name,
            "memory": self.memory,
            "parameters": dict(self.parameters),
            "evaluation": self.evaluation,
            **({"evaluation_reason": self.evaluation_reason} if self.evaluation_reason else {}),
            "knows": self.knows,
            **gossip,
            **({} if lazy is None else {"represented_nodes": lazy}),
            "oracle_ratio": self.oracle_ratio,
            "oracle_ratio_ci": list(self.oracle_ratio_ci or (None, None)),
            "truncation_rate": self.truncation_rate,
            "win_rate": self.win_rate,
            "mean_hops": self.mean_hops,
            "by_distance": {str(hops): asdict(band) for hops, band in self.by_distance.items()},
        }


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison of strategies on the same pairs.

    ``report["greedy"]`` is one strategy's result, ``str(report)`` the table as text, and
    :meth:`to_json` and :meth:`to_pandas` the same for programs.
    """

    graph: Graph
    task_hash: str
    seed: int  # of the split
    config: EvaluationConfig  # its `max_hops` is a number, also where `auto` was asked for
    pairs: np.ndarray  # (num_pairs, 2): source, target
    distances: np.ndarray  # (num_pairs,)
    results: tuple[StrategyResult, ...]  # in the order of the contenders
    seen_targets: bool = False  # whether a policy's training may have seen the targets

    def __getitem__(self, name: str) -> StrategyResult:
        """The result of a strategy, by its name or by ``name+memory``."""
        for result in self.results:
            if name in (result.name, f"{result.name}+{result.memory}"):
                return result
        raise KeyError(name)

    @property
    def num_pairs_beyond_limit(self) -> int:
        """How many pairs are further apart than the limit of hops; no ratio counts them."""
        assert isinstance(self.config.max_hops, int)
        return int((self.distances > self.config.max_hops).sum())

    def to_json(self) -> dict[str, Any]:
        """The report as plain values, as ``garden evaluate --json`` writes it."""
        return {
            "graph": self.graph.name,
            "num_nodes": self.graph.num_nodes,
            "num_edges": self.graph.num_edges,
            "seed": self.seed,
            "task_hash": self.task_hash,
            "split": self.config.split,
            "all_pairs": self.config.all_pairs,
            "max_hops": self.config.max_hops,
            "episodes_per_pair": self.config.episodes_per_pair,
            "num_pairs": len(self.pairs),
            "num_pairs_beyond_limit": self.num_pairs_beyond_limit,
            "num_targets": len(np.unique(self.pairs[:, 1])),
            "seen_targets": self.seen_targets,
            "strategies": [result.to_json() for result in self.results],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """One row per strategy, with the ends of its interval in columns of their own."""
        import pandas

        rows = [result.to_json() for result in self.results]
        for row in rows:
            row["oracle_ratio_low"], row["oracle_ratio_high"] = row.pop("oracle_ratio_ci")
            del row["by_distance"]
            row |= {f"gossip_{name}": value for name, value in row.pop("gossip", {}).items()}
        return pandas.DataFrame(rows)

    def pairs_csv(self) -> str:
        """A CSV table with a line per strategy and pair: distance, expected hops, truncation."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            ["strategy", "memory", "source", "target", "distance", "hops", "truncation"]
        )
        names = self.graph.node_names
        for result in self.results:
            for (source, target), distance, hops, truncation in zip(
                self.pairs,
                self.distances,
                result.outcomes.hops,
                result.outcomes.truncation,
                strict=True,
            ):
                values = (int(distance), f"{hops:.6g}", f"{truncation:.6g}")
                writer.writerow([result.name, result.memory, names[source], names[target], *values])
        return text.getvalue()

    def columns(self) -> tuple[str, ...]:
        """The heads of the table.

        One more where not all nodes were represented or scored, and one where pairs are further
        apart than the limit of hops.
        """
        lazy = (REPRESENTED,) if self._is_lazy else ()
        return (*COLUMNS, *lazy, *((BEYOND,) if self.num_pairs_beyond_limit else ()))

    @property
    def _is_lazy(self) -> bool:
        return any(result.represented_nodes is not None for result in self.results)

    def _represented(self, result: StrategyResult) -> tuple[str, ...]:
        """The cell under :data:`REPRESENTED`, where there is such a column."""
        if not self._is_lazy:
            return ()
        count = result.represented_nodes
        return (f"{self.graph.num_nodes if count is None else count:,}",)

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, cell by cell, under :meth:`columns`; rates in percent."""
        beyond = self.num_pairs_beyond_limit
        last = (f"{beyond} of {len(self.pairs)}",) if beyond else ()
        return [
            (
                _name_with_parameters(result),
                result.memory,
                ratio_text(result.oracle_ratio),
                _interval(result.oracle_ratio_ci),
                f"{100 * result.truncation_rate:.1f} %",
                f"{100 * result.win_rate:.1f} %",
                f"{result.mean_hops:.1f}",
                result.evaluation,
                result.knows,
                *self._represented(result),
                *last,
            )
            for result in self.results
        ]

    def title(self) -> str:
        """What was compared, on one line."""
        return (
            f"{self.graph.name}: {len(self.pairs)} {self.config.split} pairs, "
            f"mean distance {self.distances.mean():.2f}, at most {self.config.max_hops} hops, "
            f"seed {self.seed}"
        )

    def __str__(self) -> str:
        lines = [self.columns(), *self.rows()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title(), *table])

    def __repr__(self) -> str:
        ratio = COLUMNS.index("oracle ratio")
        found = [
            f"{result.name}+{result.memory} {row[ratio]}".replace("+none ", " ")
            for result, row in zip(self.results, self.rows(), strict=True)
        ]
        pairs = f"{len(self.pairs)} {self.config.split} pairs"
        return f"Report({self.graph.name!r}, {pairs}, oracle ratios: {', '.join(found)})"

    def _repr_html_(self) -> str:
        return table_as_html(self.title(), self.columns(), self.rows())


def ratio_text(ratio: float | None) -> str:
    """An oracle ratio with two digits; a dash where there is none."""
    return "–" if ratio is None else f"{ratio:.2f}"


def _interval(ends: tuple[float, float] | None) -> str:
    return "–" if ends is None else f"{ends[0]:.2f} – {ends[1]:.2f}"


def _name_with_parameters(result: StrategyResult) -> str:
    temperature = result.parameters.get("temperature")
    return result.name if temperature is None else f"{result.name} (τ = {temperature:.3g})"
