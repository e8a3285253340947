"""One episode, hop by hop, in plain NumPy: the definition of what search does.

It scores only the candidates that the message meets, so it serves single messages on graphs of
any size; the compiled walks of :mod:`garden.search.rollout` repeat it hop for hop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from garden.graphs.graph import Graph
from garden.search.episode_rng import next_streams, uniforms_of
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
    """The trip of one message."""

    nodes: tuple[int, ...]  # positions, the source first
    probabilities: tuple[float, ...]  # of each hop, as the holder saw it
    delivered: bool

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return len(self.probabilities)


def walk(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    source: int,
    target: int,
    memory: Memory,
    max_hops: int,
    stream: int,
) -> Walk:
    """Walk one message from source to target; ``stream`` is its random state (64 bits)."""
    check_declarations(strategy)
    checked_representations(representations, graph.num_nodes, strategy.name)
    target_row = representations.take(np.array([target]))
    memory = memory.among(representations)
    state: Any = memory.start()
    state_of_chance = np.array([stream], dtype=np.uint64)
    nodes = [source]
    probabilities: list[float] = []
    while nodes[-1] != target and len(probabilities) < max_hops:
        holder = nodes[-1]
        candidates = graph.neighbours(holder)
        scores = scores_at_holder(strategy, representations.take(candidates), target_row)
        scores, state = memory.recall(state, holder, candidates, scores)
        weights = choice_weights(scores, strategy.selection)
        state_of_chance = next_streams(state_of_chance)
        chosen = choose(weights, float(uniforms_of(state_of_chance)[0]))
        probabilities.append(float(weights[chosen] / weights.sum()))
        nodes.append(int(candidates[chosen]))
    return Walk(tuple(nodes), tuple(probabilities), nodes[-1] == target)


def scores_at_holder(
    strategy: Strategy, candidates: Representations, target_row: Representations
) -> np.ndarray:
    """A holder's scores of its neighbours, from what they announced and the message says of its
    target, (num_candidates,).
    """
    rows = np.zeros(len(candidates), dtype=np.int64)
    scores = strategy.score_pairs(candidates, target_row.take(rows))
    return checked_scores(scores, (len(candidates),), strategy.name)
