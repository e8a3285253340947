"""One episode, hop by hop, in plain NumPy: the definition of decentralised search.

At each hop the holder scores its neighbours by their representations and the target's, the memory
adjusts those scores, and the selection rule draws the next holder. Only neighbours of holders are
scored, so that this serves single messages on graphs of any size; the compiled walks of
:mod:`garden.search.rollout` repeat it hop for hop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from garden.graphs.graph import Graph
from garden.search.episode_rng import next_streams, uniforms_of
from garden.search.lazy_rows import RowSource
from garden.strategies.base import (
    Strategy,
    check_declarations,
    checked_representations,
    checked_scores,
)
from garden.strategies.memory import Memory
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights, choose


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


def walk(
    graph: Graph,
    strategy: Strategy,
    representations: RowSource,
    source: int,
    target: int,
    memory: Memory,
    max_hops: int,
    stream: int,
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
    """
    check_declarations(strategy)
    if isinstance(representations, Representations):
        checked_representations(representations, graph.num_nodes, strategy.name)
        memory = memory.among(representations)
    target_row = representations.take(np.array([target]))
    memory = memory.towards(target)
    state: Any = memory.start()
    random_state = np.array([stream], dtype=np.uint64)
    nodes = [source]
    probabilities: list[float] = []
    while nodes[-1] != target and len(probabilities) < max_hops:
        holder = nodes[-1]
        candidates = graph.neighbours(holder)
        scores = scores_at_holder(strategy, representations.take(candidates), target_row)
        scores, state = memory.recall(state, holder, candidates, scores)
        weights = choice_weights(scores, strategy.selection)
        random_state = next_streams(random_state)
        chosen = choose(weights, float(uniforms_of(random_state)[0]))
        probabilities.append(float(weights[chosen] / weights.sum()))
        nodes.append(int(candidates[chosen]))
    return Walk(tuple(nodes), tuple(probabilities), nodes[-1] == target)


def scores_at_holder(
    strategy: Strategy, candidates: Representations, target_row: Representations
) -> np.ndarray:
    """A holder's scores of its neighbours, (num_candidates,) float64.

    Args:
        strategy: Who scores.
        candidates: The representations of the holder's neighbours, one row each.
        target_row: The representation of the target, one row, which the message carries.
    """
    rows = np.zeros(len(candidates), dtype=np.int64)
    scores = strategy.score_pairs(candidates, target_row.take(rows))
    return checked_scores(scores, (len(candidates),), strategy.name)
