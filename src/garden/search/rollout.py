"""Sampled evaluation: batches of walks, with or without memory.

Walks are grouped by target, since one row of scores serves all walks towards it. Each episode has
a random stream of its own, so that neither batches nor threads change a result. Every way to walk
(compiled kernels, batched memories, one walk after another) repeats :func:`garden.search.walk.walk`
hop for hop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from garden.datasets.task import pairs_by_target
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads
from garden.search.batched_walk import walk_batch
from garden.search.episode_rng import episode_streams
from garden.search.link_tables import LinkTable
from garden.search.walk import walk
from garden.strategies.base import ScoreSource, Strategy, score_blocks
from garden.strategies.explore import ExploreMemory
from garden.strategies.frontier import FrontierMemory
from garden.strategies.memory import BatchMemory, Memory
from garden.strategies.registry import MEMORIES
from garden.strategies.representations import Representations

Kernel = Callable[..., None]
"""Walks many messages towards one target: :func:`garden.search.batched_walk.walk_batch` or one
that has its arguments."""


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
    """Walk every pair several times.

    Args:
        graph: The graph that messages travel on.
        strategy: Whose scores and selection decide.
        representations: One row per node of the graph, made by this strategy.
        pairs: Positions of source and target, (num_pairs, 2).
        memory: What a message carries and how that changes scores.
        max_hops: The hop at which an episode is truncated.
        episodes_per_pair: How often each pair is walked.
        seed: With an episode's number, the seed of that episode's random stream.
        first_episode: The number of the first episode, for callers that cut their pairs into
            blocks; pair p, repetition r is number first_episode + p · episodes_per_pair + r.
        keep_paths: Whether paths are recorded; they are empty otherwise.
        scored: Where score tables come from; a :class:`ScoreMemo` shares them between calls.

    Returns:
        The hops of each episode and, where asked for, its path.
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

    targets, rows_of = pairs_by_target(pairs)
    for block, scores in scored(strategy, representations, targets):

        def run(number: int, first: int = block.start, scores: np.ndarray = scores) -> None:
            rows = rows_of[number]
            sources = np.repeat(pairs[rows, 0], episodes_per_pair)
            found_hops = np.empty(len(sources), dtype=np.int64)
            num_paths = len(sources) if keep_paths else 0
            found_paths = np.full((num_paths, length), -1, dtype=np.int32)
            kernel(
                graph.indptr,
                graph.indices,
                scores[number - first],
                strategy.selection == "argmax",
                int(targets[number]),
                sources.astype(np.int64),
                streams[rows].ravel(),
                max_hops,
                found_hops,
                found_paths,
            )
            hops[rows] = found_hops.reshape(len(rows), -1)
            if keep_paths:
                paths[rows] = found_paths.reshape(len(rows), episodes_per_pair, length)

        map_in_threads(run, range(block.start, block.stop))
    return Rollout(hops, paths)


def sampled_distributions(hops: np.ndarray, max_hops: int) -> np.ndarray:
    """The share of each pair's episodes by hops, laid out like exact distributions.

    Args:
        hops: The hops of each episode, (num_pairs, episodes_per_pair); max_hops + 1 if truncated.
        max_hops: The hop at which episodes were truncated.

    Returns:
        (num_pairs, max_hops + 1): column k − 1 is the share delivered in exactly k hops, the last
        column the share truncated.
    """
    rows = np.repeat(np.arange(len(hops)), hops.shape[1])
    flat = rows * (max_hops + 1) + hops.ravel() - 1
    counts = np.bincount(flat, minlength=len(hops) * (max_hops + 1))
    return counts.reshape(len(hops), max_hops + 1) / hops.shape[1]


def _kernel_of(memory: Memory, representations: Representations) -> Kernel | None:
    """The function that walks many messages at once; None where numba or a kernel is missing."""
    if isinstance(memory, BatchMemory):
        return partial(walk_batch, memory=memory.among(representations))
    kernel = compiled_kernel(memory)
    if kernel is not None and isinstance(memory, ExploreMemory):
        links = LinkTable(memory)
        links.add(representations)
        return with_links(kernel, links)
    return kernel


def with_links(kernel: Kernel, links: LinkTable) -> Kernel:
    """The walk of `explore` on nodes with these links.

    Args:
        kernel: :func:`garden.search.explore_kernel.walk_explore`.
        links: Of the nodes that are walked on.

    Returns:
        A function with the arguments of :func:`garden.search.batched_walk.walk_batch`.
    """
    arguments = links.arguments()

    def bound(*walk: Any) -> None:
        kernel(*walk, *arguments)

    return bound


def compiled_kernel(memory: Memory) -> Kernel | None:
    """The compiled walk of a memory; None where numba or a kernel is missing.

    A walk ends where a node has no neighbours. That of `explore` wants the arguments of a
    :class:`LinkTable` as well.
    """
    try:
        from garden.search.explore_kernel import walk_explore
        from garden.search.frontier_kernel import walk_frontier
        from garden.search.kernels import walk_backtrack, walk_memoryless, walk_visited
    except ImportError:
        return None
    if isinstance(memory, FrontierMemory):
        return partial(
            walk_frontier,
            price=memory.hop_price,
            patience=memory.patience,
            by_score=memory.by_score,
        )
    if isinstance(memory, ExploreMemory):
        return cast(Kernel, walk_explore)
    if memory is not MEMORIES.get(memory.name):
        return None
    compiled: dict[str, Kernel] = {
        "none": walk_memoryless,
        "visited": walk_visited,
        "backtrack": walk_backtrack,
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
    """Fill ``hops`` and ``paths`` by one plain walk after another."""
    for row, (source, target) in enumerate(pairs):
        for episode in range(streams.shape[1]):
            stream = int(streams[row, episode])
            ends = int(source), int(target)
            trip = walk(graph, strategy, representations, *ends, memory, max_hops, stream)
            hops[row, episode] = trip.hops if trip.delivered else max_hops + 1
            if paths.shape[2]:
                paths[row, episode, : len(trip.nodes)] = trip.nodes
