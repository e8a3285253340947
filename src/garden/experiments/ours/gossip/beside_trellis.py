"""``beacons`` on the test pairs that trained policies were played on: units of work and a table.

What trellis found is taken from the results of other experiments, beside these, where the task's
hash is the same; no policy is trained here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.graphs import FACEBOOK, PAGES, column_of, graphs_of
from garden.experiments.ours.gossip.outcomes import MEMORIES, outcomes_by_memory
from garden.experiments.ours.gossip.sketch_labels import sketch_label, with_memory
from garden.experiments.ours.gossip.sketch_walks import Searchers
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Row
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of, task_of
from garden.experiments.run.store import RUNS_FILE, Store
from garden.graphs.distances import pair_distances
from garden.strategies.gossip.beacons import RULE, Beacons

NUM_SEEDS = 3
SIZES = ((4, 0), (4, 1), (16, 0), (16, 1))  # k and paths
_GRAPHS: Mapping[str, str] = {**FACEBOOK, "twitch:PTBR": "twitch:PTBR", **PAGES}
_TRAINED = ("trellis", "trellis+backtrack")
_STORES = ("facebook", "larger")


@final
@dataclass(frozen=True)
class SplitTrial(Work):
    """``beacons`` on the test pairs of one split."""

    kind: ClassVar[str] = "gossip-test-pairs"
    titled: ClassVar[str] = "{unit.graph}, test pairs of seed {unit.seed}"

    graph: str
    seed: int
    sizes: tuple[tuple[int, int], ...] = SIZES  # k and paths
    rule: int = RULE  # of the scores

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """One walk for each pair and memory; rank seed 0."""
        task = task_of(self.graph, self.seed)
        graph, pairs = graph_of(self.graph), task.test_pairs
        distances = pair_distances(graph, pairs)
        played = {}
        for k, paths in self.sizes:
            searchers = Searchers.settled(graph, Beacons(k=k, paths=paths))
            for memory, one in outcomes_by_memory(searchers, pairs, distances).items():
                played[with_memory(sketch_label(k, paths), memory)] = one
        return {"task_hash": task.content_hash, "played": played}


def works(scope: Scope) -> list[Work]:
    """Every graph and split that trellis may have been trained on."""
    return [work for of in _trials(scope).values() for work in of]


def tables(scope: Scope, result_of: ResultOf, folder: Path) -> list[Table]:
    """One table, or none where no graph is asked for.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: That of the experiment; what trellis found lies beside it.
    """
    results = {name: [result_of(work) for work in of] for name, of in _trials(scope).items()}
    if not results:
        return []
    stored = stored_ratios(folder.parent)
    rows: list[Row] = []
    for label in [with_memory(sketch_label(*size), one) for size in SIZES for one in MEMORIES]:
        means = (np.mean([one["played"][label]["ratio"] for one in of]) for of in results.values())
        rows.append((label, *(f"{mean:.3f}" for mean in means)))
    for label in _TRAINED:
        cells = (
            _trained_cell([stored.get((one["task_hash"], label)) for one in of])
            for of in results.values()
        )
        rows.append((label, *cells))
    footing = (
        f"The test pairs of {len(next(iter(results.values())))} splits, the same for all rows. "
        "Trellis is trained on other targets of the same graph and sees ego graphs alone; its "
        f"figures are those stored by the experiments {' and '.join(_STORES)}. Other graphs have "
        "no trained trellis."
    )
    columns = ("strategy", *map(column_of, results))
    return [Table("gossip-trellis", "Oracle ratio on test pairs", columns, tuple(rows), footing)]


def stored_ratios(results: Path) -> dict[tuple[str, str], float]:
    """The mean ratio of each trained contender on test pairs, by task hash and label."""
    found = {}
    for name in _STORES:
        if not (results / name / RUNS_FILE).exists():
            continue
        for record in Store(results / name).records.values():
            evaluation = record["work"].get("evaluation", {})
            if evaluation.get("split") != "test" or evaluation.get("all_pairs"):
                continue
            for label in _TRAINED:
                if label in record["result"]["contenders"]:
                    one = record["result"]["contenders"][label]
                    mean = float(np.average(one["ratio"], weights=one["pairs"]))
                    found[record["result"]["task_hash"], label] = mean
    return found


def _trained_cell(ratios: list[float | None]) -> str:
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios):
        return "– (no stored run on these pairs)"
    return f"{np.mean(known):.3f}"


def _trials(scope: Scope) -> dict[str, list[SplitTrial]]:
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if scope.quick else NUM_SEEDS))
    return {
        name: [SplitTrial(spec, seed) for seed in seeds]
        for name, spec in graphs_of(scope, _GRAPHS).items()
    }
