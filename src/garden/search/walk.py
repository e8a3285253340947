"""One episode, hop by hop, in plain NumPy: the definition of what search does.

It scores only the candidates that the message meets, so it serves single messages on graphs of
any size; the compiled walks of :mod:`garden.search.rollout` repeat it hop for hop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from garden.graphs.graph import Graph
from garden.strategies.base import (
    Representations,
    Strategy,
    check_declarations,
    checked_representations,
    checked_scores,
)
from garden.strategies.memory import Memory
from garden.strategies.selection import choice_weights, choose

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


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
    nodes = [source]
    probabilities: list[float] = []
    while nodes[-1] != target and len(probabilities) < max_hops:
        holder = nodes[-1]
        candidates = graph.neighbours(holder)
        scores = scores_at_holder(strategy, representations.take(candidates), target_row)
        scores, state = memory.recall(state, holder, candidates, scores)
        weights = choice_weights(scores, strategy.selection)
        stream = (stream + _GOLDEN) & _WORD
        chosen = choose(weights, uniform_of(stream))
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


def episode_streams(seed: int, first: int, count: int) -> np.ndarray:
    """Random states of episodes number ``first`` … of this seed, (count,) uint64.

    Each episode has a stream of its own, so that results depend neither on how episodes are
    batched nor on threads.
    """
    return streams_of(stream_root(seed), np.arange(first, first + count))


def stream_root(seed: int) -> np.uint64:
    """What the streams of all episodes of a seed are made from."""
    root: np.uint64 = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return root


def streams_of(roots: np.ndarray | np.uint64, numbers: np.ndarray) -> np.ndarray:
    """Random states of the episodes with these numbers, of one root or of one each, uint64."""
    words = roots + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_GOLDEN)
    # Two rounds of mixing keep neighbouring episodes' streams apart.
    for _ in range(2):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words = words ^ (words >> np.uint64(31))
    return words


def next_streams(streams: np.ndarray) -> np.ndarray:
    """The states after these, (count,) uint64."""
    return streams + np.uint64(_GOLDEN)


def uniforms_of(streams: np.ndarray) -> np.ndarray:
    """:func:`uniform_of` for many states at once."""
    words = (streams ^ (streams >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((words ^ (words >> np.uint64(31))) >> np.uint64(11)) / (1 << 53)


def uniform_of(state: int) -> float:
    """The number in [0, 1) that a state of a stream stands for (SplitMix64)."""
    word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return ((word ^ (word >> 31)) >> 11) / (1 << 53)
