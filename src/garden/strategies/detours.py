"""What a memory does in a network that loses nodes: around a neighbour that is gone.

The rules of :mod:`.memory` may allow one neighbour alone: the way back, or the next node of a way
that was planned. Where that one is gone, the nearest earlier holder that is a neighbour takes its
place. Where nobody is gone, everything here equals the rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from garden.strategies.explore import Explored, ExploreMemory
from garden.strategies.frontier import FrontierMemory, Map, way_in_tree
from garden.strategies.memory import BacktrackMemory, Memory, Trail


def recalled(
    memory: Memory, state: Any, holder: int, candidates: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, Any] | None:
    """The scores by which the holder chooses and the new state, as ``memory.recall`` gives them.

    Args:
        memory: The rule.
        state: The state in the message as the holder received it.
        holder: Its address.
        candidates: (num_candidates,) addresses of the neighbours that are there.
        scores: (num_candidates,) scores of the strategy.

    Returns:
        None where no neighbour may be chosen.

    """
    if len(candidates) == 0:
        return None
    if isinstance(memory, BacktrackMemory):
        return _backtracked(memory, state, holder, candidates, scores)
    if isinstance(memory, ExploreMemory) and state.trail is not None:
        return _explored_back(state, holder, candidates, scores)
    chosen, after = memory.recall(state, holder, candidates, scores)
    if not np.isneginf(chosen).all():
        return chosen, after
    if isinstance(memory, FrontierMemory):
        return _replanned(memory, after, holder, candidates, scores)
    return None


def _backtracked(
    memory: BacktrackMemory,
    state: Trail,
    holder: int,
    candidates: np.ndarray,
    scores: np.ndarray,
) -> tuple[np.ndarray, Trail] | None:
    there = candidates.tolist()
    if not state.met.issuperset(there):
        return memory.recall(state, holder, candidates, scores)
    met = state.met | {holder}
    way_back = state.way_back if holder in state.met else (*state.way_back, holder)
    for place in range(len(way_back) - 2, -1, -1):
        if way_back[place] in there and way_back[place] != holder:
            back = candidates == way_back[place]
            return np.where(back, scores, -np.inf), Trail(met, way_back[: place + 1])
    return None


def _explored_back(
    state: Explored, holder: int, candidates: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, Explored] | None:
    """By `backtrack`, where `explore` has found nothing new."""
    assert state.trail is not None
    found = _backtracked(BacktrackMemory(), state.trail, holder, candidates, scores)
    return None if found is None else (found[0], replace(state, trail=found[1]))


def _replanned(
    memory: FrontierMemory, state: Map, holder: int, candidates: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, Map] | None:
    """Towards the best node passed by, over a first step that is there."""
    there = set(candidates.tolist())
    came_from = {**state.came_from, holder: _earlier(state.came_from, holder, there)}
    passed = tuple(one for one in state.passed if one.gate != holder or one.node in there)
    price = memory.hop_price / (1 + len(came_from) / memory.patience)
    best: tuple[float, tuple[int, ...]] | None = None
    for one in passed:
        way = (*way_in_tree(came_from, holder, one.gate), one.node)
        value = one.value - price * (len(way) - 1)
        if way[0] in there and (best is None or value > best[0]):
            best = value, way
    if best is None:
        return None
    step = Map(came_from, passed, best[1][1:], holder)
    return np.where(candidates == best[1][0], scores, -np.inf), step


def _earlier(came_from: Any, holder: int, there: set[int]) -> int:
    """The nearest node above the holder in the tree that is there; its parent where none is."""
    node = holder
    while came_from[node] != node:
        node = came_from[node]
        if node in there:
            return int(node)
    return int(came_from[holder])
