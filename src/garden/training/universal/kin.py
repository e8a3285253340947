"""Which graphs count as one where some are left out: kin are left out together.

Two graphs are kin if they count as met by content (:mod:`garden.graphs.link_sketches`), or are
named as kin here: samples of one graph, or the same papers with other attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx

from garden.graphs.graph import Graph
from garden.graphs.link_sketches import GraphSketch, link_hashes, named_link_hashes

NAMED_KIN = (("collection:citation/cora", "collection:citation/cora_ml"),)
"""Kin that share too few profiles to be found by content."""

_FEWEST_SHARED_NAMES = 32


def kin_groups(graphs: Mapping[str, Graph]) -> list[tuple[str, ...]]:
    """The graphs, by spec, in groups of kin; groups and members in the order given."""
    kin = nx.Graph()
    kin.add_nodes_from(graphs)
    kin.add_edges_from(kin_pairs(graphs))
    groups = nx.connected_components(kin)
    return [tuple(spec for spec in graphs if spec in group) for group in groups]


def kin_pairs(graphs: Mapping[str, Graph]) -> list[tuple[str, str]]:
    """All pairs of kin, by spec."""
    sketches = {spec: GraphSketch.of(graph) for spec, graph in graphs.items()}
    pairs = [pair for pair in NAMED_KIN if all(spec in graphs for spec in pair)]
    for spec, graph in graphs.items():
        links, named = link_hashes(graph), named_link_hashes(graph)
        for other, sketch in sketches.items():
            if other != spec and (
                sketch.links.is_met_by(links)
                or sketch.named_links.is_met_by(named, _FEWEST_SHARED_NAMES)
            ):
                pairs.append((spec, other))
    return list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))


def folds_of(groups: Sequence[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    """The groups dealt out to folds, one after the other.

    Args:
        groups: kin, by name; each stays in one fold.
        count: how many folds; the last are empty where there are fewer groups.
    """
    folds: list[list[str]] = [[] for _ in range(count)]
    for number, group in enumerate(groups):
        folds[number % count] += group
    return [tuple(fold) for fold in folds]
