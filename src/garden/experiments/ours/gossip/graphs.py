"""The graphs of the experiment by name, and the pairs that are played on them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from garden.datasets.task import draw_pairs
from garden.experiments.paper.published import GRAPHS, title_of
from garden.experiments.run.config import Scope
from garden.graphs.graph import Graph
from garden.random_streams import GOSSIP_TARGETS

FACEBOOK: Mapping[str, str] = {ego: f"facebook:{ego}" for ego in GRAPHS}
TWITCH: Mapping[str, str] = {f"twitch:{one}": f"twitch:{one}" for one in ("PTBR", "RU", "ES")}
PAGES: Mapping[str, str] = {"musae-facebook": "musae-facebook"}
GENERATED: Mapping[str, str] = {
    "power-law": "power-law:n=100000,degree=16,seed=0",
    "small-world": "small-world:n=100000,degree=10,rewired=0.05,seed=0",
}
LARGE: Mapping[str, str] = {
    "power-law-1e6": "power-law:n=1000000,degree=16,seed=0",
    "small-world-1e6": "small-world:n=1000000,degree=10,rewired=0.05,seed=0",
}
"""Played only where they are named: they take many minutes and 6 GB."""

_FAMILIES = {
    "fb100": "Amherst41 Bowdoin47 Haverford76 JohnsHopkins55 Simmons81 Swarthmore42 USFCA72",
    "twitch": "FR ZHTW",
    "wikipedia": "chameleon",
    "deezer": "HU",
    "coauthor": "cs",
    "amazon": "photo",
    "blogs": "blogcatalog",
    "citation": "acm cora cora_ml",
    "web": "cornell texas",
    "tolokers": "tolokers",
    "circles": (
        "0 345 850 1357 1968 2365 2473 2630 2790 2976 3236 4406 4829 5212 5494 5744 5881 6413 6726 "
        "6934 8100 8338 8553 8777 8890 9642 9846 10793 10929 11014 11186 11364 11410 11818 12178 "
        "12800 13353 13789 14129 15672 16378 16642 16869 17002 17497 17748 18005 18612 18844 19129 "
        "19268 19608 19788 20050 20518 21098 21869 22364 22650 22824 23157 23978 24812 24857 25568 "
        "25708 25773 26321 26492 27022"
    ),
}
COLLECTION: Mapping[str, str] = {
    f"{family}/{name}": f"collection:{family}/{name}"
    for family, names in _FAMILIES.items()
    for name in names.split()
}
"""The 90 graphs of the collection."""

SHOWN: Mapping[str, str] = {**FACEBOOK, **TWITCH, **PAGES, **GENERATED}
"""Graphs with a column of their own."""

KNOWN: Mapping[str, str] = {**SHOWN, **COLLECTION, **LARGE}
_QUICK = ("414", "686", "web/texas")
MAX_TARGETS = 2000  # up to so many nodes, every node is a target
FEWER_TARGETS = 300
SOURCES_PER_TARGET = 50


def graphs_of(scope: Scope, among: Mapping[str, str] = KNOWN) -> dict[str, str]:
    """Those of some graphs that a scope asks for, by name; three small ones for a quick run.

    Args:
        scope: Its graphs are names of :data:`KNOWN`; without, all but the large ones.
        among: Specs by name; what is asked for beside them is left out.

    Returns:
        Specs by name, in the order of :data:`KNOWN`.
    """
    chosen = scope.graphs_among(tuple(KNOWN))
    if scope.graphs is None:
        chosen = _QUICK if scope.quick else tuple(name for name in KNOWN if name not in LARGE)
    return {name: among[name] for name in chosen if name in among}


def column_of(name: str) -> str:
    """How a table names a graph."""
    if name in GRAPHS:
        return title_of(name)
    return f"{name}, 10⁵" if name in GENERATED else name.replace("-1e6", ", 10⁶")


def by_case(is_so: Mapping[str, bool]) -> dict[str, bool]:
    """Whether it is so on each graph with a column, and on all of each family of the collection."""
    cases: dict[str, bool] = {}
    for name, so in is_so.items():
        case = name.partition("/")[0] if name in COLLECTION else column_of(name)
        cases[case] = cases.get(case, True) and so
    return cases


def pairs_to_targets(graph: Graph) -> np.ndarray:
    """Pairs to every node of a small graph or 300 of a large one, from 50 sources each.

    Returns:
        (num_pairs, 2), sorted by target; a target has each source once, and all others where there
        are no more than 50.
    """
    rng = np.random.default_rng([0, GOSSIP_TARGETS])
    num_nodes = graph.num_nodes
    targets = np.arange(num_nodes)
    if num_nodes > MAX_TARGETS:
        targets = np.sort(rng.choice(num_nodes, FEWER_TARGETS, replace=False))
    parts = []
    for target in targets.tolist():
        count = min(SOURCES_PER_TARGET, num_nodes - 1)
        sources = rng.choice(num_nodes - 1, count, replace=False)
        sources += sources >= target
        parts.append(np.column_stack([np.sort(sources), np.full(count, target)]))
    return np.concatenate(parts)


def drawn_pairs(graph: Graph, count: int, tag: int) -> np.ndarray:
    """Random pairs of all nodes, (count, 2).

    Args:
        graph: The graph.
        count: How many pairs.
        tag: Which random stream draws them, one of :mod:`garden.random_streams`.
    """
    return draw_pairs(np.arange(graph.num_nodes), graph.num_nodes, count, [0, tag])
