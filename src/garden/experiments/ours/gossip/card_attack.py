"""An attack on cards: whether two owners are neighbours, from their cards alone."""

from __future__ import annotations

import numpy as np

from garden.graphs.graph import Graph
from garden.strategies.gossip.sketches import Entries, entries_of
from garden.strategies.representations import Representations

_NAMED, _TOO_FAR, _SUM = 1e12, 1e9, 1e4  # each outweighs what stands behind it


def attack_scores(cards: Representations, pairs: np.ndarray) -> np.ndarray:
    """How much each pair of owners looks like neighbours, (num_pairs,).

    In this order: a card names the other owner at distance 1; the greatest difference of their
    distances to a common entry, which the triangle inequality bounds by 1 for neighbours; the
    least sum of distances to a common entry; how many entries are common.

    Args:
        cards: A row per node.
        pairs: (num_pairs, 2) positions.
    """
    entries = _all_entries(cards)
    ends = np.searchsorted(entries.owner, np.arange(len(cards) + 1))
    own = cards.ragged["keys"].values[cards.ragged["keys"].offsets[:-1]]

    def card(node: int) -> tuple[np.ndarray, np.ndarray]:
        part = slice(ends[node], ends[node + 1])
        return entries.keys[part], entries.distances[part]

    return np.array([_score(card(a), card(b), own[a], own[b]) for a, b in pairs.tolist()])


def _score(
    mine: tuple[np.ndarray, np.ndarray],
    theirs: tuple[np.ndarray, np.ndarray],
    my_key: np.uint64,
    their_key: np.uint64,
) -> float:
    named = ((mine[0] == their_key) & (mine[1] == 1)).any()
    named |= ((theirs[0] == my_key) & (theirs[1] == 1)).any()
    common, left, right = np.intersect1d(
        mine[0], theirs[0], assume_unique=True, return_indices=True
    )
    if len(common) == 0:
        return _NAMED * named - _NAMED
    first, second = mine[1][left], theirs[1][right]
    apart = np.abs(first - second).max()
    least = (first + second).min()
    return float(_NAMED * named - _TOO_FAR * max(0, apart - 1) - _SUM * least + len(common))


def _all_entries(cards: Representations) -> Entries:
    sketch = entries_of(cards, np.arange(len(cards)), 0)
    others = cards.ragged["neighbours"]
    owner = np.concatenate([sketch.owner, others.owner])
    both = Entries(
        owner,
        np.concatenate([sketch.keys, others.values]),
        np.concatenate([sketch.distances, np.ones(len(others.values), dtype=np.int64)]),
        np.concatenate([sketch.classes, np.zeros(len(others.values), dtype=np.int8)]),
    )
    return both.take(np.argsort(owner, kind="stable"))


def strangers_of(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random pairs of different nodes without a link, (count, 2).

    Args:
        graph: The graph; some of its nodes must lack a link.
        count: How many pairs.
        rng: Draws them; a pair may come twice.
    """
    found = np.empty((0, 2), dtype=np.int64)
    while len(found) < count:
        drawn = rng.integers(graph.num_nodes, size=(count, 2))
        linked = np.array([b in graph.neighbours(a) for a, b in drawn.tolist()])
        found = np.concatenate([found, drawn[(drawn[:, 0] != drawn[:, 1]) & ~linked]])
    return found[:count]


def auc(of_links: np.ndarray, of_strangers: np.ndarray) -> float:
    """The chance that a link scores above a pair of strangers, ties one half.

    Args:
        of_links: Scores of pairs with a link, (num_links,).
        of_strangers: Scores of pairs without one, (num_strangers,).

    Returns:
        1 where every link scores above every pair of strangers, 0.5 where scores tell nothing.
    """
    ordered = np.sort(of_strangers)
    below = np.searchsorted(ordered, of_links, side="left")
    up_to = np.searchsorted(ordered, of_links, side="right")
    return float((below + up_to).mean() / (2 * len(ordered)))
