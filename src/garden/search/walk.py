"""One episode, hop by hop, in plain NumPy: the definition of decentralised search.

At each hop the holder scores its neighbours by their representations and the target's, the memory
adjusts those scores, and the selection rule draws the next holder. Only neighbours of holders are
scored, so that this serves single messages on graphs of any size; the compiled walks of
:mod:`garden.search.rollout` repeat it hop for hop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from garden.graphs.graph import Graph
from garden.search.episode_rng import next_streams, uniforms_of
from garden.search.lazy_rows import LazyRows, RowSource
from garden.strategies.base import (
    Strategy,
    check_declarations,
    checked_representations,
    scores_at_holder,
)
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights, choose, hop_uniform


@dataclass(frozen=True)
class Walk:
    """The path of one message."""

    nodes: tuple[int, ...]  # positions of the holders, the source first
    probabilities: tuple[float, ...]  # of each hop, under its holder's scores and memory
    delivered: bool  # whether the last node is the target

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return len(self.probabilities)


@dataclass(frozen=True, eq=False)
class Choice:
    """What one holder chose from."""

    holder: int
    candidates: np.ndarray  # (num_candidates,) positions of its neighbours
    scores: np.ndarray  # (num_candidates,) as the strategy gave them
    probabilities: np.ndarray  # (num_candidates,) under scores and memory
    chosen: int  # a position


Observer = Callable[[Choice], None]
"""Called at each hop with what its holder chose from."""


def walk(
    graph: Graph,
    strategy: Strategy,
    representations: RowSource,
    source: int,
    target: int,
    memory: Memory,
    max_hops: int,
    stream: int,
    observe: Observer | None = None,
) -> Walk:
    """Walk one message from source to target.

    Args:
        graph: The graph that the message travels on.
        strategy: Whose scores and selection decide.
        representations: One row per node of the graph, made by this strategy, at hand or lazily.
        source: The position of the first holder.
        target: The position of the target.
        memory: What the message carries and how that changes scores.
        max_hops: The hop at which the message is given up.
        stream: The random state that hops are drawn from, 64 bits.
        observe: Called at each hop with what its holder chose from.
    """
    if not isinstance(representations, LazyRows):
        checked_representations(representations, graph.num_nodes, strategy.name)
    state = np.array([stream], dtype=np.uint64)

    def next_uniform(_hop: int) -> float:
        nonlocal state
        state = next_streams(state)
        return float(uniforms_of(state)[0])

    return _walk(
        graph.neighbours,
        next_uniform,
        strategy,
        representations,
        source,
        target,
        memory,
        max_hops,
        observe,
    )


def walk_by_keys(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    source: int,
    target: int,
    memory: Memory,
    max_hops: int,
    keys: np.ndarray,
    message_id: int,
    attempt: int = 0,
) -> Walk:
    """Walk one message as peers do: another way of drawing, that each holder can do by itself.

    Candidates stand in the order of their keys, and the random number of a hop is
    :func:`garden.strategies.selection.hop_uniform`.

    Args:
        graph: The graph that the message travels on.
        strategy: Whose scores and selection decide.
        representations: One row per node of the graph, as its peer has it.
        source: The position of the first holder.
        target: The position of the target.
        memory: What the message carries and how that changes scores.
        max_hops: The hop at which the message is given up.
        keys: The key of each node, (num_nodes,) uint64.
        message_id: The id of the message, 128 bits.
        attempt: The attempt, from 0.
    """
    checked_representations(representations, graph.num_nodes, strategy.name)

    def by_key(holder: int) -> np.ndarray:
        neighbours = graph.neighbours(holder)
        return neighbours[np.argsort(keys[neighbours])]

    return _walk(
        by_key,
        partial(hop_uniform, message_id, attempt),
        strategy,
        representations,
        source,
        target,
        memory,
        max_hops,
    )


def _walk(
    neighbours_of: Callable[[int], np.ndarray],
    uniform_of: Callable[[int], float],
    strategy: Strategy,
    representations: RowSource,
    source: int,
    target: int,
    memory: Memory,
    max_hops: int,
    observe: Observer | None = None,
) -> Walk:
    """The walk, given the candidates of a holder in their order, and the number of each hop."""
    check_declarations(strategy)
    memory = memory.among(representations).towards(target)
    target_row = representations.take(np.array([target]))
    state: Any = memory.start()
    nodes = [source]
    probabilities: list[float] = []
    while nodes[-1] != target and len(probabilities) < max_hops:
        holder = nodes[-1]
        candidates = neighbours_of(holder)
        own = scores_at_holder(strategy, representations.take(candidates), target_row)
        scores, state = memory.recall(state, holder, candidates, own)
        weights = choice_weights(scores, strategy.selection)
        chosen = choose(weights, uniform_of(len(probabilities)))
        probabilities.append(float(weights[chosen] / weights.sum()))
        nodes.append(int(candidates[chosen]))
        if observe is not None:
            observe(Choice(holder, candidates, own, weights / weights.sum(), nodes[-1]))
    return Walk(tuple(nodes), tuple(probabilities), nodes[-1] == target)
