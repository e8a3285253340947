"""Targets known by their profile: ``directory`` beside ``universal``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, final

import numpy as np

from garden.experiments.ours.gossip.graphs import (
    FACEBOOK,
    MAX_TARGETS,
    PAGES,
    column_of,
    graphs_of,
    pairs_to_targets,
)
from garden.experiments.ours.gossip.outcomes import outcome_of_walks
from garden.experiments.ours.gossip.profile_orders import MAX_EXACT, order_ratios
from garden.experiments.report.claims import Claim, claim_by_case
from garden.experiments.report.sections import Table
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.distances import distances, pair_distances
from garden.graphs.graph import Graph
from garden.resolve import contender_named
from garden.search.config import PAPERS_LIMIT
from garden.search.rollout import rollout
from garden.search.rounds import node_keys, settle
from garden.search.traffic import path_traffic, shortest_path_traffic
from garden.strategies.gossip.beacons import RULE, Beacons
from garden.strategies.gossip.cards import COPIES, left_cards, own_keys, place_of
from garden.strategies.gossip.directory import Directory
from garden.strategies.gossip.sketches import best_first
from garden.strategies.representations import Representations

PROFILE, EGO = "directory", "directory:target=ego"
UNIVERSAL = "universal+backtrack"
_BY_PROFILE = (PROFILE, "directory:paths=0", "directory:k=4", "directory:k=4,paths=0")
_CONTENDERS = (*_BY_PROFILE, EGO, UNIVERSAL)
_GRAPHS: Mapping[str, str] = {**FACEBOOK, **PAGES}
_ORDERS: Mapping[str, str] = {
    "least": "no rule with the profile alone is below",
    "best_known": "all of the profile in a good order, every distance known",
    "nearest_first": "the same, nearest first",
}
_BARS = {"414": 1.81, "0": 1.57, "3437": 1.70, "musae-facebook": 1.40}


@final
@dataclass(frozen=True)
class ProfileTrial(Work):
    """One contender on one graph, to every node or to 300 of them."""

    kind: ClassVar[str] = "gossip-by-profile"
    titled: ClassVar[str] = "{unit.graph}, {unit.contender}, targets by profile"

    graph: str
    contender: str
    rule: int = RULE  # of the scores

    def to_json(self) -> dict[str, Any]:
        """Every option; those of ``directory`` with their values."""
        strategy = contender_named(self.contender).strategy
        options = {"options": strategy.parameters} if isinstance(strategy, Directory) else {}
        return super().to_json() | options

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """One walk for each pair; for ``directory`` also where cards lie and who makes the hops."""
        graph = graph_of(self.graph)
        contender = contender_named(self.contender)
        settled = settle(graph, contender.strategy)
        pairs = pairs_to_targets(graph)
        walks = rollout(
            graph,
            contender.strategy,
            settled.rows,
            pairs,
            contender.memory,
            PAPERS_LIMIT,
            episodes_per_pair=1,
            seed=0,
            keep_paths=True,
        )
        found = outcome_of_walks(walks.hops, pairs, pair_distances(graph, pairs))
        if self.contender == EGO:
            found["by_way_of_directory"] = _detour_ratio(graph, settled.rows, pairs)
        if settled.cost is not None and settled.cost.cards is not None:
            best = best_first(node_keys(graph, 0), Beacons().classes(graph.degrees))[: Beacons().k]
            load = path_traffic(walks.paths, graph.num_nodes).load
            shortest = shortest_path_traffic(graph, pairs).load
            found["cards"] = asdict(settled.cost.cards)
            found["share_of_hops"] = float(load[best].sum() / load.sum())
            found["share_of_shortest"] = float(shortest[best].sum() / shortest.sum())
        return found


@final
@dataclass(frozen=True)
class OrderTrial(Work):
    """What it costs on one graph that a profile does not tell those who share it apart."""

    kind: ClassVar[str] = "gossip-profile-orders"
    titled: ClassVar[str] = "{unit.graph}, orders of visiting equal profiles"

    graph: str

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Mean ratios over all pairs, or why there are none."""
        graph = graph_of(self.graph)
        if graph.num_nodes > MAX_TARGETS:
            return {"empty": f"more than {MAX_TARGETS:,} nodes"}
        return asdict(order_ratios(graph))


def _detour_ratio(graph: Graph, rows: Representations, pairs: np.ndarray) -> float:
    """The mean ratio by way of the nearer directory to the target itself, on shortest paths."""
    left = left_cards(rows, Beacons().k)
    keys = own_keys(rows)
    by_key = np.argsort(keys)
    node = by_key[np.searchsorted(keys, left.directory, sorter=by_key)]
    kept = np.full((graph.num_nodes, COPIES), -1)
    kept[left.owner, place_of(left.owner, graph.num_nodes)] = node
    kept = np.where(kept < 0, kept[:, :1], kept)
    directories, number = np.unique(kept[pairs[:, 1]], return_inverse=True)
    hops = distances(graph, directories).astype(np.int64)
    number = number.reshape(-1, COPIES)
    there = np.stack([hops[number[:, one], pairs[:, 0]] for one in range(COPIES)], axis=1)
    on = np.stack([hops[number[:, one], pairs[:, 1]] for one in range(COPIES)], axis=1)
    nearer = there.argmin(axis=1)[:, None]
    total = np.take_along_axis(there + on, nearer, axis=1)[:, 0]
    return float((total / pair_distances(graph, pairs)).mean())


def works(scope: Scope) -> list[Work]:
    """Every contender on every graph, and the bounds that hold there for all."""
    trials: list[Work] = [work for of in _trials(scope).values() for work in of.values()]
    return trials + [OrderTrial(spec) for spec in graphs_of(scope, _GRAPHS).values()]


def findings(scope: Scope, result_of: ResultOf) -> tuple[list[Claim], list[Table]]:
    """Whether ``directory`` is below its bars, and two tables: ratios, and what cards cost.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
    """
    trials = _trials(scope)
    if not trials:
        return [], []
    results = {
        name: {label: result_of(work) for label, work in of.items()} for name, of in trials.items()
    }
    orders = {name: result_of(OrderTrial(spec)) for name, spec in graphs_of(scope, _GRAPHS).items()}
    return _claims(results), [_ratios(results, orders), _costs(results)]


Results = Mapping[str, Mapping[str, Mapping[str, Any]]]


def _trials(scope: Scope) -> dict[str, dict[str, ProfileTrial]]:
    return {
        name: {label: ProfileTrial(spec, label) for label in _CONTENDERS}
        for name, spec in graphs_of(scope, _GRAPHS).items()
    }


def _claims(results: Results) -> list[Claim]:
    bounds = ", ".join(f"{column_of(name)} {bar:g}" for name, bar in _BARS.items())
    claims = []
    for label in (PROFILE, EGO):
        cases = {
            column_of(name): of[label]["ratio"] <= _BARS[name]
            for name, of in results.items()
            if name in _BARS
        }
        if cases:
            claims.append(claim_by_case(f"{label}: a ratio of at most {bounds}", cases))
        delivered = {column_of(name): of[label]["truncated"] == 0 for name, of in results.items()}
        claims.append(claim_by_case(f"{label}: nothing truncated", delivered))
    return claims


def _ratios(results: Results, orders: Mapping[str, Mapping[str, Any]]) -> Table:
    ratios = {
        label: (label, *(_ratio(of[label]) for of in results.values())) for label in _CONTENDERS
    }
    detours = (f"{of[EGO]['by_way_of_directory']:.2f}" for of in results.values())
    best = (min(_CONTENDERS, key=lambda label: of[label]["ratio"]) for of in results.values())
    rows = (
        *(ratios[label] for label in _BY_PROFILE),
        *(
            (title, *(_order(orders[name], figure) for name in results))
            for figure, title in _ORDERS.items()
        ),
        ratios[EGO],
        ("shortest paths to the nearer directory and on", *detours),
        ratios[UNIVERSAL],
        ("best of universal and directory", *best),
    )
    return Table(
        "gossip-by-profile",
        "A target known by its profile: oracle ratio (truncated, %)",
        ("contender", *map(column_of, results)),
        rows,
        "Every node is a target up to 2,000 nodes, 300 above; 50 sources a target, one walk a "
        "pair, truncated at 100 hops. The three rows of orders are means over all "
        f"pairs; the first is exact where no more than {MAX_EXACT} nodes share a profile, a bound "
        "rounded down elsewhere. "
        "`universal` is played as shipped: it was trained on these "
        "graphs, and its agents see ego graphs alone.",
    )


def _ratio(one: Mapping[str, Any]) -> str:
    return f"{one['ratio']:.2f} ({100 * one['truncated']:.2g})"


def _order(orders: Mapping[str, Any], figure: str) -> str:
    if "empty" in orders:
        return f"– ({orders['empty']})"
    if figure == "least" and not orders["exact"]:
        return f"{math.floor(100 * orders[figure]) / 100:.2f}"
    return f"{orders[figure]:.2f}"


def _costs(results: Results) -> Table:
    found = [of[EGO] for of in results.values()]
    shares = {
        "share_of_hops": "directories' share of all hops, %",
        "share_of_shortest": "the same on shortest paths, %",
    }
    rows = (
        *(
            (figure.replace("_", " "), *(f"{one['cards'][figure]:,.4g}" for one in found))
            for figure in found[0]["cards"]
        ),
        *((title, *(f"{100 * one[name]:.1f}" for one in found)) for name, title in shares.items()),
    )
    return Table(
        "gossip-directories",
        f"{EGO}: what cards cost, and who makes the hops",
        ("figure", *map(column_of, results)),
        rows,
        "Each agent leaves its card with two of the 16 best-ranked nodes.",
    )
