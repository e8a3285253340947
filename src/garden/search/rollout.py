"""Sampled evaluation: batches of walks, with or without memory.

Walks are grouped by target, since one row of scores serves all walks towards it. Each episode has
a random stream of its own; neither batches nor threads change a result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from garden.graphs.graph import Graph
from garden.search.batched_walk import walk_together
from garden.search.episode_rng import episode_streams
from garden.search.score_blocks import ScoreSource, score_blocks
from garden.search.walk import walk
from garden.strategies.base import Strategy
from garden.strategies.memory import MEMORIES, BatchMemory, FrontierMemory, Memory
from garden.strategies.representations import Representations
from garden.threads import usable_threads


@dataclass(frozen=True, eq=False)
class Rollout:
    """Sampled episodes of some pairs."""

    hops: np.ndarray  # (num_pairs, episodes_per_pair) int64; max_hops + 1 where truncated
    paths: np.ndarray  # (num_pairs, episodes_per_pair, max_hops + 1) nodes, −1 after the end


def rollout(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    pairs: np.ndarray,
    memory: Memory,
    max_hops: int,
    episodes_per_pair: int,
    seed: int,
    first_episode: int = 0,
    keep_paths: bool = False,
    scored: ScoreSource = score_blocks,
) -> Rollout:
    """Walk every (source, target) pair several times.

    ``first_episode`` is the number of the first episode, for callers that cut their pairs into
    pieces; paths are kept on request, and are empty otherwise.
    """
    num_pairs = len(pairs)
    streams = episode_streams(seed, first_episode, num_pairs * episodes_per_pair)
    streams = streams.reshape(num_pairs, episodes_per_pair)
    hops = np.empty((num_pairs, episodes_per_pair), dtype=np.int64)
    length = max_hops + 1 if keep_paths else 0
    paths = np.full((num_pairs, episodes_per_pair, length), -1, dtype=np.int32)
    kernel = _kernel_of(memory, representations)
    if kernel is None:
        _walk_each(graph, strategy, representations, pairs, memory, max_hops, streams, hops, paths)
        return Rollout(hops, paths)

    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    order = np.argsort(target_of, kind="stable")
    starts = np.searchsorted(target_of[order], np.arange(len(targets) + 1))

    with ThreadPoolExecutor(usable_threads()) as pool:
        for block, scores in scored(strategy, representations, targets):

            def run(number: int, first: int = block.start, scores: np.ndarray = scores) -> None:
                mine = order[starts[number] : starts[number + 1]]
                sources = np.repeat(pairs[mine, 0], episodes_per_pair)
                my_hops = np.empty(len(sources), dtype=np.int64)
                my_paths = np.full((len(sources) if keep_paths else 0, length), -1, dtype=np.int32)
                kernel(
                    graph.indptr,
                    graph.indices,
                    scores[number - first],
                    strategy.selection == "argmax",
                    int(targets[number]),
                    sources.astype(np.int64),
                    streams[mine].ravel(),
                    max_hops,
                    my_hops,
                    my_paths,
                )
                hops[mine] = my_hops.reshape(len(mine), -1)
                if keep_paths:
                    paths[mine] = my_paths.reshape(len(mine), episodes_per_pair, length)

            list(pool.map(run, range(block.start, block.stop)))
    return Rollout(hops, paths)


def sampled_distributions(hops: np.ndarray, max_hops: int) -> np.ndarray:
    """The share of each pair's episodes by hops, (num_pairs, max_hops + 1), as exact ones are."""
    rows = np.repeat(np.arange(len(hops)), hops.shape[1])
    flat = rows * (max_hops + 1) + hops.ravel() - 1
    counts = np.bincount(flat, minlength=len(hops) * (max_hops + 1))
    return counts.reshape(len(hops), max_hops + 1) / hops.shape[1]


def _kernel_of(memory: Memory, representations: Representations) -> Callable[..., None] | None:
    """What walks many messages at once: nothing where there is no numba or no kernel for it."""
    if isinstance(memory, BatchMemory):
        return partial(walk_together, memory=memory.among(representations))
    try:
        from garden.search import frontier_kernel as frontier
        from garden.search import kernels
    except ImportError:
        return None
    if isinstance(memory, FrontierMemory):
        return partial(
            frontier.walk_frontier,
            price=memory.hop_price,
            patience=memory.patience,
            by_score=memory.by_score,
        )
    if memory is not MEMORIES.get(memory.name):
        return None
    compiled: dict[str, Callable[..., None]] = {
        "none": kernels.walk_memoryless,
        "visited": kernels.walk_visited,
        "backtrack": kernels.walk_backtrack,
    }
    return compiled.get(memory.name)


def _walk_each(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    pairs: np.ndarray,
    memory: Memory,
    max_hops: int,
    streams: np.ndarray,
    hops: np.ndarray,
    paths: np.ndarray,
) -> None:
    for row, (source, target) in enumerate(pairs):
        for episode in range(streams.shape[1]):
            trip = walk(
                graph,
                strategy,
                representations,
                int(source),
                int(target),
                memory,
                max_hops,
                int(streams[row, episode]),
            )
            hops[row, episode] = trip.hops if trip.delivered else max_hops + 1
            if paths.shape[2]:
                paths[row, episode, : len(trip.nodes)] = trip.nodes
