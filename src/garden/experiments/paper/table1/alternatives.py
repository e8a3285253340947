"""Why R_trunc and R_win differ from the paper's: what other readings of them would give.

Truncation is studied on `random`, which has no parameter and reads no attribute: how far one split
and few pairs can move it, and which limit of hops would give the published share. Wins are studied
on the five agents with the paper's training: who gets the pairs that several agents share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.datasets.task import SearchTask, every_source
from garden.experiments.paper.published import AGENTS, FACEBOOK, title_of
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Result
from garden.experiments.run.jobs import Comparison, Training, Work
from garden.experiments.run.policy_cache import PolicyCache, task_of
from garden.graphs.distances import distances
from garden.resolve import strategy_named
from garden.search.chain import hop_distributions
from garden.search.config import PAPERS_LIMIT
from garden.search.metrics import win_shares
from garden.search.rounds import representations_of
from garden.search.temperature_tuning import prepare

NUM_SPLITS = 5000
NUM_PAIRS = 100
"""Pairs of a test set: the paper's truncation rates of `greedy`, which is deterministic, are whole
per cents on all five graphs, so that 100 pairs played ten times are likely."""

NUM_EPISODES = 1000
LONGEST = 200  # hops among which the limit is looked for that gives the paper's truncation
_TARGETS_AT_ONCE = 32


@final
@dataclass(frozen=True)
class RandomTruncation(Work):
    """`random` on all pairs of a graph, and on the test sets of many splits."""

    kind: ClassVar[str] = "random-truncation"
    titled: ClassVar[str] = "{unit.graph}, truncation of random"

    ego: str

    @property
    def graph(self) -> str:
        """The graph's spec; `random` reads no attributes."""
        return f"facebook:{self.ego},attributes=as-published"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Solve every chain, then draw splits and pairs.

        Args:
            cache: Not needed.

        Returns:
            The exact ratio and truncation over all pairs, their 95 % ranges over splits, the share
            of splits whose truncation is at least as far off as the paper's, the limit of hops that
            would give the paper's truncation, and the ± of :data:`NUM_EPISODES` episodes.
        """
        task = task_of(self.graph, 0)
        tables = _random_tables(task)
        ratios, late = _over_splits(task, tables)
        apart = ~np.eye(task.graph.num_nodes, dtype=bool)
        mean = float(tables.late[apart].mean())
        paper = FACEBOOK[self.ego]["random"].truncation_rate
        spread = np.sqrt(tables.squares[apart].mean() - tables.ratio[apart].mean() ** 2)
        return {
            "ratio": float(tables.ratio[apart].mean()),
            "truncated": mean,
            "ratio_range": np.quantile(ratios, (0.025, 0.975)).tolist(),
            "truncated_range": np.quantile(late, (0.025, 0.975)).tolist(),
            "share_as_far": float((np.abs(late - mean) >= abs(paper - mean)).mean()),
            "limit_of_paper": int(np.argmax(tables.survival <= paper)),
            "plus_minus": float(1.96 * spread / NUM_EPISODES**0.5),
        }


@dataclass(frozen=True, eq=False)
class _RandomTables:
    ratio: np.ndarray  # (num_nodes, num_nodes): source, target
    squares: np.ndarray  # the mean square of an episode's ratio, of the same shape
    late: np.ndarray  # P(H > T), of the same shape
    survival: np.ndarray  # (LONGEST + 1,) the mean of P(H > k) over all pairs


def _random_tables(task: SearchTask) -> _RandomTables:
    n, limit = task.graph.num_nodes, PAPERS_LIMIT
    table = distances(task.graph)
    ratio, squares, late = (np.zeros((n, n)) for _ in range(3))
    survival = np.zeros(LONGEST + 1)
    for pairs, probabilities in _random_distributions(task):
        beyond = 1 - np.cumsum(probabilities[:, :-1], axis=1)  # P(H > k) for k = 1 … LONGEST
        survival += np.concatenate([[len(pairs)], beyond.sum(axis=0)])
        capped = np.concatenate([probabilities[:, : limit - 1], beyond[:, limit - 2, None]], axis=1)
        hops = np.arange(1, limit + 1) / table[pairs[:, 0], pairs[:, 1], None]
        places = (pairs[:, 0], pairs[:, 1])
        ratio[places] = (capped * hops).sum(axis=1)
        squares[places] = (capped * hops**2).sum(axis=1)
        late[places] = beyond[:, limit - 1]
    return _RandomTables(ratio, squares, late, survival / (n * (n - 1)))


def _random_distributions(task: SearchTask) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All pairs and their distributions of hops, some targets at a time."""
    graph, strategy = task.graph, strategy_named("random")
    rows = representations_of(graph, strategy)
    for start in range(0, graph.num_nodes, _TARGETS_AT_ONCE):
        targets = np.arange(start, min(start + _TARGETS_AT_ONCE, graph.num_nodes))
        pairs = every_source(targets, graph.num_nodes)
        yield pairs, hop_distributions(graph, strategy, rows, pairs, LONGEST)


def _over_splits(task: SearchTask, tables: _RandomTables) -> tuple[np.ndarray, np.ndarray]:
    """The mean ratio and truncation of the test set of each of many splits."""
    rng, n = np.random.default_rng(0), task.graph.num_nodes
    ratios, late = np.empty(NUM_SPLITS), np.empty(NUM_SPLITS)
    for split in range(NUM_SPLITS):
        among = rng.choice(n, len(task.test_targets), replace=False)
        targets = rng.choice(among, NUM_PAIRS)
        sources = rng.integers(n - 1, size=NUM_PAIRS)
        sources += sources >= targets
        ratios[split] = tables.ratio[sources, targets].mean()
        late[split] = tables.late[sources, targets].mean()
    return ratios, late


@final
@dataclass(frozen=True)
class TieRules(Work):
    """The win rates of the paper's five agents by several rules for ties."""

    kind: ClassVar[str] = "tie-rules"
    titled: ClassVar[str] = "{unit.comparison.title}, rules for ties"

    comparison: Comparison

    @property
    def graph(self) -> str:
        """The spec of the graph whose agents are compared."""
        return self.comparison.graph

    def trainings(self) -> tuple[Training, ...]:
        """The trainings of the learned agent that takes part."""
        return self.comparison.trainings()

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Truncation and wins on the test pairs, under each alternative rule.

        Args:
            cache: Where the learned agent comes from.

        Returns:
            How often all five are truncated, and win rates by agent and rule.
        """
        task = task_of(self.comparison.graph, self.comparison.seed)
        tables = [
            self._distributions(task, one.strategy, cache) for one in self.comparison.contenders
        ]
        nobody = float(np.prod([table[:, -1] for table in tables], axis=0).mean())
        shared = win_shares(tables).mean(axis=1)
        rules = {
            "shared": shared,
            "shared, all truncated left out": (shared - nobody / len(AGENTS)) / (1 - nobody),
            "to the first of the five": ordered_wins(tables),
            "to the last of the five": ordered_wins(tables[::-1])[::-1],
        }
        return {
            "all_truncated": nobody,
            "wins": {
                name: dict(zip(AGENTS, map(float, r), strict=True)) for name, r in rules.items()
            },
        }

    def _distributions(
        self, task: SearchTask, named: str | Training, cache: PolicyCache
    ) -> np.ndarray:
        found = cache.policy(named) if isinstance(named, Training) else strategy_named(named)
        strategy = prepare(found, task, PAPERS_LIMIT)
        rows = representations_of(task.graph, strategy)
        return hop_distributions(task.graph, strategy, rows, task.test_pairs, PAPERS_LIMIT)


def ordered_wins(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Win rates where a tie goes to whoever stands first, (num_strategies,).

    Args:
        tables: A distribution of hops per strategy, (num_pairs, T + 1) each.
    """
    capped = [np.concatenate([t[:, :-2], t[:, -2:].sum(axis=1)[:, None]], axis=1) for t in tables]
    beyond = [np.maximum(1 - table.cumsum(axis=1), 0.0) for table in capped]
    rates = []
    for number, own in enumerate(capped):
        chance = own
        for other, (theirs, above) in enumerate(zip(capped, beyond, strict=True)):
            if other != number:
                chance = chance * (above if other < number else above + theirs)
        rates.append(float(chance.sum(axis=1).mean()))
    return np.array(rates)


def truncation_table(results: Mapping[str, Result]) -> Table:
    """What can move the truncation of `random`.

    Args:
        results: What :class:`RandomTruncation` stored, by ego id.
    """

    def percent(ends: Sequence[float]) -> str:
        return f"{100 * ends[0]:.1f} – {100 * ends[1]:.1f}"

    paper = {ego: FACEBOOK[ego]["random"] for ego in results}
    found = results.values()
    as_far = (f"{100 * r['share_as_far']:.1f} %" for r in found)
    rows = (
        ("the paper: truncated, %", *(f"{100 * p.truncation_rate:.1f}" for p in paper.values())),
        ("all pairs: truncated, %", *(f"{100 * r['truncated']:.1f}" for r in found)),
        ("test sets of 95 % of all splits", *(percent(r["truncated_range"]) for r in found)),
        ("splits as far from the mean as the paper", *as_far),
        ("limit of hops that gives the paper's share", *(f"{r['limit_of_paper']}" for r in found)),
        ("the paper: oracle ratio", *(f"{p.oracle_ratio:.2f}" for p in paper.values())),
        ("all pairs: oracle ratio", *(f"{r['ratio']:.2f}" for r in found)),
        (
            "test sets of 95 % of all splits",
            *("{:.1f} – {:.1f}".format(*r["ratio_range"]) for r in found),
        ),
        ("the paper: ±", *(f"{p.plus_minus:.2f}" for p in paper.values())),
        (f"± of {NUM_EPISODES:,} episodes", *(f"{r['plus_minus']:.2f}" for r in found)),
    )
    return Table(
        "paper-truncation",
        "`random`, which has no parameter: what a split can do to truncation",
        ("random", *map(title_of, results)),
        rows,
        f"Exact over all pairs, at most {PAPERS_LIMIT} hops; {NUM_SPLITS:,} splits, each with a "
        f"tenth of the nodes as targets and {NUM_PAIRS} pairs.",
    )


def ties_table(results: Mapping[str, Sequence[Result]]) -> Table:
    """Win rates by rule for ties.

    Args:
        results: What :class:`TieRules` stored, one per seed, by ego id.
    """

    def mean(of: Sequence[Result], rule: str, agent: str) -> float:
        return sum(one["wins"][rule][agent] for one in of) / len(of)

    def off(ego: str, rule: str) -> float:
        paper = FACEBOOK[ego]
        return sum(abs(mean(results[ego], rule, a) - paper[a].win_rate) for a in AGENTS)

    rows = [
        (
            "the paper",
            *(" / ".join(f"{100 * FACEBOOK[e][a].win_rate:.1f}" for a in AGENTS) for e in results),
        )
    ]
    rules = next(iter(results.values()))[0]["wins"]
    for rule in rules:
        rates = (
            " / ".join(f"{100 * mean(of, rule, a):.1f}" for a in AGENTS) for of in results.values()
        )
        rows.append((rule, *rates))
        rows.append(("… sum of differences", *(f"{100 * off(ego, rule):.1f}" for ego in results)))
    nobody = (sum(one["all_truncated"] for one in of) / len(of) for of in results.values())
    rows.append(("pairs on which all five are truncated, %", *(f"{100 * x:.1f}" for x in nobody)))
    return Table(
        "paper-ties",
        f"Wins, %, by who gets a tie: {' / '.join(AGENTS)}",
        ("ties", *map(title_of, results)),
        tuple(rows),
        "The agents and splits of the table of the paper's own training. Shared is the rule of all "
        "other tables.",
    )
