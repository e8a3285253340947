"""The memory `frontier`: a best-first search over all neighbours that were ever passed by.

The compiled walk of :mod:`garden.search.frontier_kernel` equals it hop for hop.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from garden.strategies.memory import Memory


@dataclass(frozen=True)
class Passed:
    """A neighbour that was not chosen: its value where it was a candidate, and whose it was."""

    node: int
    value: float
    gate: int  # the holder that has it as a neighbour


@dataclass(frozen=True)
class Map:
    """The search tree, the neighbours not chosen yet, and the path being followed."""

    came_from: Mapping[int, int] = field(default_factory=dict)  # parents; the source is its own
    passed: tuple[Passed, ...] = ()
    way: tuple[int, ...] = ()  # the nodes ahead
    last: int = -1  # the previous holder


@final
@dataclass(frozen=True)
class FrontierMemory(Memory):
    """Best-first search: the best of all neighbours ever passed by, less the cost of going back.

    Among the pairs (v, g) of an unvisited node v and a visited node g with v ∈ N(g), the message
    goes to the one that maximises

        value(v, g) − p · d(h, g),        p = hop_price / (1 + m / patience),

    with d(h, g) the hops from the holder back to g in the tree of visited nodes, all of them walked
    and counted, and m the number of visited nodes: the longer the search, the less a hop back
    costs. value(v, g) is the score s_v where scores of different holders' neighbours compare
    (``by_score``), else log softmax(s)_v among the neighbours of g.
    """

    hop_price: float = 2.0
    patience: float = 8.0  # visited nodes at which the price has fallen by half
    by_score: bool = False

    name = "frontier"

    @property
    def address(self) -> str:
        """The name, the price of a hop and how it falls."""
        value = "score less " if self.by_score else ""
        fall = f", half after {self.patience:g} nodes" if math.isfinite(self.patience) else ""
        return f"{self.name}: {value}{self.hop_price:g} a hop{fall}"

    def start(self) -> Map:
        """An empty map: nothing is visited and the frontier has no node."""
        return Map()

    def recall(
        self, state: Map, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Map]:
        """Only the next node of the path keeps its score, or the best new neighbours do.

        Args:
            state: The tree, the nodes passed by, and the way ahead.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
        if state.way:
            onward = candidates == state.way[0]
            step = Map(state.came_from, state.passed, state.way[1:], holder)
            return np.where(onward, scores, -np.inf), step
        came_from = {**state.came_from, holder: state.last if state.came_from else holder}
        total = 0.0
        if not self.by_score:
            total = np.log(np.exp(scores - scores.max()).sum()) + scores.max()
        new = [
            Passed(int(node), float(score - total), holder)
            for node, score in zip(candidates, scores, strict=True)
            if int(node) not in came_from
        ]
        passed = (*(one for one in state.passed if one.node != holder), *new)
        ways = {gate: way_in_tree(came_from, holder, gate) for gate in {one.gate for one in passed}}
        price = self.hop_price / (1 + len(came_from) / self.patience)
        values = [one.value - price * len(ways[one.gate]) for one in passed]
        best = max(values, default=-np.inf)
        here = {
            one.node
            for one, value in zip(passed, values, strict=True)
            if one.gate == holder and value == best
        }
        if here or not passed:
            chosen = np.array([int(node) in here for node in candidates])
            step = Map(came_from, passed, (), holder)
            return np.where(chosen, scores, -np.inf), step
        goal = passed[values.index(best)]
        way = (*ways[goal.gate], goal.node)
        return (
            np.where(candidates == way[0], scores, -np.inf),
            Map(came_from, passed, way[1:], holder),
        )


def way_in_tree(came_from: Mapping[int, int], start: int, stop: int) -> tuple[int, ...]:
    """The nodes after one on the path to another in the tree of visited nodes.

    Args:
        came_from: The parent of each; the root is its own.
        start: Where the path begins.
        stop: The node that it ends with.
    """
    up = {start: 0}
    node = start
    while came_from[node] != node:
        node = came_from[node]
        up[node] = len(up)
    down = [stop]
    while down[-1] not in up:
        down.append(came_from[down[-1]])
    climb = sorted(up, key=up.__getitem__)[1 : up[down[-1]] + 1]
    return (*climb, *reversed(down[:-1]))
