"""What a card costs and tells: the limit of neighbours' keys, and privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.card_attack import attack_scores, auc, strangers_of
from garden.experiments.ours.gossip.graphs import (
    FACEBOOK,
    GENERATED,
    PAGES,
    TWITCH,
    column_of,
    graphs_of,
)
from garden.experiments.ours.gossip.outcomes import estimate, outcomes_by_memory
from garden.experiments.ours.gossip.sketch_walks import PricedBeacons, Searchers
from garden.experiments.ours.gossip.tradeoff import BYTES_PER_KEY, NUM_PAIRS, pairs_of
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.random_streams import CARD_PAIRS
from garden.search.rounds import settle
from garden.strategies.gossip.beacons import RULE, Beacons, Rank
from garden.strategies.gossip.sketches import num_adjacent
from garden.strategies.representations import Representations

K = 16
LIMITS = (0, 16, 64, -1)  # of neighbours' keys on a card; −1: all of them
RANKS: tuple[Rank, ...] = ("degree", "hash")
NUM_CARD_PAIRS = 10_000
_GRAPHS: Mapping[str, str] = {
    **FACEBOOK,
    **TWITCH,
    **PAGES,
    **GENERATED,
    "fb100/JohnsHopkins55": "collection:fb100/JohnsHopkins55",
}


@final
@dataclass(frozen=True)
class CardLimitTrial(Work):
    """One graph, with cards of several limits of neighbours' keys."""

    kind: ClassVar[str] = "gossip-card-limit"
    titled: ClassVar[str] = "{unit.graph}, neighbours on a card"

    graph: str
    k: int = K
    paths: int = Beacons.paths
    limits: tuple[int, ...] = LIMITS
    num_pairs: int = NUM_PAIRS
    rule: int = RULE  # of the scores

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """The same sketches with every limit, on the same pairs."""
        graph = graph_of(self.graph)
        beacons = Beacons(k=self.k, paths=self.paths)
        settled = Searchers.settled(graph, beacons)
        rows = settled.rows
        pairs, distances = pairs_of(self.graph, self.num_pairs)
        by_limit = {}
        for limit in self.limits:
            most = graph.num_nodes if limit < 0 else limit
            strategy = replace(beacons, neighbours=most)
            searchers = replace(settled, strategy=PricedBeacons(strategy))
            by_limit[str(limit)] = {
                **outcomes_by_memory(searchers, pairs, distances),
                "key_bytes": _key_bytes(strategy.card(rows)),
            }
        return {
            "sketch_bytes": float(beacons.size_of(rows)[1].mean()),
            "kept_key_bytes": _key_bytes(rows),
            "max_degree": int(graph.degrees.max()),
            "over_64": float((graph.degrees > 64).mean()),
            "limits": by_limit,
        }


def _key_bytes(rows: Representations) -> float:
    return len(rows.ragged["neighbours"].values) * BYTES_PER_KEY / len(rows)


@final
@dataclass(frozen=True)
class CardPrivacyTrial(Work):
    """What two cards tell of a link between their owners, and one card of its owner's degree."""

    kind: ClassVar[str] = "gossip-card-privacy"
    titled: ClassVar[str] = "{unit.graph}, what cards tell, rank={unit.rank}"

    graph: str
    rank: Rank
    k: int = K
    paths: int = Beacons.paths
    num_pairs: int = NUM_CARD_PAIRS

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Neighbours and strangers, told apart with and without neighbours' keys on cards."""
        graph = graph_of(self.graph)
        beacons = Beacons(k=self.k, rank=self.rank, paths=self.paths)
        rows = settle(graph, beacons).rows
        rng = np.random.default_rng([0, CARD_PAIRS])
        ends = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        links = rng.integers(len(graph.indices), size=self.num_pairs)
        neighbours = np.column_stack([ends[links], graph.indices[links]])
        strangers = strangers_of(graph, self.num_pairs, rng)
        found: dict[str, Any] = {}
        for limit in (64, 0):
            cards = replace(beacons, neighbours=limit).card(rows)
            found[str(limit)] = auc(
                attack_scores(cards, neighbours), attack_scores(cards, strangers)
            )
        card = beacons.card(rows)
        shown = num_adjacent(card) + np.diff(card.ragged["neighbours"].offsets)
        return {
            "auc": found,
            "names_class": 1.0 if self.rank == "degree" else 0.0,
            "lists_all_neighbours": float((shown == graph.degrees).mean()),
        }


def works(scope: Scope) -> list[Work]:
    """How short a card may be on each graph of the scope, and what cards tell of neighbours."""
    specs = graphs_of(scope, _GRAPHS).values()
    return [
        *(CardLimitTrial(spec) for spec in specs),
        *(CardPrivacyTrial(spec, rank) for spec in specs for rank in RANKS),
    ]


def tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """What the limit costs, and what cards tell.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    graphs = graphs_of(scope, _GRAPHS)
    if not graphs:
        return []
    limits = {name: result_of(CardLimitTrial(spec)) for name, spec in graphs.items()}
    privacy = {
        (name, rank): result_of(CardPrivacyTrial(spec, rank))
        for name, spec in graphs.items()
        for rank in RANKS
    }
    return [_limit_table(limits), _privacy_table(privacy)]


def _limit_table(results: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = [
        (
            ("graph", column_of(name)),
            ("keys at most", "all" if limit == "-1" else limit),
            ("memoryless", estimate(one["none"]).text(3)),
            ("+backtrack", estimate(one["backtrack"]).text(3)),
            ("bytes of sketch and paths a node", f"{result['sketch_bytes']:.0f}"),
            ("bytes of further keys on a card", f"{one['key_bytes']:.0f}"),
            ("bytes of further keys that an agent keeps", f"{result['kept_key_bytes']:.0f}"),
            ("nodes with more than 64 neighbours, %", f"{100 * result['over_64']:.1f}"),
        )
        for name, result in results.items()
        for limit, one in result["limits"].items()
    ]
    return Table.of_cells(
        "gossip-card-limit",
        f"beacons:k={K}: oracle ratio by how many neighbours' keys a card carries (95 % interval)",
        rows,
        "Neighbours that are beacons stand in the sketch and count towards the limit; further keys "
        "are the others, 8 bytes each. An entry of a sketch is 11 bytes, a step of a path 8.",
    )


def _privacy_table(results: Mapping[tuple[str, Rank], Mapping[str, Any]]) -> Table:
    rows = [
        (
            ("graph", column_of(name)),
            ("rank", rank),
            ("AUC, 64 neighbours' keys", f"{one['auc']['64']:.4f}"),
            ("AUC, none", f"{one['auc']['0']:.4f}"),
            ("degree class named, %", f"{100 * one['names_class']:.0f}"),
            ("all neighbours listed, %", f"{100 * one['lists_all_neighbours']:.1f}"),
        )
        for (name, rank), one in results.items()
    ]
    return Table.of_cells(
        "gossip-card-privacy",
        f"beacons:k={K}: what cards tell",
        rows,
        "AUC of telling the ends of a random link from two random nodes without one, by their "
        f"cards alone, {NUM_CARD_PAIRS:,} pairs of each kind: first whether a card names the other "
        "owner at distance 1, then the greatest difference of two distances to a common entry "
        "(above 1 there is no link), the least sum, and how many entries are common. With "
        "rank=degree the own entry of a card holds the owner's class, so that it is always named; "
        "where all neighbours are listed, so is the degree.",
    )
